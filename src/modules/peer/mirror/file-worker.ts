/** The thread of `file-thread.ts`, from outside. */
import { threadFile } from '../../../core/thread-file.ts';
import { ServingThread } from '../../../core/work/serving-threads.ts';
import type { JOBS, Place } from './file-jobs.ts';
import type { FileReply, FileRequest } from './file-thread.ts';

type Jobs = typeof JOBS;
type Waiting = { readonly request: FileRequest; done(result: never): void; failed(error: unknown): void };

/** Sends what waits together. */
class FileWorker {
  readonly #thread = new ServingThread<readonly FileRequest[], readonly FileReply[]>(
    threadFile('modules/peer/mirror/file-thread'),
  );
  #waiting: Waiting[] = [];
  #isAsking = false;

  /** @throws Error with the `code` of the system */
  run<Job extends keyof Jobs>(
    job: Job,
    place: Place,
    input: Parameters<Jobs[Job]>[1],
  ): Promise<ReturnType<Jobs[Job]>> {
    return new Promise((done, failed) => {
      this.#waiting.push({ request: { job, place, input }, done, failed });
      // Jobs of the same turn are sent with it.
      if (this.#waiting.length === 1 && !this.#isAsking) queueMicrotask(() => this.#send());
    });
  }

  #send(): void {
    const sent = this.#waiting;
    this.#isAsking = sent.length > 0;
    if (!this.#isAsking) return;
    this.#waiting = [];
    this.#thread.ask(sent.map(({ request }) => request)).then(
      (replies) => {
        this.#send();
        for (const [at, reply] of replies.entries()) {
          const { done, failed } = sent[at]!;
          if ('result' in reply) done(reply.result as never);
          else failed(Object.assign(new Error(reply.failure.message), reply.failure));
        }
      },
      (error) => {
        this.#send();
        for (const { failed } of sent) failed(error);
      },
    );
  }
}

export type { FileWorker };

/**
 * There is one for all mirrors, also of several services in a process: to start a thread takes as long as to open a database, and an idle
 * one keeps nothing.
 */
export const fileWorker = new FileWorker();
