/**
 * Lists, counts and pages of what a `matching` pattern selects, and scans for words. The pages of one search share its
 * result.
 */
import type { DatabaseSync } from 'node:sqlite';
import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';
import type { JobContext, JobHandle, Jobs } from '../jobs/jobs.ts';
import type { Threads } from '../jobs/threads.ts';
import { compareCodePoints } from '../json.ts';
import { type Cache, Memory } from '../memory/memory.ts';
import type { OrderKey } from './block-order.ts';
import { isBusy } from './database.ts';
import { removeFormerIndex } from './former-text-index.ts';
import { compileLikePattern } from './matching.ts';
import type { RecordTable } from './record-table.ts';
import {
  compareKeys,
  type ListedRecord,
  type Range,
  type RecordKey,
  type ScanSelection,
  type Selection,
  type StoredRecord,
} from './store.ts';
import { TextIndex } from './text-index.ts';

/**
 * How long after a change the text index starts to catch up, how long one step of it takes, and the pause between two
 * steps, in milliseconds. Further changes don't put it off: searches would get slower with each of them.
 */
const REST = 250;
const CATCH_UP_MS = 8;
const PAUSE = 2;
/** An area with fewer changes needs no index if only words are searched for: its records are read in some milliseconds. */
const FEWEST_CHANGES_FOR_WORDS = 1000;
/** Fewer candidates than this are sorted; more are met in a walk through the order. */
const MOST_SORTED = 5000;
/** Steps of a walk through the order, and candidates that are read at a time. */
const WALKED_AT_ONCE = 5000;
const READ_AT_ONCE = 100;

type Result = {
  readonly revision: number;
  readonly ids: Promise<number[]>;
  /** How many ids it holds, once that is known. */
  readonly size?: number;
};

/** A search that is in progress counts when it has ended. */
const bytesOf = ({ size = 0 }: Result, key: string) => 2 * key.length + BYTES_OF_ID * size;
const BYTES_OF_ID = 8;

/** What a store lets searches do besides words. */
export type SearchOptions = {
  readonly memory?: Memory | undefined;
  readonly matching?: boolean;
  /** Whether this process keeps the index; if not, records that it lacks are read. Default true. */
  readonly fills?: boolean;
};

type MatchingSelection = Selection & { readonly matching: string };

export class MatchingSearch {
  readonly #database: DatabaseSync;
  readonly #table: RecordTable;
  readonly #matching: boolean;
  readonly #index: TextIndex;
  readonly #threads: Threads;
  /** Kept for the next page, as long as nothing changes. */
  readonly #results: Cache<Result>;
  readonly #prefix: string;
  /** Undefined if another process fills the index. */
  readonly #job: JobHandle | undefined;

  constructor(
    database: DatabaseSync,
    table: RecordTable,
    jobs: Jobs,
    { memory = new Memory(), matching = true, fills = true }: SearchOptions = {},
  ) {
    this.#database = database;
    this.#table = table;
    this.#matching = matching;
    this.#threads = jobs.threads;
    this.#index = new TextIndex(database, memory, true);
    this.#results = memory.cache('searches', bytesOf);
    this.#prefix = memory.prefix();
    if (!fills) return;
    this.#job = jobs.add({
      name: 'text index',
      delay: REST,
      retry: 20 * REST,
      run: (context) => this.#catchUp(context),
    });
    this.#job.wake();
  }

  /** Whether the selection has a pattern that leaves anything out. */
  concerns(selection: Selection): selection is MatchingSelection {
    return (
      this.#matching && selection.matching !== undefined && !compileLikePattern(selection.matching).everything
    );
  }

  async list(selection: MatchingSelection, range: Range): Promise<ListedRecord[]> {
    const ids = await this.#search(selection);
    return ids
      .slice(range.offset, range.offset + range.limit)
      .flatMap((id) => this.#table.listedById(id) ?? []);
  }

  async count(selection: MatchingSelection): Promise<number> {
    return (await this.#search(selection)).length;
  }

  async rank(selection: MatchingSelection, pid: string): Promise<number> {
    const ids = await this.#search(selection);
    let low = 0;
    let high = ids.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      const record = this.#table.getById(ids[middle]!);
      if (record && compareCodePoints(record.pid, pid) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Of these IRIs, the records that match: by a look at the matches or, if those are many, at each record. */
  async among(selection: MatchingSelection, iris: readonly string[]): Promise<RecordKey[]> {
    const ids = await this.#search(selection);
    if (ids.length < iris.length) {
      const wanted = new Set(iris);
      return ids.flatMap((id) => this.#table.keyById(id) ?? []).filter(({ iri }) => wanted.has(iri));
    }
    const { classes } = selection;
    const pattern = compileLikePattern(selection.matching);
    return iris
      .flatMap((iri) => this.#table.get(iri) ?? [])
      .filter(({ className, json }) => (classes?.includes(className) ?? true) && pattern.matchesRecord(json));
  }

  async *scan(selection: MatchingSelection): AsyncGenerator<StoredRecord> {
    for (const id of await this.#search(selection)) {
      const record = this.#table.getById(id);
      if (record) yield record;
    }
  }

  /**
   * Records of the classes, in order, among which are all that have each of these folded strings in a value; undefined if
   * those are best found by reading all records.
   */
  async having({ classes, words }: ScanSelection): Promise<AsyncGenerator<StoredRecord> | undefined> {
    if (!words || words.length === 0) return undefined;
    // What other programs change does not wake the job.
    if (this.#index.missing > 0) this.#job?.wake();
    const ids = await this.#index.having(words);
    return ids && (ids.size <= MOST_SORTED ? this.#sorted(ids, classes) : this.#walked(ids, classes));
  }

  async *#sorted(ids: ReadonlySet<number>, classes: Selection['classes']): AsyncGenerator<StoredRecord> {
    const keys = this.#table.keysById([...ids]);
    const found = classes ? keys.filter(({ className }) => classes.includes(className)) : keys;
    found.sort(compareKeys);
    for (let from = 0; from < found.length; from += READ_AT_ONCE) {
      if (from > 0) await nextTurn();
      yield* this.#table.recordsById(found.slice(from, from + READ_AT_ONCE).map(({ id }) => id));
    }
  }

  async *#walked(ids: ReadonlySet<number>, classes: Selection['classes']): AsyncGenerator<StoredRecord> {
    const set = classes && [...new Set(classes)];
    for (let place: OrderKey | undefined; ; await nextTurn()) {
      const keys = this.#table.keysAfter(set, place, WALKED_AT_ONCE);
      const found = keys.filter(({ id }) => ids.has(id)).map(({ id }) => id);
      for (let from = 0; from < found.length; from += READ_AT_ONCE) {
        yield* this.#table.recordsById(found.slice(from, from + READ_AT_ONCE));
      }
      if (keys.length < WALKED_AT_ONCE) return;
      place = keys.at(-1);
    }
  }

  /** To be called after each commit: the index catches up soon. */
  changed(): void {
    this.#job?.wake();
  }

  async stop(): Promise<void> {
    await this.#job?.stop();
  }

  /** If it fails, because the disk is full, the index is late; searches are right without it. */
  async #catchUp(context: JobContext): Promise<void> {
    if (!this.#matching && this.#index.missing < FEWEST_CHANGES_FOR_WORDS) return;
    while (!context.stopping) {
      try {
        const complete = this.#index.complete || this.#index.advance(CATCH_UP_MS);
        if (complete && removeFormerIndex(this.#database)) return;
        const { toSign } = this.#index;
        if (toSign !== undefined)
          this.#index.sign(await this.#threads.result<Uint8Array>('sign text', toSign));
        await delay(PAUSE);
      } catch (error) {
        if (!isBusy(error)) throw error;
        await delay(REST);
      }
    }
  }

  #search({ matching, classes }: MatchingSelection): Promise<number[]> {
    const pattern = compileLikePattern(matching);
    if (!pattern.matchable) return Promise.resolve([]);
    const key = this.#prefix + JSON.stringify([matching, classes && [...new Set(classes)]]);
    const revision = this.#table.revision();
    const known = this.#results.get(key);
    if (known?.revision === revision) return known.ids;
    const file = this.#database.location();
    // The thread reads it itself: here, reading and sending some megabytes would keep other requests waiting.
    const matchLong = (id: number) =>
      this.#threads.result<boolean>('match record', { pattern: matching, file, id });
    const ids = this.#index.search(pattern, classes, file === null ? undefined : matchLong);
    const result = { revision, ids };
    this.#results.set(key, result);
    ids.then(
      ({ length: size }) => {
        if (this.#results.peek(key) === result) this.#results.set(key, { ...result, size });
      },
      () => this.#results.delete(key),
    );
    return ids;
  }
}
