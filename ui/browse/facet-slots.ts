/** The slots of a class that are offered beside its table: those that most records have, with few different values or ranges of them. */
import type { JsonObject } from '../shared/json.ts';
import { readPage } from '../shared/records.ts';
import { isBoolean, isOrdered } from '../shared/scalar.tsx';
import type { ClassDescription, Slot } from '../shared/schema.ts';
import { filterSlots } from './filters.ts';

/** Slots that are offered without a choice. */
const USUAL = 6;
/** The slots whose values one search counts. */
export const MOST_FACETS = 10;
/** Records that stand for all of a class. */
const SAMPLE = 100;

/** By collection and class. They stay the same during a visit, so that nothing moves while records change. */
const known = new Map<string, readonly Slot[]>();

/** The slots that serve a class best, by its first records. */
export async function usualFacets(
  collection: string,
  description: ClassDescription,
  signal: AbortSignal,
): Promise<readonly Slot[]> {
  const key = `${collection}\n${description.class}`;
  const found = known.get(key);
  if (found) return found;
  const { items } = await readPage(collection, description.class, { page: 1, size: SAMPLE }, signal);
  const slots = bestFacets(filterSlots(description), items);
  if (items.length > 0) known.set(key, slots);
  return slots;
}

/** Of some slots those that serve some records best, the most complete ones first. */
export function bestFacets(slots: readonly Slot[], records: readonly JsonObject[]): readonly Slot[] {
  return slots
    .map((slot) => ({ slot, ...usageOf(slot, records) }))
    .filter(
      ({ slot, filled, isRepeated }) => filled > 0 && (isClosed(slot) || isOrdered(slot.range) || isRepeated),
    )
    .sort((a, b) => b.filled - a.filled)
    .slice(0, USUAL)
    .map(({ slot }) => slot);
}

/** Whether the values of a slot are chosen among others: of an enum, yes or no, a record. */
function isClosed({ range }: Slot): boolean {
  return range.kind === 'enum' || range.kind === 'class' || isBoolean(range);
}

/** How many records have a slot, and whether two of them have the same value on average. */
function usageOf({ name }: Slot, records: readonly JsonObject[]) {
  const used = records.map((record) => [record[name] ?? []].flat()).filter(({ length }) => length > 0);
  const values = used.flat();
  return { filled: used.length, isRepeated: 2 * new Set(values.map(String)).size <= values.length };
}
