/** The thread of `file-thread.ts`, from outside. It starts with the first job. */
import { Worker } from 'node:worker_threads';
import type { JOBS, Place } from './file-jobs.ts';
import type { FileReply, FileRequest } from './file-thread.ts';

/** The file that runs in the thread: of the sources, or of the package. */
const ENTRY = new URL(
  import.meta.url.endsWith('.ts') ? './file-thread.ts' : '../modules/peer/mirror/file-thread.js',
  import.meta.url,
);

/** Nothing of a job is kept after its reply, so memory for new objects beyond this would only be filled, in MiB. */
const YOUNG_MIB = 4;

type Jobs = typeof JOBS;
type Waiting = { readonly request: FileRequest; done(result: never): void; failed(error: unknown): void };

/** Sends what waits together. */
class FileWorker {
  #worker: Worker | undefined;
  #waiting: Waiting[] = [];
  #sent: readonly Waiting[] = [];

  /** @throws Error with the `code` of the system */
  run<Job extends keyof Jobs>(
    job: Job,
    place: Place,
    input: Parameters<Jobs[Job]>[1],
  ): Promise<ReturnType<Jobs[Job]>> {
    return new Promise((done, failed) => {
      this.#waiting.push({ request: { job, place, input }, done, failed });
      // Jobs of the same turn are sent with it.
      if (this.#waiting.length === 1 && this.#sent.length === 0) queueMicrotask(() => this.#send());
    });
  }

  #send(): void {
    if (this.#waiting.length === 0) return;
    this.#worker ??= this.#start();
    this.#worker.ref();
    this.#sent = this.#waiting;
    this.#waiting = [];
    this.#worker.postMessage(this.#sent.map(({ request }) => request));
  }

  #start(): Worker {
    const worker = new Worker(ENTRY, { resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MIB } });
    worker.on('message', (replies: readonly FileReply[]) => this.#receive(replies));
    const fail = (error: unknown) => {
      // A thread that fails ends as well, perhaps when the next one has jobs.
      if (this.#worker !== worker) return;
      this.#worker = undefined;
      for (const { failed } of this.#sent) failed(error);
      this.#sent = [];
      this.#send();
    };
    worker.once('error', fail);
    worker.once('exit', () => fail(new Error('The thread that writes files has ended.')));
    return worker;
  }

  #receive(replies: readonly FileReply[]): void {
    const answered = this.#sent;
    this.#sent = [];
    // A thread with nothing to do does not keep the process alive.
    if (this.#waiting.length === 0) this.#worker?.unref();
    this.#send();
    for (const [at, reply] of replies.entries()) {
      const { done, failed } = answered[at]!;
      if ('result' in reply) done(reply.result as never);
      else failed(Object.assign(new Error(reply.failure.message), reply.failure));
    }
  }
}

export type { FileWorker };

/**
 * There is one for all mirrors, also of several services in a process: to start a thread takes as long as to open a database, and an idle
 * one keeps nothing.
 */
export const fileWorker = new FileWorker();
