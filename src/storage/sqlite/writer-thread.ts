/**
 * The thread that owns the connection which writes. It takes groups of transactions, one after the other, commits each
 * group at once, and answers.
 */
import { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import { type StepError, sentStepError } from '../apply.ts';
import type { Step, Transaction } from '../database.ts';
import { applyGroup, type Outcome } from '../group.ts';
import type { Change } from '../store.ts';
import { writingConnection } from './connection.ts';

/** `loading`: commits do not wait for the disk. */
export type WriterData = { readonly file: string; readonly loading: boolean };

/** Of a step with many changes, they are sent before its group, in parts: how many they are. */
export type SentStep = Exclude<Step, { changes: unknown }> | (ChangesStep & { readonly sent?: number });
type ChangesStep = Extract<Step, { changes: unknown }>;

export type SentTransaction = Pick<Transaction, 'checks'> & { readonly steps: readonly SentStep[] };

/** To the thread: changes of the next group, a group of transactions, or the order to end. There is one group at a time. */
export type WriterRequest =
  | { readonly changes: readonly Change[] }
  | { readonly group: readonly SentTransaction[] }
  | { readonly end: true };

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
  const changes: Change[] = [];
  port.on('message', (request: WriterRequest) => {
    if ('changes' in request) return void changes.push(...request.changes);
    if ('group' in request) return void commit(request.group.map(whole));
    database.close();
    port.close();
  });
  port.postMessage({ opened: true } satisfies WriterReply);

  function whole({ checks, steps }: SentTransaction): Transaction {
    return {
      checks,
      steps: steps.map((step) =>
        'sent' in step ? { ...step, changes: changes.splice(0, step.sent) } : step,
      ),
    };
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
    opened.exec(`PRAGMA synchronous = ${loading ? 'NORMAL' : 'FULL'}`);
    return opened;
  } catch (error) {
    port.postMessage({ failed: sentStepError(error) } satisfies WriterReply);
    return undefined;
  }
}
