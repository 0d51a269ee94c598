/** A thread that answers requests in the order in which they come, from outside. */
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';

/** Threads of one kind: as many as there are processors, within bounds. */
export const MOST_THREADS = Math.min(4, Math.max(2, availableParallelism()));

/** Nothing of a request is kept after its reply, so memory for new objects beyond this would only be filled, in MiB. */
const YOUNG_MIB = 4;

type Asked<Reply> = { done(reply: Reply): void; failed(error: unknown): void };

/**
 * Starts with the first request, and again with the next one if the thread has ended. A thread with nothing to do does not keep the process
 * alive.
 */
export class ServingThread<Request, Reply> {
  readonly #entry: URL;
  readonly #workerData: unknown;
  #worker: Worker | undefined;
  /** What has no reply yet, in order. */
  #asked: Asked<Reply>[] = [];

  /** @param entry the file that runs in the thread: it posts one reply for each message */
  constructor(entry: URL, workerData?: unknown) {
    this.#entry = entry;
    this.#workerData = workerData;
  }

  /** @throws Error if the thread cannot be started, or has ended; what keeps the request from being copied */
  ask(request: Request): Promise<Reply> {
    return new Promise((done, failed) => {
      this.#worker ??= this.#start();
      this.#worker.postMessage(request);
      this.#asked.push({ done, failed });
      this.#worker.ref();
    });
  }

  /** Ends the thread; requests without a reply fail. */
  async close(): Promise<void> {
    await this.#worker?.terminate();
  }

  #start(): Worker {
    const worker = new Worker(this.#entry, {
      workerData: this.#workerData,
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MIB },
    });
    worker.on('message', (reply: Reply) => {
      const asked = this.#asked.shift()!;
      if (this.#asked.length === 0) worker.unref();
      asked.done(reply);
    });
    const fail = (error: unknown) => {
      // A thread that fails ends as well, perhaps when the next one has requests.
      if (this.#worker !== worker) return;
      this.#worker = undefined;
      for (const { failed } of this.#asked.splice(0)) failed(error);
    };
    worker.unref();
    worker.once('error', fail);
    worker.once('exit', () => fail(new Error('The thread has ended.')));
    return worker;
  }
}
