/**
 * The filters of Browse: values for each slot and condition, in the address as `is.<slot>=<value>` or `is.<slot>.from=<value>`,
 * repeated if one of several values is asked for.
 */
import type { JsonObject } from '../shared/json.ts';
import { isEmpty, scalarText } from '../shared/json.ts';
import { place, queryOf, withQuery } from '../shared/router.ts';
import type { ClassDescription, Slot } from '../shared/schema.ts';
import { candidates } from './columns.ts';

/** By slot, or slot and condition as the search of the service names them: `born`, `born.from`. */
export type Where = Readonly<Record<string, readonly string[]>>;

/** What a filter asks of a slot. */
export const CONDITIONS = ['is', 'contains', 'from', 'to', 'filled', 'empty'] as const;
export type Condition = (typeof CONDITIONS)[number];

/** The name of the filter for a condition on a slot. */
export function filterName(slot: string, condition: Condition): string {
  if (condition === 'is') return slot;
  return `${slot}.${condition === 'empty' ? 'filled' : condition}`;
}

/** The slot and the condition of a filter. */
export function conditionOf(
  name: string,
  [value]: readonly string[],
): { readonly slot: string; readonly condition: Condition } {
  const [slot = name, test = 'is'] = name.split('.');
  const condition = CONDITIONS.find((one) => one === test) ?? 'is';
  return { slot, condition: test === 'filled' && value === 'false' ? 'empty' : condition };
}

/** Whether a condition compares with a value. */
export function hasValue(condition: Condition): boolean {
  return condition !== 'filled' && condition !== 'empty';
}

const PREFIX = 'is.';
/** Parameters of a search, which no slot can have as its name in a filter. */
const TAKEN = ['q', 'class', 'sort', 'page', 'size', 'count'];

/** The filters of the address. */
export function whereOf(query: URLSearchParams): Where {
  const found = Object.entries(queryOf(query)).filter(([name]) => name.startsWith(PREFIX));
  return Object.fromEntries(found.map(([name, values]) => [name.slice(PREFIX.length), values]));
}

/** The address with other values of a filter; without any, the filter is gone. */
export function withFilter(name: string, values: readonly string[]): string {
  return withQuery({ [`${PREFIX}${name}`]: values, preview: null });
}

/** The address without filters and words. */
export function withoutFilters(): string {
  const filters = Object.keys(whereOf(place.value.query)).map((slot) => [`${PREFIX}${slot}`, null]);
  return withQuery({ ...Object.fromEntries(filters), q: null, preview: null });
}

/** The slots that records can be filtered by. */
export function filterSlots(description: ClassDescription): Slot[] {
  return candidates(description).filter(
    ({ name, range }) =>
      !TAKEN.includes(name) && range.kind !== 'any' && !(range.kind === 'class' && range.inlined),
  );
}

/** The most frequent values of a slot in some records. */
export function frequentValues(slot: string, records: readonly JsonObject[], most: number): string[] {
  const counts = new Map<string, number>();
  for (const record of records) {
    for (const value of [record[slot] ?? null].flat()) {
      if (isEmpty(value) || typeof value === 'object') continue;
      const text = scalarText(value);
      counts.set(text, (counts.get(text) ?? 0) + 1);
    }
  }
  return [...counts]
    .sort(([, a], [, b]) => b - a)
    .slice(0, most)
    .map(([value]) => value);
}
