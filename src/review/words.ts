/**
 * Submissions by words, on every backend: each word occurs in a value of the record, or in what the row shows besides. All
 * submissions of a queue are read once, and the pages of one search share the result until the queue changes.
 */
import { LRUCache } from 'lru-cache';
import { type ErrorCode, ServiceError } from '../errors.ts';
import { fold } from '../folding.ts';
import { type JsonObject, parseJson } from '../json.ts';
import { hasWords, MOST_WORDS, mayHaveWords, queryWords } from '../records/search.ts';
import { yielder } from '../yield.ts';
import type { Condition } from './filter.ts';
import type { QueueReading } from './parts.ts';

/** Submissions that are read at a time: each may have 10 MiB. */
const STRIDE = 20;
/** Longer texts are not parsed: there, a word is found in names of slots, too. */
const LONGEST_PARSED = 2 ** 20;
/** Results that are kept for further pages. */
const KEPT_RESULTS = 16;

/** The text of a submission that has left its zone. */
export const LEFT_TEXT = `(SELECT e.former FROM accession_entry e WHERE e.area = s.area AND e.revision = s.revision)`;

/** The words of a query. @throws ServiceError `parameter_invalid` if there are too many */
export function wordsOf(query: string): string[] {
  const words = queryWords(query);
  if (words.length <= MOST_WORDS) return words;
  const msg = `The query parameter 'q' has more than ${MOST_WORDS} words.`;
  throw new ServiceError('parameter_invalid', msg, [{ type: 'parameter_invalid', loc: ['query', 'q'], msg }]);
}

type Row = [id: number, about: string, json: string | null];
/** Where to look: the submissions that are in their zones, or all of one zone. */
export type Scope = 'present' | { readonly area: number };

export class WordSearch {
  readonly #found = new LRUCache<string, Promise<number[]>>({ max: KEPT_RESULTS });

  /**
   * The condition of rows with all words of a query.
   *
   * @param changes how often the queue has changed
   * @throws ServiceError `parameter_invalid` if there are too many words
   */
  async condition(reading: QueueReading, changes: number, scope: Scope, query: string): Promise<Condition> {
    const words = wordsOf(query);
    const name = JSON.stringify([reading.queue, changes, scope, words]);
    const found = this.#found.get(name) ?? submissionsWith(reading, scope, words);
    this.#found.set(name, found);
    found.catch(() => this.#found.delete(name));
    const ids = await found;
    const { dialect } = reading.making.parts.database;
    return (given) => dialect.among('id', Number(given(ids).slice(1)), 'bigint');
  }
}

async function submissionsWith(
  { reader, queue }: QueueReading,
  scope: Scope,
  words: readonly string[],
): Promise<number[]> {
  const found: number[] = [];
  const yieldIfDue = yielder();
  const [text, where] =
    scope === 'present'
      ? ['r.json', 's.present = 1']
      : [`COALESCE(r.json, ${LEFT_TEXT})`, `s.area = ${scope.area}`];
  for (let after = 0; ; ) {
    const rows: Row[] = await reader.tuples<Row>(
      `SELECT s.id, ${ABOUT}, ${text} FROM accession_submission s
       LEFT JOIN accession_record r ON s.present = 1 AND r.area = s.area AND r.iri = s.iri
       WHERE s.queue = $1 AND ${where} AND s.id > $2 ORDER BY s.id LIMIT $3`,
      [queue, after, STRIDE],
    );
    for (const [id, about, json] of rows) {
      await yieldIfDue();
      const shown = fold(about);
      const others = words.filter((word) => !shown.includes(word));
      if (isInRecord(others, json ?? '{}')) found.push(id);
    }
    if (rows.length < STRIDE) return found;
    after = rows.at(-1)![0];
  }
}

const ABOUT = ['s.pid', 's.title', 's.label', 's.submitter', 's.batch', 's.message']
  .map((column) => `COALESCE(${column}, '')`)
  .join(` || '\n' || `);

function isInRecord(words: readonly string[], json: string): boolean {
  if (words.length === 0) return true;
  if (!mayHaveWords(json, words)) return false;
  return json.length > LONGEST_PARSED || hasWords(parseJson(json) as JsonObject, words);
}

/** The members of the body of the response besides `detail`. */
type Explanation = Readonly<Record<string, unknown>>;

/** A {@link ServiceError} that also returns what has happened meanwhile, such as the digest of today. */
export class Refusal extends ServiceError {
  readonly explanation: Explanation;

  constructor(code: ErrorCode, message: string, explanation: Explanation = {}) {
    super(code, message);
    this.explanation = explanation;
  }
}
