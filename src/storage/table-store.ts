/** A {@link RecordStore} on a record table: one writer that commits in groups, readers that see what is committed. */
import type { DatabaseSync } from 'node:sqlite';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { ServiceError } from '../errors.ts';
import type { Jobs } from '../jobs/jobs.ts';
import type { Threads } from '../jobs/threads.ts';
import type { Memory } from '../memory/memory.ts';
import type { ClassSet, OrderKey } from './block-order.ts';
import { isBusy, relaxedTransaction, storageFailure, transaction, whenFree } from './database.ts';
import { type AreaPlace, charactersOf, isLong, type Written, writeInThread } from './long-writes.ts';
import { MatchingSearch } from './matching-search.ts';
import type { RecordTable } from './record-table.ts';
import type {
  Actor,
  Change,
  ChangeResult,
  Entry,
  LedgerChange,
  RecordStore,
  Selection,
  StoredRecord,
  StoreFault,
} from './store.ts';
import { changesInWindows, entriesInWindows } from './windows.ts';

/** What else belongs to a change of the table and has to keep step with it. All calls are made in this order. */
export type WriteParticipant = {
  /** Before the transaction: work that would make it long. Never throws: what fails here fails again in `stage`. */
  prepare?(changes: readonly Change[]): Promise<void>;
  /** Inside the transaction, after the change was made in the table. What it throws takes the change back. */
  stage(change: Change, result: ChangeResult): void;
  /** Inside the transaction: the changes staged since the last `keep` or `drop` belong to a write that was turned down. */
  drop(): void;
  /** The same, of a write that is to be kept. */
  keep(): void;
  /** A write was made in a thread: what its companion kept. */
  adopt?(kept: Written['kept']): void;
  /** The transaction is on disk: all that was kept has to be carried out. */
  committed(): void;
  /** The transaction was taken back, with all that was kept. */
  rolledBack(): void;
};

export type TableStoreOptions = {
  /** Whether `matching` is honored. */
  readonly matching: boolean;
  /** Where an index of strings is kept up to date, for `matching` and for scans for words. */
  readonly texts?: Jobs | undefined;
  /** Set if another process writes the database, and keeps that index. */
  readonly follows?: true;
  readonly participant?: WriteParticipant;
  /** Where long writes are made; without it, like short ones. */
  readonly long?: { readonly threads: Threads; readonly place: AreaPlace };
  faults?(): Promise<readonly StoreFault[]>;
  /** Closes the database. */
  readonly closeFile?: () => Promise<void>;
  /** What caches may use. */
  readonly memory?: Memory;
  /** Called before the database is closed. */
  closing?(): Promise<void>;
};

type QueuedWrite = {
  readonly changes: readonly Change[];
  readonly by: Actor;
  readonly ledger: readonly LedgerChange[];
  /** Entries of another area to restore, before the changes. */
  readonly restored?: readonly Entry[];
  readonly done: (results: ChangeResult[]) => void;
  readonly failed: (error: unknown) => void;
};

/** Restored entries keep their actors. */
const RESTORER: Actor = { committer: 'copy', author: 'copy', role: 'service' };

/** How many changes, and characters of records, a transaction takes before requests get a turn; a write is never split. */
const MOST_CHANGES = 1000;
const MOST_CHARACTERS_IN_GROUP = 1_000_000;
/** Records read at a time by `scan`. */
const SCAN_ROWS = 200;

/** The store; it closes the database when it is closed. */
export function tableStore(
  database: DatabaseSync,
  table: RecordTable,
  options: TableStoreOptions,
): RecordStore {
  const { matching, memory, texts, follows } = options;
  const search = texts && new MatchingSearch(database, table, texts, { matching, memory, fills: !follows });
  const queue: QueuedWrite[] = [];
  let draining: Promise<void> | undefined;

  /** Commits everything that is queued, again and again, each time after pending requests had their turn. */
  async function drain(): Promise<void> {
    while (queue.length > 0) {
      await nextTurn();
      const group = queue.splice(0, sizeOfGroup(queue));
      try {
        const [first] = group;
        if (first && options.long && isAlone(first)) {
          await writeLong(first, options.long);
          continue;
        }
        await options.participant?.prepare?.(group.flatMap(({ changes }) => changes));
        await whenFree(() => commitGroup(database, table, group, options.participant));
      } catch (error) {
        options.participant?.rolledBack();
        for (const write of group) write.failed(storageFailure(error, 'Writing'));
      }
      search?.changed();
    }
    draining = undefined;
  }

  async function writeLong(
    write: QueuedWrite,
    { threads, place }: NonNullable<TableStoreOptions['long']>,
  ): Promise<void> {
    const { results, kept } = await writeInThread(threads, place, write);
    options.participant?.adopt?.(kept);
    options.participant?.committed();
    search?.changed();
    write.done(results);
  }

  return {
    get: async (iri) => table.get(iri),
    list: async (selection, range) =>
      search?.concerns(selection) ? search.list(selection, range) : table.list(classesOf(selection), range),
    count: async (selection) =>
      search?.concerns(selection) ? search.count(selection) : table.count(classesOf(selection)),
    rank: async (selection, pid) =>
      search?.concerns(selection) ? search.rank(selection, pid) : table.rank(classesOf(selection), pid),
    rankWithin: async (selection, pid) =>
      search?.concerns(selection) ? undefined : table.rankWithin(classesOf(selection), pid),
    present: async (iris, selection) => {
      if (selection && search?.concerns(selection)) return search.among(selection, iris);
      const keys = table.keys(iris);
      const { classes } = selection ?? {};
      return classes ? keys.filter((key) => classes.includes(key.className)) : keys;
    },
    having: async (iris) => table.having(iris),
    write: (changes, by, ledger = []) =>
      new Promise((done, failed) => {
        queue.push({ changes, by, ledger, done, failed });
        draining ??= drain();
      }),
    restore: (restored, rows = []) =>
      new Promise((resolve, failed) => {
        const ledger = rows.map((set) => ({ set }));
        queue.push({ changes: [], by: RESTORER, ledger, restored, done: () => resolve(), failed });
        draining ??= drain();
      }),
    revision: async () => table.revision(),
    changesSince: (revision, limit) => changesInWindows(table, revision, limit),
    async *scan(selection) {
      if (search?.concerns(selection)) yield* search.scan(selection);
      else yield* (await search?.having(selection)) ?? scanTable(table, selection);
    },
    entries: (query) => entriesInWindows(table, query),
    prune: (before, upTo) => whenFree(() => transaction(database, () => table.prune(before, upTo))),
    ledger: {
      get: async (kind, id) => table.ledger.get(kind, id),
      list: async (query) => table.ledger.list(query),
      count: async (selected) => table.ledger.count(selected),
      all: async (after, limit) => table.ledger.all(after, limit),
    },
    links: {
      from: async (iri) => table.links.from(iri),
      to: async (iri, range) => table.links.to(iri, range),
      countTo: async (iri) => table.links.countTo(iri),
      dangling: async (after) => table.links.dangling(after),
      position: async () => table.links.position(),
      // After a power failure, links may be missing, and the position with them.
      fill: (records, position) =>
        whenFree(() => relaxedTransaction(database, () => table.fillLinks(records, position))),
    },
    faults: async () => (await options.faults?.()) ?? [],
    close: async () => {
      await draining;
      await search?.stop();
      await options.closing?.();
      if (options.closeFile) await options.closeFile();
      else database.close();
    },
  };
}

/** Whether a write is a transaction of its own, in a thread. */
function isAlone(write: QueuedWrite): boolean {
  return write.restored === undefined && isLong(write);
}

/** How many of the queued writes make up the next transaction. */
function sizeOfGroup(queue: readonly QueuedWrite[]): number {
  let changes = 0;
  let characters = 0;
  const end = queue.findIndex((write, index) => {
    const full =
      changes >= MOST_CHANGES || characters >= MOST_CHARACTERS_IN_GROUP || (index > 0 && isAlone(write));
    changes += isAlone(write) ? MOST_CHANGES : write.changes.length + (write.restored?.length ?? 0);
    characters += charactersOf(write.changes);
    return full;
  });
  return end < 0 ? queue.length : end;
}

/** The classes of a selection, each once. */
function classesOf({ classes }: Selection): ClassSet {
  return classes && [...new Set(classes)];
}

/** One transaction for the whole group, in which each write succeeds or fails separately. */
function commitGroup(
  database: DatabaseSync,
  table: RecordTable,
  group: readonly QueuedWrite[],
  participant: WriteParticipant | undefined,
): void {
  const answers: (() => void)[] = [];
  try {
    transaction(database, () => {
      for (const write of group) answers.push(applyWrite(database, table, write, participant));
    });
  } catch (error) {
    // Another process has the lock: nothing has happened yet, and the caller tries again.
    if (isBusy(error) && answers.length === 0) throw error;
    table.forget();
    participant?.rolledBack();
    for (const write of group) write.failed(storageFailure(error, 'Writing'));
    return;
  }
  participant?.committed();
  for (const answer of answers) answer();
}

/** Applies all changes of a write or none of them, and returns what to answer its caller after the commit. */
function applyWrite(
  database: DatabaseSync,
  table: RecordTable,
  write: QueuedWrite,
  participant: WriteParticipant | undefined,
): () => void {
  const results: ChangeResult[] = [];
  database.exec('SAVEPOINT write_of_group');
  try {
    for (const entry of write.restored ?? []) {
      const restored = table.restore(entry);
      if (!restored) continue;
      results.push(restored.result);
      participant?.stage(restored.change, restored.result);
    }
    for (const change of write.changes) {
      const result = table.apply(change, write.by);
      results.push(result);
      participant?.stage(change, result);
    }
    table.links.advance(write.changes, results);
    for (const change of write.ledger) table.ledger.apply(change);
    database.exec('RELEASE write_of_group');
    participant?.keep();
    return () => write.done(results);
  } catch (error) {
    if (!database.isTransaction) throw error;
    database.exec('ROLLBACK TO write_of_group; RELEASE write_of_group');
    if (results.length > 0 || !(error instanceof ServiceError)) table.forget();
    participant?.drop();
    return () => write.failed(storageFailure(error, 'Writing'));
  }
}

async function* scanTable(table: RecordTable, selection: Selection): AsyncGenerator<StoredRecord> {
  const classes = classesOf(selection);
  let place: OrderKey | undefined;
  for (;;) {
    const records = table.after(classes, place, SCAN_ROWS);
    yield* records;
    if (records.length < SCAN_ROWS) return;
    place = records[records.length - 1];
    await nextTurn();
  }
}
