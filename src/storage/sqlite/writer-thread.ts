/**
 * The thread that owns the connection which writes. It takes transactions, commits those that wait together, and answers.
 * When nothing waits, it completes the text index in small steps.
 */
import { DatabaseSync } from 'node:sqlite';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { apply, type Revisions, type SentError, sentError } from '../apply.ts';
import type { Transaction } from '../database.ts';
import { advanceTextIndex, areasToIndex } from '../text-index.ts';
import { writingConnection } from './connection.ts';

/** To the thread: a transaction, or the order to end when all before it are answered. */
export type WriterRequest =
  | { readonly id: number; readonly transaction: Transaction }
  | { readonly end: true };

/** From the thread: that it has opened the file, and answers, several at a time. */
export type WriterReply =
  | { readonly opened: true }
  | { readonly failed: SentError }
  | { readonly answers: readonly WriterAnswer[] };

export type WriterAnswer = { readonly id: number } & (
  | { readonly revisions: Revisions }
  | { readonly error: SentError }
);

/** A group ends with the transaction that brings it to this many steps. */
const STEPS_OF_GROUP = 2000;
/** How long after a change the text index begins to catch up, in milliseconds. */
const REST = 250;

const port = parentPort!;
let queue: Extract<WriterRequest, { id: number }>[] = [];
let isWorking = false;
let isEnding = false;
let indexing: NodeJS.Timeout | undefined;

const database = open();
if (database) {
  const connection = writingConnection(database);
  const toIndex = new Set<number>(await areasToIndex(connection));
  if (toIndex.size > 0) indexLater();
  port.on('message', (request: WriterRequest) => {
    if ('end' in request) isEnding = true;
    else queue.push(request);
    if (!isWorking) void work();
  });
  port.postMessage({ opened: true } satisfies WriterReply);

  async function work(): Promise<void> {
    isWorking = true;
    // What was sent meanwhile joins the group.
    for (await nextTurn(); queue.length > 0; await nextTurn()) {
      const group = takeGroup();
      const answers = await commit(group);
      port.postMessage({ answers } satisfies WriterReply);
      for (const [at, { transaction }] of group.entries()) {
        if (!('revisions' in answers[at]!)) continue;
        for (const step of transaction.steps) if ('area' in step) toIndex.add(step.area.id);
      }
      if (toIndex.size > 0) indexLater();
    }
    isWorking = false;
    if (isEnding) end();
  }

  /** One commit for all; a transaction that is refused takes back its own steps only. */
  async function commit(group: readonly Extract<WriterRequest, { id: number }>[]): Promise<WriterAnswer[]> {
    const answers: WriterAnswer[] = [];
    try {
      database!.exec('BEGIN IMMEDIATE');
      for (const { id, transaction } of group) {
        database!.exec('SAVEPOINT own');
        try {
          const revisions = await apply(connection, transaction);
          database!.exec('RELEASE own');
          answers.push({ id, revisions });
        } catch (error) {
          if (!database!.isTransaction) throw error;
          database!.exec('ROLLBACK TO own');
          database!.exec('RELEASE own');
          answers.push({ id, error: sentError(error) });
        }
      }
      database!.exec('COMMIT');
      return answers;
    } catch (error) {
      if (database!.isTransaction) database!.exec('ROLLBACK');
      return group.map(({ id }) => ({ id, error: sentError(error) }));
    }
  }

  function indexLater(): void {
    indexing ??= setTimeout(() => void index(), REST).unref();
  }

  /** The disk is not waited for: after a power failure, the cursor is behind with the index. */
  async function index(): Promise<void> {
    indexing = undefined;
    while (!isWorking && !isEnding && toIndex.size > 0) {
      isWorking = true;
      const [area] = toIndex as Set<number>;
      try {
        database!.exec('PRAGMA synchronous = NORMAL');
        database!.exec('BEGIN IMMEDIATE');
        if (await advanceTextIndex(connection, area!)) toIndex.delete(area!);
        database!.exec('COMMIT');
      } catch {
        if (database!.isTransaction) database!.exec('ROLLBACK');
        toIndex.delete(area!);
      }
      database!.exec('PRAGMA synchronous = FULL');
      isWorking = false;
      await nextTurn();
      if (queue.length > 0 || isEnding) void work();
    }
    if (toIndex.size > 0 && !isEnding) indexLater();
  }

  function end(): void {
    clearTimeout(indexing);
    database!.close();
    port.close();
  }
}

function takeGroup() {
  let steps = 0;
  const end = queue.findIndex(({ transaction }) => {
    for (const step of transaction.steps) steps += 'changes' in step ? step.changes.length : 1;
    return steps >= STEPS_OF_GROUP;
  });
  const group = end < 0 ? queue : queue.slice(0, end + 1);
  queue = queue.slice(group.length);
  return group;
}

function open(): DatabaseSync | undefined {
  const { file } = workerData as { readonly file: string };
  try {
    const opened = new DatabaseSync(file, { timeout: 10_000 });
    opened.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA temp_store = MEMORY');
    return opened;
  } catch (error) {
    port.postMessage({ failed: sentError(error) } satisfies WriterReply);
    return undefined;
  }
}
