/**
 * Work in threads: parsing and checking large bodies, large transactions, YAML of large records. In the thread of the
 * service each of them would keep all other requests waiting.
 *
 * A task is a conversation: it yields results, and receives what it is sent in return, so that neither side has to handle
 * everything at once. Tasks are named, since functions cannot be sent to a thread; `tasks/worker.ts` has the table.
 */
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { ServiceError } from '../errors.ts';

/** The most threads; further tasks wait for one. */
const MOST_THREADS = Math.min(4, Math.max(2, availableParallelism()));
/** A thread that has had nothing to do for this long ends, and returns its memory, in milliseconds. */
const IDLE_MS = 5_000;

/**
 * Memory for new objects. A long body leaves nearly all that is made of it alive until the end, so more would only hold
 * copies: 2 million strings take 180 MiB instead of 250, in the same processor time.
 */
const YOUNG_MIB = 4;

/**
 * Memory for all other objects: more than a long body needs, and less than 2 GiB. From there on, V8 lets the memory of a
 * thread grow to four times what is in use before it collects garbage: 60,000 inlined objects take 80 MiB instead of 140.
 */
const OLD_MIB = 2000;

/** The file that runs in threads: of the sources, or of the package. */
const ENTRY = new URL(
  import.meta.url.endsWith('.ts') ? '../tasks/worker.ts' : '../tasks/worker.js',
  import.meta.url,
);

/** What the service sends to a thread: the start of a task, the next message, or that it is not interested any more. */
export type Request =
  | { readonly task: string; readonly input: unknown }
  | { readonly next: unknown }
  | { readonly end: true };

/** What a thread answers. */
export type Reply =
  | { readonly done: boolean; readonly value: unknown }
  | { readonly error: Pick<ServiceError, 'code' | 'message' | 'problems' | 'cause'> }
  | { readonly failure: unknown };

/** The results of a task, one after the other; what is passed to `next` is sent to it. */
export type Conversation = AsyncGenerator<unknown, unknown, unknown>;

/** Values that are moved to the thread instead of copied. */
export type Moved = readonly ArrayBuffer[];

/**
 * After a task with a larger input, the thread ends at once, in bytes: otherwise what it has used would be kept while the
 * next thread uses as much for the same request.
 */
const LARGE = 2 ** 20;

function sizeOf(input: unknown, moved: Moved): number {
  if (typeof input === 'string') return input.length;
  return moved.reduce((sum, { byteLength }) => sum + byteLength, 0);
}

export class Threads {
  readonly #entry: URL;
  readonly #most: number;
  readonly #all = new Set<Thread>();
  readonly #idle: Thread[] = [];
  readonly #waiting: ((thread: Thread) => void)[] = [];
  #started = 0;

  constructor(entry: URL = ENTRY, most = MOST_THREADS) {
    this.#entry = entry;
    this.#most = most;
  }

  /** How many tasks were started, and how many are waiting for a thread. */
  get counts(): { readonly started: number; readonly waiting: number } {
    return { started: this.#started, waiting: this.#waiting.length };
  }

  /** Starts a task, and yields its results until it returns. What it throws is thrown here. */
  async *run(task: string, input: unknown, moved: Moved = []): Conversation {
    this.#started += 1;
    // What is moved has no size any more afterwards.
    const isLarge = sizeOf(input, moved) > LARGE;
    const thread = await this.#take();
    let ended = false;
    try {
      let reply = await thread.ask({ task, input }, moved);
      for (;;) {
        if (reply.done) {
          ended = true;
          return reply.value;
        }
        reply = await thread.ask({ next: yield reply.value });
      }
    } catch (error) {
      ended = true;
      throw error;
    } finally {
      if (!ended) await thread.ask({ end: true }).catch(() => {});
      if (isLarge) void thread.end();
      this.#release(thread);
    }
  }

  /** The result of a task that has only one. */
  async result<T>(task: string, input: unknown, moved: Moved = []): Promise<T> {
    const conversation = this.run(task, input, moved);
    try {
      const { value } = await conversation.next();
      return value as T;
    } finally {
      // Otherwise the thread would be kept for the rest of the conversation.
      await conversation.return(undefined);
    }
  }

  /** Ends all threads. Tasks in progress fail. */
  async close(): Promise<void> {
    await Promise.all([...this.#all].map((thread) => thread.end()));
    this.#all.clear();
    this.#idle.length = 0;
  }

  async #take(): Promise<Thread> {
    const idle = this.#idle.pop();
    if (idle) return idle.begin();
    if (this.#all.size >= this.#most) return new Promise((found) => this.#waiting.push(found));
    const thread = new Thread(this.#entry, () => this.#forget(thread));
    this.#all.add(thread);
    return thread;
  }

  #release(thread: Thread): void {
    const waiting = this.#waiting.shift();
    if (thread.hasEnded) {
      this.#forget(thread);
      if (waiting) void this.#take().then(waiting);
    } else if (waiting) waiting(thread);
    else {
      this.#idle.push(thread);
      thread.rest(IDLE_MS);
    }
  }

  #forget(thread: Thread): void {
    this.#all.delete(thread);
    const at = this.#idle.indexOf(thread);
    if (at >= 0) this.#idle.splice(at, 1);
  }
}

/** One thread. It has one task at a time, and one request of it. */
class Thread {
  readonly #worker: Worker;
  readonly #ended: () => void;
  #answer: { found(reply: Reply): void; failed(error: Error): void } | undefined;
  #timer: NodeJS.Timeout | undefined;
  hasEnded = false;

  constructor(entry: URL, ended: () => void) {
    this.#worker = new Worker(entry, {
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MIB, maxOldGenerationSizeMb: OLD_MIB },
    });
    this.#ended = ended;
    this.#worker.on('message', (reply: Reply) => this.#answer?.found(reply));
    this.#worker.on('error', (error) => this.#stopped(error as Error));
    this.#worker.on('exit', () => this.#stopped(new Error('The thread has ended.')));
  }

  async ask(request: Request, moved: Moved = []): Promise<{ done: boolean; value: unknown }> {
    if (this.hasEnded) throw new Error('The thread has ended.');
    const reply = await new Promise<Reply>((found, failed) => {
      this.#answer = { found, failed };
      this.#worker.postMessage(request, moved);
    });
    if ('done' in reply) return reply;
    if ('failure' in reply) throw reply.failure;
    const { code, message, problems, cause } = reply.error;
    throw new ServiceError(code, message, problems, { cause });
  }

  /** A thread that rests does not keep the process alive. */
  rest(milliseconds: number): void {
    this.#worker.unref();
    this.#timer = setTimeout(() => void this.end(), milliseconds).unref();
  }

  begin(): this {
    clearTimeout(this.#timer);
    this.#worker.ref();
    return this;
  }

  async end(): Promise<void> {
    clearTimeout(this.#timer);
    this.#stopped(new Error('The thread was ended.'));
    await this.#worker.terminate();
  }

  #stopped(error: Error): void {
    if (!this.hasEnded) this.#ended();
    this.hasEnded = true;
    this.#answer?.failed(error);
    this.#answer = undefined;
  }
}

/** The threads of this process: their number is about its processors, so services share them. */
export const THREADS = new Threads();
