/** The thread of `writer-thread.ts`, from outside. */
import { Worker } from 'node:worker_threads';
import { ServiceError } from '../../errors.ts';
import { type Revisions, receivedError } from '../apply.ts';
import type { Transaction } from '../database.ts';
import type { WriterReply, WriterRequest } from './writer-thread.ts';

/** The file that runs in the thread: of the sources, or of the package. */
const ENTRY = new URL(
  import.meta.url.endsWith('.ts') ? './writer-thread.ts' : '../storage/sqlite/writer-thread.js',
  import.meta.url,
);

type Waiting = { readonly done: (revisions: Revisions) => void; readonly failed: (error: unknown) => void };

export class Writer {
  readonly #worker: Worker;
  readonly #waiting = new Map<number, Waiting>();
  readonly #ended: Promise<void>;
  #last = 0;
  #failure: unknown;

  private constructor(worker: Worker) {
    this.#worker = worker;
    this.#ended = new Promise((ended) => worker.once('exit', () => ended()));
  }

  /** @throws the failure of opening the file */
  static async open(file: string): Promise<Writer> {
    const worker = new Worker(ENTRY, { workerData: { file } });
    const writer = new Writer(worker);
    await new Promise<void>((opened, failed) => {
      worker.on('message', (reply: WriterReply) => {
        if ('opened' in reply) opened();
        else if ('failed' in reply) failed(receivedError(reply.failed));
        else writer.#receive(reply.answers);
      });
      worker.once('error', (error) => {
        failed(error);
        writer.#fail(error);
      });
      worker.once('exit', () => writer.#fail(new Error('The thread that writes has ended.')));
    });
    return writer;
  }

  commit(transaction: Transaction): Promise<Revisions> {
    return new Promise((done, failed) => {
      if (this.#failure) return failed(unknownOutcome(this.#failure));
      const id = ++this.#last;
      this.#waiting.set(id, { done, failed });
      this.#worker.postMessage({ id, transaction } satisfies WriterRequest);
    });
  }

  /** Waits for all transactions so far. */
  async close(): Promise<void> {
    if (!this.#failure) this.#worker.postMessage({ end: true } satisfies WriterRequest);
    await this.#ended;
  }

  #receive(answers: Extract<WriterReply, { answers: unknown }>['answers']): void {
    for (const answer of answers) {
      const waiting = this.#waiting.get(answer.id);
      this.#waiting.delete(answer.id);
      if ('revisions' in answer) waiting?.done(answer.revisions);
      else waiting?.failed(receivedError(answer.error));
    }
  }

  #fail(error: unknown): void {
    this.#failure ??= error;
    for (const { failed } of this.#waiting.values()) failed(unknownOutcome(error));
    this.#waiting.clear();
  }
}

/** The thread may have committed before it ended. */
function unknownOutcome(cause: unknown): ServiceError {
  const message =
    'The thread that writes has ended. It is unknown whether the change was made. Restart the service.';
  return new ServiceError('storage_unavailable', message, [], { cause });
}
