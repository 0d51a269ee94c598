/**
 * How many requests are answered at the same time. Those beyond the limit wait for their turn, in the order of their
 * arrival, before anything is done for them: so an overloaded service continues at its full rate.
 * Refusing at once would cost it that rate, as clients come back at once. One client gets at most a share of the places.
 */
import { TIMEOUT } from '../durations.ts';
import { ServiceError } from '../errors.ts';

/** The longest queue, as a multiple of the requests that are answered at a time. */
const WAITING_FACTOR = 4;
/** One client gets at most this part of what all may have: of places, and of the bytes of bodies. */
export const SHARE = 1 / 8;

/** Called when the request may go on, or with the reason why it may not. */
export type Turn = (refusal?: ServiceError) => void;

type Waiting = { readonly client: string | undefined; start(): void };

/** The requests of one service. */
export class Admission {
  readonly #limit: number;
  readonly #patience: number;
  #running = 0;
  /** Requests that are answered, by client. */
  readonly #ofClient = new Map<string, number>();
  /** In the order of their arrival. */
  readonly #waiting = new Set<Waiting>();

  constructor(limit: number, patience = TIMEOUT.turn) {
    this.#limit = limit;
    this.#patience = patience;
  }

  /** Requests that are answered, and those that wait. */
  get inProgress(): number {
    return this.#running + this.#waiting.size;
  }

  /**
   * Lets a request in: at once, later, or not at all.
   *
   * @param client undefined if it cannot be distinguished from others: it gets no share, but what is free
   * @returns what ends the request, to be called once, also if it still waits or was refused
   */
  enter(turn: Turn, client?: string): () => void {
    if (this.#hasPlace(client)) {
      this.#start(client);
      turn();
      return () => this.#leave(client);
    }
    if (this.#waiting.size >= this.#limit * WAITING_FACTOR) {
      turn(tooManyRequests());
      return () => {};
    }
    return this.#wait(turn, client);
  }

  #hasPlace(client: string | undefined): boolean {
    if (this.#running >= this.#limit) return false;
    return client === undefined || (this.#ofClient.get(client) ?? 0) < Math.ceil(this.#limit * SHARE);
  }

  #start(client: string | undefined): void {
    this.#running++;
    if (client !== undefined) this.#ofClient.set(client, (this.#ofClient.get(client) ?? 0) + 1);
  }

  #wait(turn: Turn, client: string | undefined): () => void {
    let end = () => {
      clearTimeout(timer);
      this.#waiting.delete(waiting);
    };
    const start = () => {
      end();
      this.#start(client);
      end = () => this.#leave(client);
      turn();
    };
    const waiting: Waiting = { client, start };
    const timer = setTimeout(() => {
      this.#waiting.delete(waiting);
      turn(tooManyRequests());
    }, this.#patience);
    this.#waiting.add(waiting);
    return () => end();
  }

  #leave(client: string | undefined): void {
    this.#running--;
    if (client !== undefined) {
      const left = (this.#ofClient.get(client) ?? 0) - 1;
      if (left > 0) this.#ofClient.set(client, left);
      else this.#ofClient.delete(client);
    }
    for (const waiting of this.#waiting) {
      if (!this.#hasPlace(waiting.client)) continue;
      waiting.start();
      break;
    }
  }
}

/** The answer to a request that found no turn. */
function tooManyRequests(): ServiceError {
  return new ServiceError('busy', 'The service is answering as many requests as it can: try again later.');
}
