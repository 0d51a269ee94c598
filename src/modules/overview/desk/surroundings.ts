/** The surroundings of a record: what it refers to and what refers to it, in two steps, grouped by class. */
import type { Links } from '../../../../src/client/client.ts';
import type { InArea } from '../../../../ui/shared/tile.tsx';

/** Records of a picture. */
export const MOST_RECORDS = 200;
/** References of a record that are read in each direction. */
export const MOST_READ = 200;
/** More records of a class have a group. */
const FEW = 6;
const STEPS = 2;

/** A record whose `class` is null does not exist, or the caller does not see it. */
export type Neighbour = InArea & {
  /** From the record in the middle. */
  readonly steps: number;
  /** Whether its own surroundings can be shown. */
  readonly isInner: boolean;
};

/** The records of a class that a record refers to, or that refer to it. */
export type Group = {
  readonly id: string;
  readonly class: string | null;
  readonly records: number;
  /** Whether there may be more, since not all references were read. */
  readonly isCut: boolean;
  readonly isOpen: boolean;
};

/** By the slots of a class, from a record or a group to another. */
export type Reference = {
  readonly from: string;
  readonly to: string;
  readonly of: string | null;
  readonly slots: readonly string[];
};

export type Surroundings = {
  readonly records: ReadonlyMap<string, Neighbour>;
  readonly groups: readonly Group[];
  /** The lines of a picture. */
  readonly ties: readonly Reference[];
  /** Those between records. */
  readonly references: readonly Reference[];
  /** Whether there are records beyond {@link MOST_RECORDS}, or references beyond {@link MOST_READ}. */
  readonly isCut: boolean;
};

export type Opened = { readonly records: ReadonlySet<string>; readonly groups: ReadonlySet<string> };

/**
 * @param links of the record in the middle, and of others that were opened
 * @param opened the records, and groups of records, around which all is shown
 */
export function surroundingsOf(
  middle: InArea,
  links: ReadonlyMap<string, Links>,
  opened: Opened,
): Surroundings {
  const records = new Map<string, Neighbour>();
  const groups: Group[] = [];
  const ties: Reference[] = [];
  const references = new Map<string, Reference>();
  let isCut = false;
  const add = (record: InArea, steps: number) =>
    records.set(record.pid, { ...record, steps, isInner: steps < STEPS && record.class !== null });
  add(middle, 0);
  // Those that are added on the way are walked, too: those of one step before those of two.
  for (const { pid, steps, ...owner } of records.values()) {
    const read = links.get(pid);
    if (!read || steps === STEPS || (steps > 0 && !opened.records.has(pid))) continue;
    for (const direction of ['from', 'to'] as const) {
      const all = read[direction];
      const isAll = all.length < MOST_READ;
      isCut ||= !isAll;
      const between = (one: string) =>
        direction === 'from' ? { from: one, to: pid } : { from: pid, to: one };
      const ofOne = Map.groupBy(all, (row) => row.pid);
      const others = [...ofOne].filter(([one]) => one !== pid && !references.has(keyOf(between(one))));
      for (const [className, members] of Map.groupBy(others, ([, [row]]) => row!.class)) {
        const of = direction === 'from' ? className : owner.class;
        const id = `${direction} ${className} ${pid}`;
        const isGrouped = members.length > FEW;
        const isOpen = opened.groups.has(id);
        if (isGrouped) {
          groups.push({ id, class: className, records: members.length, isCut: !isAll, isOpen });
          ties.push({ ...between(id), of, slots: slotsOf(members.flatMap(([, rows]) => rows)) });
          if (!isOpen) continue;
        }
        for (const [one, rows] of members) {
          if (!records.has(one)) {
            if (records.size === MOST_RECORDS) {
              isCut = true;
              continue;
            }
            add(rows[0]!, steps + 1);
          }
          const reference = { ...between(one), of, slots: slotsOf(rows) };
          references.set(keyOf(reference), reference);
          const ofGroup = direction === 'from' ? { from: one, to: id } : { from: id, to: one };
          ties.push(isGrouped ? { ...ofGroup, of, slots: [] } : reference);
        }
      }
    }
  }
  return { records, groups, ties, references: [...references.values()], isCut };
}

const keyOf = ({ from, to }: Pick<Reference, 'from' | 'to'>) => `${from} ${to}`;
const slotsOf = (rows: readonly { readonly slot: string }[]) => [...new Set(rows.map(({ slot }) => slot))];
