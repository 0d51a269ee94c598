/**
 * Search that reads records: for parts of words, for values of slots, for an order by a slot, and for words while their index is
 * made, without regard to case and accents. Stores offer candidates, which are read and checked here. The number of matches and the
 * time are bounded, and a result that is not complete is marked.
 */
import { fold, scalarsIn } from '#linkml/folding.ts';
import { compareCodePoints, type JsonObject, type JsonValue, Numeral, parseJson } from '#linkml/json.ts';
import { SCHEMA_TYPE, withoutType } from '../schema-type.ts';
import type { ListedRecord, ScanSelection } from '../storage/store.ts';
import { wordsOf } from '../storage/tokens.ts';
import { standingOf, type WordQuery } from '../storage/word-query.ts';

export type Search = {
  readonly text: TextCondition;
  /** Conditions on slots, at any depth below them: each record satisfies one of each group. */
  readonly slots: readonly (readonly SlotCondition[])[];
  /** The slot whose first value is the sort key; without it, the order is that of the scan. */
  readonly sort: Sort | undefined;
  /** With so many matches, a search without a sort key ends. */
  readonly most: number;
};

export type Sort = { readonly slot: string; readonly descending: boolean };

/** What has to occur in the values of a record: each of some folded strings, or the words of a query. */
export type TextCondition = { readonly parts: readonly string[] } | { readonly query: WordQuery };

/** Nothing has to occur. */
export const ANY_TEXT: TextCondition = { parts: [] };

/**
 * A condition on a slot: a value (`is`), one with a string in it (`contains`), one that is not before (`from`) or not after
 * (`to`) another, or any value at all (`filled`, for `true`) or none (for `false`).
 */
export type SlotCondition = {
  readonly slot: string;
  readonly test: SlotTest;
  /** One of them has to match. */
  readonly values: readonly string[];
};
export type SlotTest = (typeof SLOT_TESTS)[number];
export const SLOT_TESTS = ['is', 'contains', 'from', 'to', 'filled'] as const;

/** The conditions of a search on one record. */
export type SearchConditions = Pick<Search, 'text' | 'slots' | 'sort'>;

/** The identity of a reference: what a CURIE or URI resolves to. */
type Expand = (text: string) => string | undefined;

export type SearchScope = {
  readonly expand: Expand;
  /** Whether a record is found, see {@link matcher}. */
  match(json: string): Match | undefined | Promise<Match | undefined>;
  /** The search ends after this time of work, in milliseconds: while others have their turn, it does not run. */
  readonly budget: number;
  /** Called for each record, to give other work its turn. */
  readonly yieldIfDue: () => Promise<void>;
};

export type SearchResult = {
  /** The matches in order. */
  readonly pids: readonly string[];
  /** Whether these are all. */
  readonly complete: boolean;
  /** Whether the time was not enough. */
  readonly late: boolean;
};

/** A query may have this many words: each is looked for in each record. */
export const MOST_WORDS = 32;
/** A condition may have this many values. */
export const MOST_VALUES = 32;

export function queryWords(query: string): string[] {
  return [...new Set(fold(query).split(/\s+/))].filter((word) => word !== '');
}

/**
 * Folded strings that each match has in its values, for the scan that the search reads. A value that resolves to an IRI may
 * be in another spelling, and stores may keep the class of a record apart from its values.
 */
function stringsOf({ text, slots }: SearchConditions, expand: Expand): string[] {
  const words = 'parts' in text ? text.parts : tokensOf(text.query);
  const texts = slots.flatMap((group) => {
    // A record needs one of several values or conditions, and none of them for certain.
    if (group.length !== 1 || group[0]?.values.length !== 1) return [];
    const [{ slot, test, values }] = group;
    const [value = ''] = values;
    const isText = test === 'contains' || (test === 'is' && expand(value) === undefined);
    return slot !== SCHEMA_TYPE && isText ? [fold(value)] : [];
  });
  return [...words, ...texts].filter((string) => string !== '');
}

/** The tokens that each match has: one of several terms, or of several forms of a word, is not in each. */
function tokensOf({ groups }: WordQuery): string[] {
  return groups.flatMap(([term, ...others]) =>
    term && others.length === 0 && term.forms.length === 0 ? term.tokens : [],
  );
}

/** Opens a scan in pid order, which may leave out records without the words. */
export type Scan = (
  part: Pick<ScanSelection, 'words' | 'mostCandidates' | 'after'>,
) => Promise<AsyncIterable<ListedRecord>>;

/** The records that a search finds, in its order. */
export async function search(
  scan: Scan,
  { most, ...conditions }: Search,
  { expand, match, budget, yieldIfDue }: SearchScope,
): Promise<SearchResult> {
  const time = new WorkTime(yieldIfDue);
  const { sort } = conditions;
  const matches: { readonly pid: string; readonly key: Key }[] = [];
  const limit = sort ? Number.POSITIVE_INFINITY : most;
  let isMore = false;
  let late = false;
  const density = new Density();
  for await (const { pid, json } of recordsToRead(scan, stringsOf(conditions, expand), density)) {
    await time.yieldIfDue();
    if (time.spent > budget) {
      late = true;
      break;
    }
    const found = await match(json);
    if (!found) continue;
    density.noteMatch();
    if (matches.length >= limit) {
      isMore = true;
      break;
    }
    matches.push({ pid, ...found });
  }
  const direction = sort?.descending ? -1 : 1;
  if (sort?.slot === 'pid') matches.sort((a, b) => direction * compareCodePoints(a.pid, b.pid));
  else if (sort)
    matches.sort((a, b) => compareSortKeys(a.key, b.key, direction) || compareCodePoints(a.pid, b.pid));
  return { pids: matches.map(({ pid }) => pid), complete: !isMore && !late, late };
}

/** The time that work has taken, without that of others in between. */
class WorkTime {
  #spent = 0;
  #since = performance.now();
  readonly #yieldIfDue: () => Promise<void>;

  constructor(yieldIfDue: () => Promise<void>) {
    this.#yieldIfDue = yieldIfDue;
  }

  get spent(): number {
    return this.#spent + performance.now() - this.#since;
  }

  async yieldIfDue(): Promise<void> {
    this.#spent = this.spent;
    await this.#yieldIfDue();
    this.#since = performance.now();
  }
}

/** Records that are read before their matches are counted, and the fewest matches for which all records are read. */
const STRETCH = 250;
const FEWEST_MATCHES = 50;
/** As many candidates are read at once, whether they match or not. */
const FEW_CANDIDATES = 1000;

/** How many of the records that a search reads match, stretch by stretch. */
class Density {
  #records = 0;
  #matches = 0;

  noteMatch(): void {
    this.#matches += 1;
  }

  /** To be asked before each record is read. @returns whether a stretch has ended in which few matched */
  isLow(): boolean {
    if (this.#records < STRETCH) {
      this.#records += 1;
      return false;
    }
    const low = this.#matches < FEWEST_MATCHES;
    this.#records = 1;
    this.#matches = 0;
    return low;
  }
}

/** The candidates if they are few; else all records as long as many of them match, which is faster; then the candidates. */
async function* recordsToRead(
  scan: Scan,
  words: readonly string[],
  density: Density,
): AsyncGenerator<ListedRecord> {
  let last: ListedRecord | undefined;
  for await (const record of await scan({ words, mostCandidates: FEW_CANDIDATES })) {
    if (last && words.length > 0 && density.isLow()) {
      yield* await scan({ words, after: last });
      return;
    }
    yield record;
    last = record;
  }
}

/** A record that is found, with its place in the order. */
export type Match = { readonly key: Key };

/** Finds out whether records are found by a search. */
export function matcher(
  { text, slots, sort }: SearchConditions,
  expand: Expand,
): (json: string) => Match | undefined {
  const parts = 'parts' in text ? text.parts : [];
  const groups = slots.map((group) =>
    group.map(({ slot, test, values }) => ({ slot, isMet: testOf(test, values, expand) })),
  );
  return (json) => {
    if (!mayHaveWords(json, parts)) return undefined;
    if ('query' in text && !standingOf(text.query, wordsOf(json, '', NO_HEADS))) return undefined;
    const record = parseJson(json) as JsonObject;
    const known = new Map<string, readonly ComparedValue[]>();
    const valuesOf = (slot: string) => {
      const values = known.get(slot) ?? comparedIn(record, slot, expand);
      known.set(slot, values);
      return values;
    };
    const hasSlots = groups.every((group) => group.some(({ slot, isMet }) => isMet(valuesOf(slot))));
    return hasSlots && hasWords(record, parts) ? { key: sort && keyIn(record, sort.slot) } : undefined;
  };
}

/** Where words are makes no difference here. */
const NO_HEADS = { heads: {} };

/** A value as conditions compare it: folded and resolved once, however many conditions there are. */
class ComparedValue {
  readonly value: string;
  readonly #expand: Expand;
  #folded: string | undefined;
  #number: { readonly value: number | undefined } | undefined;
  #iri: { readonly value: string | undefined } | undefined;

  constructor(value: string, expand: Expand) {
    this.value = value;
    this.#expand = expand;
  }

  get folded(): string {
    this.#folded ??= fold(this.value);
    return this.#folded;
  }

  get number(): number | undefined {
    this.#number ??= { value: numberIn(this.folded) };
    return this.#number.value;
  }

  get iri(): string | undefined {
    this.#iri ??= { value: this.#expand(this.value) };
    return this.#iri.value;
  }
}

function comparedIn(record: JsonObject, slot: string, expand: Expand): readonly ComparedValue[] {
  if (!Object.hasOwn(record, slot)) return [];
  return scalarsIn(record[slot] ?? null).map((value) => new ComparedValue(value, expand));
}

/** Whether the values of a slot are as a test asks for one of several values. */
function testOf(
  test: SlotTest,
  texts: readonly string[],
  expand: Expand,
): (values: readonly ComparedValue[]) => boolean {
  const some = texts.map((value) => new ComparedValue(value, expand));
  const any =
    (isMet: (one: ComparedValue, value: ComparedValue) => boolean) => (values: readonly ComparedValue[]) =>
      some.some((value) => values.some((one) => isMet(one, value)));
  switch (test) {
    case 'is': {
      const folded = new Set(some.map((value) => value.folded));
      const iris = new Set(some.flatMap(({ iri }) => iri ?? []));
      return (values) =>
        values.some((one) => folded.has(one.folded) || (iris.size > 0 && iris.has(one.iri ?? '')));
    }
    case 'contains':
      return any((one, value) => one.folded.includes(value.folded));
    case 'from':
      return any((one, value) => compare(one, value) >= 0);
    case 'to':
      // The values up to 2024 include the days of 2024.
      return any((one, value) => compare(one, value) <= 0 || isDateWithin(one.value, value.value));
    case 'filled':
      return (values) => texts.some((value) => values.length > 0 === (value === 'true'));
  }
}

/** Compares numbers as numbers, others as folded strings, so dates and times are in their order. */
function compare(a: ComparedValue, b: ComparedValue): number {
  if (b.number !== undefined && a.number !== undefined) return a.number - b.number;
  return a.folded < b.folded ? -1 : a.folded > b.folded ? 1 : 0;
}

function numberIn(text: string): number | undefined {
  const number = text.trim() === '' ? Number.NaN : Number(text);
  return Number.isNaN(number) ? undefined : number;
}

/** Whether a date or time is within a year, month or day. */
function isDateWithin(value: string, period: string): boolean {
  const next = value[period.length];
  const isTime = next === '-' || next === 'T';
  return isTime && value.startsWith(period) && /^\d{4}(-\d\d){0,2}$/.test(period);
}

/** Whether the text of a record may have folded words: most records are decided by it, and need not be parsed. */
export function mayHaveWords(json: string, words: readonly string[]): boolean {
  const text = fold(json);
  return words.every((word) => text.includes(word) || /["\\\p{Cc}]/u.test(word));
}

/** Whether each of some folded words occurs in a value of a record. */
export function hasWords(record: JsonObject, words: readonly string[]): boolean {
  if (words.length === 0) return true;
  // Words have no line breaks: so none is found across two values, and the values are read once for each word.
  const values = fold(scalarsIn(withoutType(record)).join('\n'));
  return words.every((word) => values.includes(word));
}

type Key = number | string | undefined;

/** The first value of a slot: numbers are compared as numbers. */
function keyIn(record: JsonObject, slot: string): Key {
  let value: JsonValue | undefined = Object.hasOwn(record, slot) ? record[slot] : undefined;
  while (Array.isArray(value)) value = value[0];
  if (value instanceof Numeral) return Number(value.source);
  if (typeof value === 'number') return value;
  return typeof value === 'string' || typeof value === 'boolean' ? fold(String(value)) : undefined;
}

/** Numbers come before strings; records without a value come last in both directions. */
function compareSortKeys(a: Key, b: Key, direction: 1 | -1): number {
  if (a === b) return 0;
  if (a === undefined || b === undefined) return a === undefined ? 1 : -1;
  if (typeof a !== typeof b) return typeof a === 'number' ? -direction : direction;
  return a < b ? -direction : direction;
}
