/** Lists, counts and pages of what a `matching` pattern selects; the pages of one search share its result. */
import type { DatabaseSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import type { JobContext, JobHandle, Jobs } from '../jobs/jobs.ts';
import type { Threads } from '../jobs/threads.ts';
import { compareCodePoints } from '../json.ts';
import { type Cache, Memory } from '../memory/memory.ts';
import { isBusy } from './database.ts';
import { compileLikePattern } from './matching.ts';
import type { RecordTable } from './record-table.ts';
import type { ListedRecord, Range, RecordKey, Selection, StoredRecord } from './store.ts';
import { TextIndex } from './text-index.ts';

/**
 * How long after a change the text index starts to catch up, how long one step of it takes, and the pause between two
 * steps, in milliseconds. Further changes don't put it off: searches would get slower with each of them.
 */
const REST = 250;
const CATCH_UP_MS = 8;
const PAUSE = 2;

type Result = {
  readonly revision: number;
  readonly ids: Promise<number[]>;
  /** How many ids it holds, once that is known. */
  readonly size?: number;
};

/** A search that is in progress counts when it has ended. */
const bytesOf = ({ size = 0 }: Result, key: string) => 2 * key.length + BYTES_OF_ID * size;
const BYTES_OF_ID = 8;

type MatchingSelection = Selection & { readonly matching: string };

export class MatchingSearch {
  readonly #table: RecordTable;
  readonly #index: TextIndex;
  readonly #threads: Threads;
  /** Kept for the next page, as long as nothing changes. */
  readonly #results: Cache<Result>;
  readonly #prefix: string;
  readonly #job: JobHandle;

  constructor(database: DatabaseSync, table: RecordTable, jobs: Jobs, memory = new Memory()) {
    this.#table = table;
    this.#threads = jobs.threads;
    this.#index = new TextIndex(database, memory, true);
    this.#results = memory.cache('searches', bytesOf);
    this.#prefix = memory.prefix();
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
    return selection.matching !== undefined && !compileLikePattern(selection.matching).everything;
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

  /** To be called after each commit: the index catches up soon. */
  changed(): void {
    this.#job.wake();
  }

  stop(): Promise<void> {
    return this.#job.stop();
  }

  /** If it fails, because the disk is full, the index is late; searches are right without it. */
  async #catchUp(context: JobContext): Promise<void> {
    while (!context.stopping && !this.#index.complete) {
      try {
        if (this.#index.advance(CATCH_UP_MS)) return;
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
    const matchLong = (json: string) =>
      this.#threads.result<boolean>('match record', { pattern: matching, json });
    const ids = this.#index.search(pattern, classes, matchLong);
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
