/**
 * The thread that owns the connection which writes. It commits all transactions that have arrived as a group, answers, and goes
 * on with those that have arrived meanwhile.
 */
import { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import type { Step, Transaction } from '../database.ts';
import { type StepError, sentStepError } from '../write/apply.ts';
import { applyGroup, type Outcome } from '../write/group.ts';
import { writingConnection } from './connection.ts';
import { addPart, type SentStep } from './step-parts.ts';

/** `loading`: commits do not wait for the disk. */
export type WriterData = { readonly file: string; readonly loading: boolean };

/** The steps of a long transaction are sent before its group, in parts: how many they are. */
export type SentTransaction = Transaction | (Pick<Transaction, 'checks'> & { readonly sent: number });

/**
 * To the thread: a part of the next transaction, transactions, or the order to end, when all have been answered. The first part of a
 * transaction takes the place of what was sent of one that failed on its way.
 */
export type WriterRequest =
  | { readonly part: readonly SentStep[]; readonly isFirst: boolean }
  | { readonly group: readonly SentTransaction[] }
  | { readonly end: true };

/** From the thread: that it has opened the file, or could not, and the outcomes of the next transactions, in the order in which they came. */
export type WriterReply =
  | { readonly opened: true }
  | { readonly failed: StepError }
  | { readonly outcomes: readonly Outcome<StepError>[] };

/** The log of the database grows while a reader stays in a snapshot. Behind it, the file is cut to so many bytes. */
const LONGEST_IDLE_LOG = 64 * 2 ** 20;

/**
 * The commit that brings the log to so many pages (32 MiB) writes them into the file, and all wait for it: one of some 360 groups of
 * stores. With the default of 1000 that is one of 45, and pages that many commits change are written more often.
 */
const PAGES_OF_LOG = 8000;

const port = parentPort!;
const { file, loading } = workerData as WriterData;
const database = open();
if (database) serve(database);

function serve(database: DatabaseSync): void {
  const connection = writingConnection(database);
  const arrived: Step[] = [];
  const waiting: Transaction[] = [];
  let isWorking = false;
  port.on('message', (request: WriterRequest) => {
    if ('part' in request) {
      if (request.isFirst) arrived.length = 0;
      return addPart(arrived, request.part);
    }
    if ('group' in request) {
      waiting.push(...request.group.map(whole));
      if (!isWorking) void work();
      return;
    }
    database.close();
    port.close();
  });
  port.postMessage({ opened: true } satisfies WriterReply);

  function whole(transaction: SentTransaction): Transaction {
    if ('steps' in transaction) return transaction;
    return { checks: transaction.checks, steps: arrived.splice(0, transaction.sent) };
  }

  async function work(): Promise<void> {
    isWorking = true;
    while (waiting.length > 0) {
      // All messages that have arrived are read before.
      await new Promise((read) => setImmediate(read));
      const outcomes = await applyGroup(connection, waiting.splice(0));
      port.postMessage({
        outcomes: outcomes.map((one) => ('error' in one ? { error: sentStepError(one.error) } : one)),
      } satisfies WriterReply);
    }
    isWorking = false;
  }
}

function open(): DatabaseSync | undefined {
  try {
    const opened = new DatabaseSync(file, { timeout: 10_000 });
    opened.exec('PRAGMA journal_mode = WAL; PRAGMA temp_store = MEMORY');
    opened.exec(
      `PRAGMA journal_size_limit = ${LONGEST_IDLE_LOG}; PRAGMA wal_autocheckpoint = ${PAGES_OF_LOG}`,
    );
    opened.exec(`PRAGMA synchronous = ${loading ? 'NORMAL' : 'FULL'}`);
    return opened;
  } catch (error) {
    port.postMessage({ failed: sentStepError(error) } satisfies WriterReply);
    return undefined;
  }
}
