/**
 * The filters of Browse: values for each slot and condition, in the address as `is.<slot>=<value>` or `is.<slot>.from=<value>`,
 * repeated if one of several values is asked for. Of those whose names begin with the same group, as in `is.or1.<slot>`, one has
 * to match.
 */
import { place, queryOf, withQuery } from '../shared/router.ts';
import type { ClassDescription, Slot } from '../shared/schema.ts';
import { candidates } from './columns.ts';

/** By slot, or group, slot and condition as the search of the service names them: `born`, `or1.born.from`. */
export type Where = Readonly<Record<string, readonly string[]>>;

/** The condition of a filter on a slot. */
export const CONDITIONS = ['is', 'contains', 'from', 'to', 'filled', 'empty'] as const;
export type Condition = (typeof CONDITIONS)[number];

export type Filter = {
  readonly name: string;
  /** Of the filters of a group, one has to match; undefined for a filter that has to match alone. */
  readonly group: string | undefined;
  readonly slot: string;
  readonly condition: Condition;
  readonly values: readonly string[];
};

const GROUPS = ['or1', 'or2', 'or3', 'or4', 'or5', 'or6', 'or7', 'or8', 'or9'];

/** The name of the filter for a condition on a slot. */
export function filterName(slot: string, condition: Condition, group?: string): string {
  const alone = condition === 'is' ? slot : `${slot}.${condition === 'empty' ? 'filled' : condition}`;
  return group === undefined ? alone : `${group}.${alone}`;
}

function filterOf(name: string, values: readonly string[]): Filter {
  const group = GROUPS.find((one) => name.startsWith(`${one}.`));
  const [slot = name, test = 'is'] = name.slice(group ? group.length + 1 : 0).split('.');
  const found = CONDITIONS.find((one) => one === test) ?? 'is';
  const condition = found === 'filled' && values[0] === 'false' ? 'empty' : found;
  return { name, group, slot, condition, values };
}

/** The filters, each alone or with the others of its group. */
export function filterGroups(where: Where): Filter[][] {
  const groups = new Map<string, Filter[]>();
  for (const [name, values] of Object.entries(where)) {
    const filter = filterOf(name, values);
    const key = filter.group === undefined ? name : `${filter.group}.`;
    groups.set(key, [...(groups.get(key) ?? []), filter]);
  }
  return [...groups.values()];
}

/** The filter for a condition on a slot that has to match alone. */
export function filterAlone(where: Where, slot: string, condition: Condition = 'is'): Filter | undefined {
  const name = filterName(slot, condition);
  const values = where[name];
  return values && filterOf(name, values);
}

/** A group that no filter is in yet. */
export function newGroup(where: Where): string | undefined {
  const taken = new Set(filterGroups(where).map(([filter]) => filter?.group));
  return GROUPS.find((group) => !taken.has(group));
}

/** Whether a condition compares with a value. */
export function hasValue(condition: Condition): boolean {
  return condition !== 'filled' && condition !== 'empty';
}

const PREFIX = 'is.';
/** Parameters of a search, which no slot can have as its name in a filter. */
const TAKEN = ['q', 'class', 'sort', 'page', 'size', 'count', 'facet', 'alternatives', 'highlight'];

/** The filters of the address. */
export function whereOf(query: URLSearchParams): Where {
  const found = Object.entries(queryOf(query)).filter(([name]) => name.startsWith(PREFIX));
  return Object.fromEntries(found.map(([name, values]) => [name.slice(PREFIX.length), values]));
}

/** The address with other values of some filters; without any, a filter is gone. */
export function withFilters(changes: Where): string {
  const filters = Object.entries(changes).map(([name, values]) => [`${PREFIX}${name}`, values]);
  return withQuery({ ...Object.fromEntries(filters), preview: null });
}

/** The address without filters and words. */
export function withoutFilters(): string {
  const filters = Object.keys(whereOf(place.value.query)).map((name) => [`${PREFIX}${name}`, null]);
  return withQuery({ ...Object.fromEntries(filters), q: null, preview: null });
}

/** The slots that records can be filtered by. */
export function filterSlots(description: ClassDescription): Slot[] {
  return candidates(description).filter(
    ({ name, range }) =>
      !TAKEN.includes(name) && range.kind !== 'any' && !(range.kind === 'class' && range.inlined),
  );
}
