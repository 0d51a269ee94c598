/**
 * A pool of threads for work that would keep all other requests waiting: parsing and checking long bodies, and what is made of
 * long records.
 */
import { Piscina } from 'piscina';
import * as functions from '../../threads.ts';
import { KEEP, TIMEOUT } from '../durations.ts';
import { receivedError, ServiceError } from '../errors.ts';
import { threadFile } from '../thread-file.ts';
import { Admission } from './admission.ts';
import { MOST_THREADS } from './serving-threads.ts';
import type { LocalTask } from './task.ts';

/** Longer bodies and records are handled in the pool, in bytes or characters: shorter ones take some milliseconds. */
export const LONG_BODY = 128 * 1024;

/** V8 lets a thread with more memory grow to four times what is in use before it collects garbage, in MiB. */
const OLD_MIB = 2000;
/** A long body keeps nearly all that is made of it, so more memory for new objects would only hold copies, in MiB. */
const YOUNG_MIB = 4;

/** A function that runs in threads. Arguments and results are copied, except for the memory that is moved. */
// biome-ignore lint/suspicious/noExplicitAny: functions of any argument
export type Task<Input = any, Result = unknown> = (input: Input) => Promise<Result>;

export type PoolOptions = {
  /** The exported functions of a file. */
  readonly tasks?: { readonly entry: URL; readonly functions: Readonly<Record<string, Task>> };
  readonly threads?: number;
  /** How long a task may wait, and how long it may run, in milliseconds. */
  readonly limit?: number;
};

export class Pool {
  #threads: Piscina;
  /** By task, the name under which the file exports it. */
  readonly #names: ReadonlyMap<Task, string>;
  readonly #limit: number;
  /** The limit of the library does not count tasks that can be ended, and its queue is served in the order of arrival. */
  readonly #turns: Admission;
  #isClosed = false;
  #started = 0;

  constructor({
    tasks = { entry: threadFile('threads'), functions },
    threads = MOST_THREADS,
    limit = TIMEOUT.task,
  }: PoolOptions = {}) {
    this.#names = new Map(Object.entries(tasks.functions).map(([name, task]) => [task, name]));
    const start = () => {
      const started = new Piscina({
        filename: tasks.entry.href,
        minThreads: 0,
        maxThreads: threads,
        idleTimeout: KEEP.idleThread,
        resourceLimits: { maxOldGenerationSizeMb: OLD_MIB, maxYoungGenerationSizeMb: YOUNG_MIB },
      });
      // A thread could not start: all that waits for one fails, and what comes later tries again.
      started.on('error', () => {
        if (!this.#isClosed && this.#threads === started) this.#threads = start();
        void started.destroy();
      });
      return started;
    };
    this.#threads = start();
    // As many as there are requests in progress.
    this.#turns = new Admission(threads, limit, Infinity);
    this.#limit = limit;
  }

  /** How many tasks were started. */
  get started(): number {
    return this.#started;
  }

  /**
   * Calls a function of `threads.ts` in a thread.
   *
   * @param input which a {@link LocalTask} packs for threads itself
   * @param moved memory of the input that is moved instead of copied; it is empty afterwards
   * @param limit how long the task may run, in milliseconds
   * @throws ServiceError `busy` if it waits too long for a thread, `task_timeout`, `stopping`, and what the function throws
   */
  run<Input, Result>(
    task: LocalTask<Input, Result>,
    input: Input,
    moved?: readonly ArrayBuffer[],
    limit?: number,
  ): Promise<Awaited<Result>>;
  run<Input, Result>(
    task: Task<Input, Result>,
    input: Input,
    moved?: readonly ArrayBuffer[],
    limit?: number,
  ): Promise<Result>;
  async run<Result>(
    task: Task<unknown, Result> & { readonly packed?: (input: unknown) => unknown },
    input: unknown,
    moved: readonly ArrayBuffer[] = [],
    limit = this.#limit,
  ): Promise<Result> {
    const name = this.#names.get(task);
    if (name === undefined) throw new Error('The threads of the pool do not have this function.');
    if (this.#isClosed) throw stopping();
    this.#started += 1;
    const leave = await this.#turns.turn();
    const signal = AbortSignal.timeout(limit);
    const threads = this.#threads;
    try {
      if (this.#isClosed) throw stopping();
      return await threads.run(task.packed?.(input) ?? input, {
        name,
        signal,
        transferList: [...moved],
      });
    } catch (error) {
      if (this.#isClosed) throw stopping();
      if (signal.aborted) throw tooLong(limit);
      if (threads !== this.#threads) throw notStarted();
      throw receivedError(error);
    } finally {
      leave();
    }
  }

  /** Ends all threads. Tasks that run or wait fail. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#threads.destroy();
  }
}

/**
 * Does a task here, or in a thread of a pool if its input is long.
 *
 * @param pool without one, all is done here: for tests
 * @param length of the input, in bytes or characters
 */
export function runIfLong<Input, Result>(
  pool: Pool | undefined,
  task: LocalTask<Input, Result>,
  input: Input,
  length: number,
): Result | Promise<Awaited<Result>> {
  return pool && length >= LONG_BODY ? pool.run(task, input) : task.here(input);
}

function tooLong(limit: number): ServiceError {
  return new ServiceError(
    'task_timeout',
    `The request was ended after ${limit / 1000} seconds of work in a thread. Send less in one request.`,
  );
}

function notStarted(): ServiceError {
  return new ServiceError('busy', 'No thread could be started for the request. Try again later.');
}

function stopping(): ServiceError {
  return new ServiceError('stopping', 'The service is stopping. Try again later.');
}
