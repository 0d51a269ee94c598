/**
 * The thread that owns the connection which writes. It takes groups of transactions, one after the other, commits each
 * group at once, and answers.
 */
import { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import { type StepError, sentStepError } from '../apply.ts';
import type { Step, Transaction } from '../database.ts';
import { applyGroup, type Outcome } from '../group.ts';
import { writingConnection } from './connection.ts';
import { addPart, type SentStep } from './step-parts.ts';

/** `loading`: commits do not wait for the disk. */
export type WriterData = { readonly file: string; readonly loading: boolean };

/** The steps of a long transaction are sent before its group, in parts: how many they are. */
export type SentTransaction = Transaction | (Pick<Transaction, 'checks'> & { readonly sent: number });

/** To the thread: a part of the next group, a group of transactions, or the order to end. There is one group at a time. */
export type WriterRequest =
  | { readonly part: readonly SentStep[] }
  | { readonly group: readonly SentTransaction[] }
  | { readonly end: true };

/** From the thread: that it has opened the file, or could not, and the outcomes of a group. */
export type WriterReply =
  | { readonly opened: true }
  | { readonly failed: StepError }
  | { readonly outcomes: readonly Outcome<StepError>[] };

/** The log of the database grows while a reader stays in a snapshot. Behind it, the file is cut to so many bytes. */
const LONGEST_IDLE_LOG = 64 * 2 ** 20;

const port = parentPort!;
const { file, loading } = workerData as WriterData;
const database = open();
if (database) serve(database);

function serve(database: DatabaseSync): void {
  const connection = writingConnection(database);
  const arrived: Step[] = [];
  port.on('message', (request: WriterRequest) => {
    if ('part' in request) return addPart(arrived, request.part);
    if ('group' in request) return void commit(request.group.map(whole));
    database.close();
    port.close();
  });
  port.postMessage({ opened: true } satisfies WriterReply);

  function whole(transaction: SentTransaction): Transaction {
    if ('steps' in transaction) return transaction;
    return { checks: transaction.checks, steps: arrived.splice(0, transaction.sent) };
  }

  async function commit(group: readonly Transaction[]): Promise<void> {
    const outcomes = await applyGroup(connection, group);
    port.postMessage({
      outcomes: outcomes.map((one) => ('error' in one ? { error: sentStepError(one.error) } : one)),
    } satisfies WriterReply);
  }
}

function open(): DatabaseSync | undefined {
  try {
    const opened = new DatabaseSync(file, { timeout: 10_000 });
    opened.exec('PRAGMA journal_mode = WAL; PRAGMA temp_store = MEMORY');
    opened.exec(`PRAGMA journal_size_limit = ${LONGEST_IDLE_LOG}`);
    opened.exec(`PRAGMA synchronous = ${loading ? 'NORMAL' : 'FULL'}`);
    return opened;
  } catch (error) {
    port.postMessage({ failed: sentStepError(error) } satisfies WriterReply);
    return undefined;
  }
}
