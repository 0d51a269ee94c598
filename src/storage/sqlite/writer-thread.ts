/**
 * The thread that owns the connection which writes. It takes groups of transactions, one after the other, commits each
 * group at once, and answers.
 */
import { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import { type StepError, sentStepError } from '../apply.ts';
import type { Transaction } from '../database.ts';
import { applyGroup, type Outcome } from '../group.ts';
import { writingConnection } from './connection.ts';

/** `loading`: commits do not wait for the disk. */
export type WriterData = { readonly file: string; readonly loading: boolean };

/** To the thread: a group of transactions, or the order to end. There is one group at a time. */
export type WriterRequest = { readonly group: readonly Transaction[] } | { readonly end: true };

/** From the thread: that it has opened the file, or could not, and the outcomes of a group. */
export type WriterReply =
  | { readonly opened: true }
  | { readonly failed: StepError }
  | { readonly outcomes: readonly Outcome<StepError>[] };

const port = parentPort!;
const { file, loading } = workerData as WriterData;
const database = open();
if (database) serve(database);

function serve(database: DatabaseSync): void {
  const connection = writingConnection(database);
  port.on('message', (request: WriterRequest) => {
    if ('group' in request) return void commit(request.group);
    database.close();
    port.close();
  });
  port.postMessage({ opened: true } satisfies WriterReply);

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
    opened.exec(`PRAGMA synchronous = ${loading ? 'NORMAL' : 'FULL'}`);
    return opened;
  } catch (error) {
    port.postMessage({ failed: sentStepError(error) } satisfies WriterReply);
    return undefined;
  }
}
