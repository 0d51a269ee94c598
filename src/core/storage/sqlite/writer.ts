/** The thread of `writer-thread.ts`, from outside. */
import { Worker } from 'node:worker_threads';
import { ServiceError } from '../../errors.ts';
import { receivedStepError, type StepError } from '../apply.ts';
import type { Transaction } from '../database.ts';
import type { Outcome } from '../group.ts';
import { isLong, partsOf } from './step-parts.ts';
import type { SentTransaction, WriterData, WriterReply, WriterRequest } from './writer-thread.ts';

/** The file that runs in the thread: of the sources, or of the package. */
const ENTRY = new URL(
  import.meta.url.endsWith('.ts') ? './writer-thread.ts' : '../core/storage/sqlite/writer-thread.js',
  import.meta.url,
);

/** Nothing of a group is kept after its commit, so memory for new objects beyond this would only be filled, in MiB. */
const YOUNG_MIB = 4;

/** A group that the thread carries out. */
type SentGroup = PromiseWithResolvers<readonly Outcome[]>;

/** Sends one group at a time. */
export class Writer {
  readonly #worker: Worker;
  readonly #ended: Promise<void>;
  #sent: SentGroup | undefined;
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
    const worker = new Worker(ENTRY, {
      workerData: { file, loading } satisfies WriterData,
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MIB },
    });
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
      if (!isLong(transaction)) {
        group.push(transaction);
        continue;
      }
      const { checks, steps } = transaction;
      for (const part of partsOf(steps)) {
        this.#worker.postMessage({ part } satisfies WriterRequest);
        await new Promise((turn) => setImmediate(turn));
      }
      group.push({ checks, sent: steps.length });
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
