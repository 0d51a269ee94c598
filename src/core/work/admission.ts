/**
 * How many requests are answered at the same time, and how many tasks run in threads. Those beyond the limit wait before anything
 * is done for them: so an overloaded service continues at its full rate. Refusing at once would cost it that rate, as clients
 * come back at once. One client gets at most a share of the places, and clients that wait take turns.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { TIMEOUT } from '../durations.ts';
import { ServiceError } from '../errors.ts';

/** The longest queue, as a multiple of the requests that are answered at a time. */
const QUEUE_FACTOR = 4;
/** One client gets at most this part of what all may have: of places, and of the bytes of bodies. */
export const SHARE = 1 / 8;

/** A request that waits to go on: called when it may, or with the reason why it may not. */
export type Waiter = (refusal?: ServiceError) => void;

const clients = new AsyncLocalStorage<string | undefined>();

/** Works for a client: it has a share of the threads, too. */
export function workFor<T>(client: string | undefined, work: () => T): T {
  return clients.run(client, work);
}

/** The client that the present work is for; undefined for work in the background. */
export function workingFor(): string | undefined {
  return clients.getStore();
}

/** A client, or one request of a client that cannot be distinguished from others. */
type Key = string | symbol;

export class Admission {
  readonly #limit: number;
  readonly #maxQueueWait: number;
  readonly #maxQueued: number;
  #running = 0;
  /** Requests that are answered, by client. */
  readonly #ofClient = new Map<Key, number>();
  #queued = 0;
  /** Starts the waiting requests, by client in the order in which they go on. */
  readonly #queues = new Map<Key, Set<() => void>>();

  constructor(limit: number, maxQueueWait: number = TIMEOUT.turn, maxQueued = limit * QUEUE_FACTOR) {
    this.#limit = limit;
    this.#maxQueueWait = maxQueueWait;
    this.#maxQueued = maxQueued;
  }

  /** Requests that are answered, and those that wait. */
  get inProgress(): number {
    return this.#running + this.#queued;
  }

  /**
   * Lets a request in: at once, later, or not at all.
   *
   * @param client undefined if it cannot be distinguished from others: each of its requests is one client
   * @returns what ends the request, to be called once, also if it still waits or was refused
   */
  enter(waiter: Waiter, client: Key = Symbol()): () => void {
    if (this.#hasPlace(client)) {
      this.#start(client);
      waiter();
      return () => this.#leave(client);
    }
    if (this.#queued >= this.#maxQueued) {
      waiter(tooManyRequests());
      return () => {};
    }
    return this.#queue(waiter, client);
  }

  /**
   * Waits until something may begin.
   *
   * @returns what ends it, to be called once
   * @throws ServiceError `busy` if that takes too long
   */
  turn(client: Key | undefined = workingFor()): Promise<() => void> {
    return new Promise((resolve, reject) => {
      const leave = this.enter((refusal) => (refusal ? reject(refusal) : resolve(() => leave())), client);
    });
  }

  #hasPlace(client: Key): boolean {
    return this.#running < this.#limit && (this.#ofClient.get(client) ?? 0) < Math.ceil(this.#limit * SHARE);
  }

  #start(client: Key): void {
    this.#running++;
    this.#ofClient.set(client, (this.#ofClient.get(client) ?? 0) + 1);
  }

  #queue(waiter: Waiter, client: Key): () => void {
    const ofClient = this.#queues.get(client) ?? new Set();
    let end = () => {
      clearTimeout(timer);
      if (!ofClient.delete(start)) return;
      this.#queued--;
      if (ofClient.size === 0) this.#queues.delete(client);
    };
    const timer = setTimeout(() => {
      end();
      waiter(tooManyRequests());
    }, this.#maxQueueWait);
    const start = () => {
      end();
      this.#start(client);
      end = () => this.#leave(client);
      waiter();
    };
    this.#queues.set(client, ofClient.add(start));
    this.#queued++;
    return () => end();
  }

  #leave(client: Key): void {
    this.#running--;
    const left = (this.#ofClient.get(client) ?? 0) - 1;
    if (left > 0) this.#ofClient.set(client, left);
    else this.#ofClient.delete(client);
    for (const [next, starts] of this.#queues) {
      if (!this.#hasPlace(next)) continue;
      // The others have their turn before it has another one.
      this.#queues.delete(next);
      this.#queues.set(next, starts);
      const [start] = starts;
      start!();
      break;
    }
  }
}

/** The answer to a request that cannot wait, or has waited too long. */
function tooManyRequests(): ServiceError {
  return new ServiceError('busy', 'The service is answering as many requests as it can: try again later.');
}
