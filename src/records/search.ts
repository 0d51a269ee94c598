/**
 * Search in the records of an area, on every backend: by words in any order and in any value, and by values of slots,
 * without regard to case and accents. It reads the records, so its time is bounded, and a result that is not complete
 * is marked.
 */
import { isJsonObject, type JsonObject, type JsonValue, Numeral, parseJson } from '../json.ts';
import type { StoredRecord } from '../storage/store.ts';

export type Search = {
  /** Each has to occur in some value. */
  readonly words: readonly string[];
  /** Slots with a value that each has to have, at any depth below the slot. */
  readonly slots: readonly (readonly [slot: string, value: string])[];
  /** The slot whose first value is the sort key. */
  readonly sort: { readonly slot: string; readonly descending: boolean };
};

export type SearchScope = {
  /** The identity of a reference: what a CURIE or URI resolves to. */
  readonly expand: (text: string) => string | undefined;
  /** The search ends after this time, in milliseconds. */
  readonly budget: number;
  /** Called for each record, to give other work its turn. */
  readonly breathe: () => Promise<void>;
};

export type FoundRecord = {
  /** All matches in order. */
  readonly pids: readonly string[];
  /** Whether all records were read. */
  readonly complete: boolean;
};

/** A string as it is compared: without case, accents and differences of width. */
function folded(text: string): string {
  // Most records are ASCII, and need no normalization.
  if (!/[^\0-\x7f]/.test(text)) return text.toLowerCase();
  return text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase().replaceAll('ß', 'ss');
}

/** The words of a query. */
export function queryWords(query: string): string[] {
  return [...new Set(folded(query).split(/\s+/))].filter((word) => word !== '');
}

/** The records that a search finds, in its order. Records arrive in pid order. */
export async function search(
  records: AsyncIterable<StoredRecord>,
  { words, slots, sort }: Search,
  { expand, budget, breathe }: SearchScope,
): Promise<FoundRecord> {
  const end = performance.now() + budget;
  const probes = words.filter((word) => !/["\\\p{Cc}]/u.test(word));
  const isMatch = matcher(words, slots, expand);
  const matches: { readonly pid: string; readonly key: Key }[] = [];
  let complete = true;
  for await (const { pid, json } of records) {
    await breathe();
    if (performance.now() > end) {
      complete = false;
      break;
    }
    // Most records are decided by their text, and need not be parsed.
    const text = folded(json);
    if (!probes.every((word) => text.includes(word))) continue;
    const record = parseJson(json) as JsonObject;
    if (isMatch(record)) matches.push({ pid, key: keyIn(record, sort.slot) });
  }
  const direction = sort.descending ? -1 : 1;
  if (sort.slot !== 'pid') matches.sort((a, b) => compareSortKeys(a.key, b.key, direction));
  else if (sort.descending) matches.reverse();
  return { pids: matches.map(({ pid }) => pid), complete };
}

function matcher(
  words: Search['words'],
  slots: Search['slots'],
  expand: SearchScope['expand'],
): (record: JsonObject) => boolean {
  const wanted = slots.map(([slot, value]) => [slot, folded(value), expand(value)] as const);
  return (record) => {
    const hasSlots = wanted.every(
      ([slot, value, iri]) =>
        Object.hasOwn(record, slot) &&
        valuesIn(record[slot] ?? null).some(
          (one) => folded(one) === value || (iri !== undefined && expand(one) === iri),
        ),
    );
    if (!hasSlots) return false;
    if (words.length === 0) return true;
    const values = valuesIn(record).map(folded);
    return words.every((word) => values.some((value) => value.includes(word)));
  };
}

/** All strings, numbers and booleans in a value, at any depth, as strings. */
function valuesIn(value: JsonValue): string[] {
  const found: string[] = [];
  const waiting: JsonValue[] = [value];
  for (let one = waiting.pop(); one !== undefined; one = waiting.pop()) {
    if (Array.isArray(one)) for (const item of one) waiting.push(item);
    else if (isJsonObject(one)) for (const member of Object.values(one)) waiting.push(member);
    else if (one !== null) found.push(one instanceof Numeral ? one.source : String(one));
  }
  return found;
}

type Key = number | string | undefined;

/** The first value of a slot: numbers are compared as numbers. */
function keyIn(record: JsonObject, slot: string): Key {
  let value: JsonValue | undefined = Object.hasOwn(record, slot) ? record[slot] : undefined;
  while (Array.isArray(value)) value = value[0];
  if (value instanceof Numeral) return Number(value.source);
  if (typeof value === 'number') return value;
  return typeof value === 'string' || typeof value === 'boolean' ? folded(String(value)) : undefined;
}

/** Numbers come before strings; records without a value come last in both directions. */
function compareSortKeys(a: Key, b: Key, direction: 1 | -1): number {
  if (a === b) return 0;
  if (a === undefined || b === undefined) return a === undefined ? 1 : -1;
  if (typeof a !== typeof b) return typeof a === 'number' ? -direction : direction;
  return a < b ? -direction : direction;
}
