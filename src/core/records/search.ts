/**
 * Search that reads records: for parts of words, and for words while their index is made, without regard to case and accents.
 * Stores offer candidates, which are read and checked here. The number of matches and the time are bounded, and a result that is
 * not complete is marked.
 */
import { fold, scalarsIn } from '#linkml/folding.ts';
import { type JsonObject, parseJson } from '#linkml/json.ts';
import { withoutType } from '../schema-type.ts';
import { type ConditionGroups, matcherOf } from '../storage/search/indexed-values.ts';
import { parseQuery, standingOf, type WordQuery, wordsIn } from '../storage/search/word-query.ts';
import type { ListedRecord, RecordKey, ScanSelection } from '../storage/store.ts';
import { type WordOptions, wordsOf } from '../storage/tokens.ts';

export type Search = {
  readonly text: TextCondition;
  /** Conditions on slots, at any depth below them: each record satisfies one of each group. */
  readonly slots: ConditionGroups;
  /** With so many matches, the search ends. */
  readonly most: number;
};

/** What has to occur in the values of a record: each of some folded strings, or the words of a query. */
export type TextCondition =
  | { readonly parts: readonly string[] }
  | { readonly query: WordQuery; readonly options: WordOptions };

/** The conditions of a search on one record. */
export type SearchConditions = Pick<Search, 'text' | 'slots'>;

export type SearchScope = {
  /** Whether a record is found, see {@link matcher}. */
  match(json: string): boolean | Promise<boolean>;
  /** The search ends after this time of work, in milliseconds: while others have their turn, it does not run. */
  readonly budget: number;
  /** Called for each record, to give other work its turn. */
  readonly yieldIfDue: () => Promise<void>;
};

export type SearchResult = {
  /** The matches in the order of pids. */
  readonly records: readonly RecordKey[];
  /** Whether these are all. */
  readonly complete: boolean;
  /** Whether the time was not enough. */
  readonly late: boolean;
};

/** A query may have this many words: each is looked for in each record. */
export const MOST_WORDS = 32;
/** A condition may have this many values. */
export const MOST_VALUES = 32;

/** Whether a query has more words than are looked for. */
export function hasTooManyWords(query: string): boolean {
  return queryWords(query).length > MOST_WORDS || wordsIn(parseQuery(query)) > 4 * MOST_WORDS;
}

export function queryWords(query: string): string[] {
  return [...new Set(fold(query).split(/\s+/))].filter((word) => word !== '');
}

/** Folded strings that each match has in its values, for the scan that the search reads. */
function stringsOf({ text, slots }: SearchConditions): string[] {
  const words = 'parts' in text ? text.parts : tokensOf(text.query);
  const texts = slots.flatMap((group) => {
    // A record needs one of several values or conditions, and none of them for certain.
    if (group.length !== 1 || group[0]?.values.length !== 1) return [];
    const [{ test, values }] = group;
    const [value = ''] = values;
    return test === 'contains' || test === 'is' ? [fold(value)] : [];
  });
  return [...words, ...texts].filter((string) => string !== '');
}

/** The tokens that each match has: one of several terms, or of several forms of a word, is not in each. */
function tokensOf({ groups }: WordQuery): string[] {
  return groups.flatMap(([term, ...others]) =>
    term && others.length === 0 && term.forms.length + term.stems.length === 0 ? term.tokens : [],
  );
}

/** Opens a scan in pid order, which may leave out records without the words. */
export type Scan = (
  part: Pick<ScanSelection, 'words' | 'mostCandidates' | 'after'>,
) => Promise<AsyncIterable<ListedRecord>>;

/** The records that a search finds. */
export async function search(
  scan: Scan,
  { most, ...conditions }: Search,
  { match, budget, yieldIfDue }: SearchScope,
): Promise<SearchResult> {
  const time = new WorkTime(yieldIfDue);
  const records: RecordKey[] = [];
  let isMore = false;
  let late = false;
  const density = new Density();
  for await (const { pid, iri, className, json } of recordsToRead(scan, stringsOf(conditions), density)) {
    await time.yieldIfDue();
    if (time.spent > budget) {
      late = true;
      break;
    }
    if (!(await match(json))) continue;
    density.noteMatch();
    if (records.length >= most) {
      isMore = true;
      break;
    }
    records.push({ pid, iri, className });
  }
  return { records, complete: !isMore && !late, late };
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

/** Finds out whether records are found by a search. */
export function matcher({ text, slots }: SearchConditions): (json: string) => boolean {
  const parts = 'parts' in text ? text.parts : [];
  const hasValues = matcherOf(slots);
  return (json) => {
    if (!mayHaveWords(json, parts)) return false;
    if ('query' in text && !standingOf(text.query, wordsOf(json, '', text.options))) return false;
    const record = parseJson(json) as JsonObject;
    return hasValues(record) && hasWords(record, parts);
  };
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
