/**
 * Submissions by words, on every backend: each word occurs in a value of the record, or in what the row shows besides. All
 * submissions of a queue are read once, and the pages of one search share the result until the queue changes.
 */
import { LRUCache } from 'lru-cache';
import { fold } from '#linkml/folding.ts';
import { type JsonObject, parseJson } from '#linkml/json.ts';
import { type ErrorCode, ServiceError } from '../../../core/errors.ts';
import type { MemoryBounds } from '../../../core/memory-bounds.ts';
import { hasWords, MOST_WORDS, mayHaveWords, queryWords } from '../../../core/records/search.ts';
import { formerTextOfRow, recordOfRow } from '../../../core/storage/read/record-sql.ts';
import { yielder } from '../../../core/yield.ts';
import type { QueueReading } from '../parts.ts';
import type { Condition } from './filter.ts';

export const MEMORY = {
  wordResults: {
    what: 'results of searches of submissions, as ids',
    bytes: 8 * 2 ** 20,
    count: 1,
    of: 'process',
  },
} as const satisfies MemoryBounds;

/** Submissions that are read at a time: each may have 10 MiB. */
const STRIDE = 20;
/** Longer texts are not parsed: there, a word is found in names of slots, too. */
const LONGEST_PARSED = 2 ** 20;
/** Estimates in bytes: an id, and a result besides its key and ids. */
const BYTES = { id: 16, result: 500 };

/** The text of a submission that has left its zone. */
export const LEFT_TEXT = formerTextOfRow('s');

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

/** Results that are kept for further pages: those of all queues. */
export class WordResults {
  readonly #kept: LRUCache<string, readonly number[]>;
  /** Searches in progress: requests for the same result share them. */
  readonly #pending = new Map<string, Promise<readonly number[]>>();

  /** @param limit in bytes; a result that needs more is not kept */
  constructor(limit: number = MEMORY.wordResults.bytes) {
    this.#kept = new LRUCache({
      maxSize: limit,
      sizeCalculation: (ids, name) => BYTES.result + 2 * name.length + ids.length * BYTES.id,
    });
  }

  /** In bytes. */
  get used(): number {
    return this.#kept.calculatedSize;
  }

  /**
   * The condition of rows with all words of a query.
   *
   * @param changes how often the queue has changed
   * @throws ServiceError `parameter_invalid` if there are too many words
   */
  async condition(reading: QueueReading, changes: number, scope: Scope, query: string): Promise<Condition> {
    const words = wordsOf(query);
    const name = JSON.stringify([reading.queue, changes, scope, words]);
    const ids = this.#kept.get(name) ?? (await this.#search(name, reading, scope, words));
    const { dialect } = reading.context.parts.database;
    return (given) => dialect.among('id', Number(given(ids).slice(1)), 'bigint');
  }

  #search(
    name: string,
    reading: QueueReading,
    scope: Scope,
    words: readonly string[],
  ): Promise<readonly number[]> {
    const pending = this.#pending.get(name);
    if (pending) return pending;
    const found = submissionsWith(reading, scope, words)
      .then((ids) => {
        this.#kept.set(name, ids);
        return ids;
      })
      .finally(() => this.#pending.delete(name));
    this.#pending.set(name, found);
    return found;
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
       ${recordOfRow('s', 's.present = 1 AND')}
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
