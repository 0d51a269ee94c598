/** Which records of an area, or of a zone over it, satisfy conditions on values, by the index of values: a set, or all but a set. */
import { IdSet } from '../storage/id-set.ts';
import { type ConditionGroups, matcherOf, type ValueCondition } from '../storage/search/indexed-values.ts';
import type { ValueReads } from '../storage/search/value-reads.ts';

/** The records of a set or, of all, those that are not in it. */
export type Matching = {
  readonly set: IdSet;
  readonly isAllBut: boolean;
  /** Classes, among which are those of all that match; undefined if they are not known. */
  readonly classes: ReadonlySet<string> | undefined;
};
const EVERYTHING: Matching = { set: new IdSet(), isAllBut: true, classes: undefined };

/** The records that satisfy one condition of each group. */
export async function matchingIds(
  indexes: readonly ValueReads[],
  groups: ConditionGroups,
  shadowed: IdSet,
): Promise<Matching> {
  let all = EVERYTHING;
  if (groups.length === 0) return all;
  for (const group of inRanges(groups, indexes)) {
    let any: Matching = { set: new IdSet(), isAllBut: false, classes: new Set() };
    for (const { condition, other } of group) {
      const found = new IdSet();
      let classes: ReadonlySet<string> = new Set();
      for (const index of indexes) classes = classes.union(await index.find(condition, found, other));
      const withoutValue = condition.test === 'filled' && condition.values.includes('false');
      const isAny = withoutValue && condition.values.includes('true');
      const some = { set: found, isAllBut: withoutValue, classes: withoutValue ? undefined : classes };
      any = either(any, isAny ? EVERYTHING : some);
    }
    all = both(all, any);
  }
  const set = all.set.filter(shadowed, false);
  const isMet = matcherOf(groups);
  for (const index of indexes)
    for await (const { id, record } of index.records(index.behind)) {
      if (shadowed.has(id)) continue;
      if (isMet(record) === all.isAllBut) set.delete(id);
      else set.add(id);
    }
  const classes = indexes.reduce((known, index) => known?.union(index.classesBehind), all.classes);
  return { set, isAllBut: all.isAllBut, classes };
}

/** A condition, with another one that the same values have to satisfy. */
type Ranged = { readonly condition: ValueCondition; readonly other?: ValueCondition };

/** Puts conditions together that one range of the index satisfies: those from a value up to another one. */
function inRanges(groups: ConditionGroups, indexes: readonly ValueReads[]): Ranged[][] {
  const ranged: Ranged[][] = [];
  const bounds = new Map<string, ValueCondition>();
  for (const group of groups) {
    const [condition] = group;
    if (!condition || group.length > 1 || (condition.test !== 'from' && condition.test !== 'to')) {
      ranged.push(group.map((one) => ({ condition: one })));
      continue;
    }
    const other = bounds.get(condition.slot);
    const isRange = other && indexes.every((index) => index.isRange(condition, other));
    if (!isRange) {
      if (other) ranged.push([{ condition }]);
      else bounds.set(condition.slot, condition);
      continue;
    }
    bounds.delete(condition.slot);
    ranged.push([{ condition, other }]);
  }
  for (const condition of bounds.values()) ranged.push([{ condition }]);
  return ranged;
}

function both(a: Matching, b: Matching): Matching {
  const classes = a.classes && b.classes ? a.classes.intersection(b.classes) : (a.classes ?? b.classes);
  if (a.isAllBut && b.isAllBut) return { set: a.set.with(b.set), isAllBut: true, classes };
  if (a.isAllBut) return { set: b.set.filter(a.set, false), isAllBut: false, classes };
  return { set: a.set.filter(b.set, !b.isAllBut), isAllBut: false, classes };
}

/** By the law of De Morgan. */
function either(a: Matching, b: Matching): Matching {
  const { set, isAllBut } = not(both(not(a), not(b)));
  return { set, isAllBut, classes: a.classes && b.classes && a.classes.union(b.classes) };
}

const not = ({ set, isAllBut }: Matching): Matching => ({ set, isAllBut: !isAllBut, classes: undefined });
