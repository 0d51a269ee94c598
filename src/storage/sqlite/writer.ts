/** The thread of `writer-thread.ts`, from outside. */
import { Worker } from 'node:worker_threads';
import { ServiceError } from '../../errors.ts';
import { receivedStepError, type StepError } from '../apply.ts';
import type { Transaction } from '../database.ts';
import type { Outcome } from '../group.ts';
import type { Change } from '../store.ts';
import type { SentStep, SentTransaction, WriterData, WriterReply, WriterRequest } from './writer-thread.ts';

/** The file that runs in the thread: of the sources, or of the package. */
const ENTRY = new URL(
  import.meta.url.endsWith('.ts') ? './writer-thread.ts' : '../storage/sqlite/writer-thread.js',
  import.meta.url,
);

/** Changes, and characters of their records, that are copied to the thread at once: others wait meanwhile. */
const CHANGES_OF_PART = 500;
const CHARACTERS_OF_PART = 1_000_000;

/** A group that the thread carries out. */
type Sent = PromiseWithResolvers<readonly Outcome[]>;

/** Sends one group at a time. */
export class Writer {
  readonly #worker: Worker;
  readonly #ended: Promise<void>;
  #sent: Sent | undefined;
  #failure: unknown;
  #isClosing = false;
  readonly #lost: (error: unknown) => void;

  private constructor(worker: Worker, lost: (error: unknown) => void) {
    this.#worker = worker;
    this.#lost = lost;
    this.#ended = new Promise((ended) => worker.once('exit', () => ended()));
  }

  /**
   * @param lost called if the thread ends although it was not closed
   * @throws the failure of opening the file
   */
  static async open(
    file: string,
    loading: boolean,
    lost: (error: unknown) => void = () => {},
  ): Promise<Writer> {
    const worker = new Worker(ENTRY, { workerData: { file, loading } satisfies WriterData });
    const writer = new Writer(worker, lost);
    await new Promise<void>((opened, failed) => {
      worker.on('message', (reply: WriterReply) => {
        if ('opened' in reply) opened();
        else if ('failed' in reply) failed(receivedStepError(reply.failed));
        else writer.#receive(reply.outcomes);
      });
      worker.once('error', (error) => {
        failed(error);
        writer.#fail(error);
      });
      worker.once('exit', () => {
        const ended = new Error('The thread that writes has ended.');
        failed(ended);
        writer.#fail(ended);
      });
    });
    return writer;
  }

  /** @throws ServiceError `storage_unavailable` if the thread has ended */
  async commit(transactions: readonly Transaction[]): Promise<readonly Outcome[]> {
    const group: SentTransaction[] = [];
    for (const transaction of transactions) {
      const isLong = transaction.steps.some(
        (step) => 'changes' in step && step.changes.length > CHANGES_OF_PART,
      );
      group.push(isLong ? await this.#sendChanges(transaction) : transaction);
    }
    if (this.#failure) throw notMade(this.#failure);
    this.#sent = Promise.withResolvers();
    this.#worker.postMessage({ group } satisfies WriterRequest);
    return this.#sent.promise;
  }

  /** Ends the thread, which has nothing to do. */
  async close(): Promise<void> {
    this.#isClosing = true;
    if (!this.#failure) this.#worker.postMessage({ end: true } satisfies WriterRequest);
    await this.#ended;
  }

  /** Sends the changes of a transaction in parts. @returns the rest */
  async #sendChanges({ checks, steps }: Transaction): Promise<SentTransaction> {
    const rest: SentStep[] = [];
    for (const step of steps) {
      if (!('changes' in step)) {
        rest.push(step);
        continue;
      }
      let part: Change[] = [];
      let characters = 0;
      const send = async () => {
        this.#worker.postMessage({ changes: part } satisfies WriterRequest);
        part = [];
        characters = 0;
        await new Promise((turn) => setImmediate(turn));
      };
      for (const change of step.changes) {
        part.push(change);
        characters += 'put' in change ? change.put.json.length : 0;
        if (part.length >= CHANGES_OF_PART || characters >= CHARACTERS_OF_PART) await send();
      }
      await send();
      rest.push({ ...step, changes: [], sent: step.changes.length });
    }
    return { checks, steps: rest };
  }

  #receive(outcomes: readonly Outcome<StepError>[]): void {
    this.#sent?.resolve(
      outcomes.map((one) => ('error' in one ? { error: receivedStepError(one.error) } : one)),
    );
    this.#sent = undefined;
  }

  #fail(error: unknown): void {
    const isFirst = this.#failure === undefined;
    this.#failure ??= error;
    this.#sent?.reject(unknownOutcome(error));
    this.#sent = undefined;
    if (isFirst && !this.#isClosing) this.#lost(error);
  }
}

/** The thread may have committed before it ended. */
function unknownOutcome(cause: unknown): ServiceError {
  const message =
    'The service stops because the thread that writes has ended. It is unknown whether the change was made: ' +
    'read the record before you repeat the request.';
  return new ServiceError('storage_unavailable', message, [], { cause });
}

function notMade(cause: unknown): ServiceError {
  const message = 'The service stops because the thread that writes has ended. The change was not made.';
  return new ServiceError('storage_unavailable', message, [], { cause });
}
