/**
 * How many requests are answered at the same time. Those beyond the limit wait for their turn, in the order of their
 * arrival, before anything is done for them: so an overloaded service continues at its full rate.
 * Refusing at once would cost it that rate, as clients come back at once.
 */
import { ServiceError } from '../errors.ts';

/** So many requests wait, as a multiple of those that are answered. */
const WAITING_FACTOR = 4;
/** So long a request waits for its turn, in milliseconds. */
const PATIENCE_MS = 5_000;

/** Called when the request may go on, or with the reason why it may not. */
export type Turn = (refusal?: ServiceError) => void;

/** The requests of one service. */
export class Admission {
  readonly #limit: number;
  readonly #patience: number;
  #running = 0;
  /** In the order of their arrival. */
  readonly #waiting = new Set<() => void>();

  constructor(limit: number, patience = PATIENCE_MS) {
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
   * @returns what ends the request, to be called once, also if it still waits or was refused
   */
  enter(turn: Turn): () => void {
    if (this.#running < this.#limit) {
      this.#running++;
      turn();
      return () => this.#leave();
    }
    if (this.#waiting.size >= this.#limit * WAITING_FACTOR) {
      turn(tooManyRequests());
      return () => {};
    }
    return this.#wait(turn);
  }

  #wait(turn: Turn): () => void {
    let end = () => {
      clearTimeout(timer);
      this.#waiting.delete(start);
    };
    const start = () => {
      clearTimeout(timer);
      this.#running++;
      end = () => this.#leave();
      turn();
    };
    const timer = setTimeout(() => {
      this.#waiting.delete(start);
      turn(tooManyRequests());
    }, this.#patience);
    this.#waiting.add(start);
    return () => end();
  }

  #leave(): void {
    this.#running--;
    const [next] = this.#waiting;
    if (next === undefined) return;
    this.#waiting.delete(next);
    next();
  }
}

/** The answer to a request that found no turn. */
function tooManyRequests(): ServiceError {
  return new ServiceError('busy', 'The service is answering as many requests as it can: try again later.');
}
