/**
 * The thread that owns the connection which writes. It takes groups of transactions, commits each group at once, and
 * answers. When nothing waits, it completes the text index in small steps.
 */
import { DatabaseSync } from 'node:sqlite';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { type SentError, sentError } from '../apply.ts';
import type { Transaction } from '../database.ts';
import { applyGroup, type Outcome } from '../group.ts';
import { advanceTextIndex, areasToIndex } from '../text-index.ts';
import { writingConnection } from './connection.ts';

/** `loading`: commits do not wait for the disk, and no texts are indexed. */
export type WriterData = { readonly file: string; readonly loading: boolean };

/** To the thread: a group of transactions, or the order to end. There is one group at a time. */
export type WriterRequest = { readonly group: readonly Transaction[] } | { readonly end: true };

/** From the thread: that it has opened the file, or could not, and the outcomes of a group. */
export type WriterReply =
  | { readonly opened: true }
  | { readonly failed: SentError }
  | { readonly outcomes: readonly Outcome<SentError>[] };

/** How long after a change the text index begins to catch up, in milliseconds. */
const REST = 250;

const port = parentPort!;
const { file, loading } = workerData as WriterData;
const database = open();
if (database) await serve(database);

async function serve(database: DatabaseSync): Promise<void> {
  const connection = writingConnection(database);
  const toIndex = new Set<number>(await areasToIndex(connection));
  let indexing: NodeJS.Timeout | undefined;
  /** The next piece of work begins when this one has ended. */
  let working: Promise<void> = Promise.resolve();
  let groupsWaiting = 0;

  port.on('message', (request: WriterRequest) => {
    groupsWaiting += 1;
    working = working.then(async () => {
      groupsWaiting -= 1;
      if ('group' in request) await commit(request.group);
      else end();
    });
  });
  if (toIndex.size > 0) indexLater();
  port.postMessage({ opened: true } satisfies WriterReply);

  async function commit(group: readonly Transaction[]): Promise<void> {
    const outcomes = await applyGroup(connection, group);
    port.postMessage({
      outcomes: outcomes.map((one) => ('error' in one ? { error: sentError(one.error) } : one)),
    } satisfies WriterReply);
    for (const [at, { steps }] of group.entries()) {
      if ('revisions' in outcomes[at]!)
        for (const step of steps) if ('area' in step) toIndex.add(step.area.id);
    }
    if (toIndex.size > 0) indexLater();
  }

  function indexLater(): void {
    if (loading) return;
    indexing ??= setTimeout(() => {
      indexing = undefined;
      void index();
    }, REST).unref();
  }

  async function index(): Promise<void> {
    while (toIndex.size > 0 && groupsWaiting === 0) {
      const [area] = toIndex as Set<number>;
      working = working.then(() => indexStep(area!));
      await working;
      await nextTurn();
    }
    if (toIndex.size > 0) indexLater();
  }

  /** The disk is not waited for: after a power failure, the cursor is behind with the index. */
  async function indexStep(area: number): Promise<void> {
    try {
      database.exec('PRAGMA synchronous = NORMAL; BEGIN IMMEDIATE');
      if (await advanceTextIndex(connection, area)) toIndex.delete(area);
      database.exec('COMMIT');
    } catch {
      if (database.isTransaction) database.exec('ROLLBACK');
      // The next change of the area, or the next start, tries again.
      toIndex.delete(area);
    }
    if (database.isOpen) database.exec('PRAGMA synchronous = FULL');
  }

  function end(): void {
    toIndex.clear();
    clearTimeout(indexing);
    database.close();
    port.close();
  }
}

function open(): DatabaseSync | undefined {
  try {
    const opened = new DatabaseSync(file, { timeout: 10_000 });
    opened.exec('PRAGMA journal_mode = WAL; PRAGMA temp_store = MEMORY');
    opened.exec(`PRAGMA synchronous = ${loading ? 'NORMAL' : 'FULL'}`);
    return opened;
  } catch (error) {
    port.postMessage({ failed: sentError(error) } satisfies WriterReply);
    return undefined;
  }
}
