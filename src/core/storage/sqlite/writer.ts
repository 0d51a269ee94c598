/** The thread of `writer-thread.ts`, from outside. */
import { Worker } from 'node:worker_threads';
import { ServiceError } from '../../errors.ts';
import { threadFile } from '../../thread-file.ts';
import type { Transaction } from '../database.ts';
import { type Revisions, receivedStepError, type StepError } from '../write/apply.ts';
import { GroupBounds, type Outcome, type WaitingTransaction } from '../write/group.ts';
import { isLong, partsOf } from './step-parts.ts';
import type { SentTransaction, WriterData, WriterReply, WriterRequest } from './writer-thread.ts';

/** Nothing of a group is kept after its commit, so memory for new objects beyond this would only be filled, in MiB. */
const YOUNG_MIB = 4;

/**
 * Sends transactions while the thread commits others: it never waits for this thread, which may be busy with requests. So that the
 * thread has no more of them than it carries out together, the others wait here.
 */
export class Writer {
  readonly #worker: Worker;
  readonly #ended: Promise<void>;
  /** Those that are not sent. */
  readonly #waiting: WaitingTransaction[] = [];
  /** Those that the thread has, in its order. */
  readonly #sent: WaitingTransaction[] = [];
  readonly #bounds = new GroupBounds();
  #sending: Promise<void> | undefined;
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
    const worker = new Worker(threadFile('core/storage/sqlite/writer-thread'), {
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
  commit(transaction: Transaction): Promise<Revisions> {
    return new Promise((done, failed) => {
      if (this.#failure) return failed(notMade(this.#failure));
      this.#waiting.push({ transaction, done, failed });
      this.#sending ??= this.#send();
    });
  }

  /** Ends the thread, which has nothing to do. */
  async close(): Promise<void> {
    this.#isClosing = true;
    if (!this.#failure) this.#post({ end: true });
    await this.#ended;
  }

  async #send(): Promise<void> {
    // Transactions of requests that are read in the same turn are one message.
    await endOfTurn();
    let group: Leaving[] = [];
    for (let at = this.#bounds.nextIn(this.#waiting); at >= 0; at = this.#bounds.nextIn(this.#waiting)) {
      const waiting = this.#waiting[at]!;
      const { checks, steps } = waiting.transaction;
      let sent: SentTransaction | undefined = waiting.transaction;
      if (isLong(waiting.transaction)) {
        this.#sendGroup(group);
        group = [];
        sent = (await this.#sendParts(waiting)) ? { checks, sent: steps.length } : undefined;
        if (this.#failure) return;
      }
      this.#waiting.splice(at, 1);
      if (!sent) continue;
      this.#bounds.add(waiting.transaction);
      group.push({ waiting, sent });
    }
    this.#sendGroup(group);
    // If all have failed on their way, no reply comes for which the others would wait.
    const goesOn = this.#sent.length === 0 && this.#waiting.length > 0;
    this.#sending = goesOn ? this.#send() : undefined;
  }

  /** Sends transactions together, or one by one if one of them cannot be copied: that one fails alone. */
  #sendGroup(group: readonly Leaving[]): void {
    if (group.length === 0) return;
    try {
      this.#post({ group: group.map(({ sent }) => sent) });
      this.#sent.push(...group.map(({ waiting }) => waiting));
    } catch (error) {
      if (group.length > 1) for (const one of group) this.#sendGroup([one]);
      else {
        const { transaction, failed } = group[0]!.waiting;
        this.#bounds.remove(transaction);
        failed(error);
      }
    }
  }

  /** @returns whether it could be copied; if not, it has failed */
  async #sendParts({ transaction, failed }: WaitingTransaction): Promise<boolean> {
    let isFirst = true;
    for (const part of partsOf(transaction.steps)) {
      try {
        this.#post({ part, isFirst });
      } catch (error) {
        failed(error);
        return false;
      }
      isFirst = false;
      await endOfTurn();
    }
    return true;
  }

  #post(request: WriterRequest): void {
    this.#worker.postMessage(request);
  }

  #receive(outcomes: readonly Outcome<StepError>[]): void {
    const ended = this.#sent.splice(0, outcomes.length);
    for (const { transaction } of ended) this.#bounds.remove(transaction);
    if (this.#waiting.length > 0) this.#sending ??= this.#send();
    for (const [at, outcome] of outcomes.entries())
      if ('error' in outcome) ended[at]!.failed(receivedStepError(outcome.error));
      else ended[at]!.done(outcome.revisions);
  }

  #fail(error: unknown): void {
    const isFirst = this.#failure === undefined;
    this.#failure ??= error;
    for (const { failed } of this.#sent.splice(0)) failed(unknownOutcome(error));
    for (const { failed } of this.#waiting.splice(0)) failed(notMade(error));
    if (isFirst && !this.#isClosing) this.#lost(error);
  }
}

/** A transaction that is on its way, and what is sent of it. */
type Leaving = { readonly waiting: WaitingTransaction; readonly sent: SentTransaction };

function endOfTurn(): Promise<void> {
  return new Promise((ended) => setImmediate(ended));
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
