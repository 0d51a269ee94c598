/**
 * Wakes requests that wait for changes of an area: by commits, however many wait, without a read for any of them. Those that are
 * woken read a few at a time, and all others have their turn in between: thousands may wait for one change.
 */
import { inTurn } from '../in-turn.ts';
import type { Database } from '../storage/database.ts';
import { yielder } from '../yield.ts';

/** How many of the requests that are woken read at the same time. */
const LANES = 8;

/** A request that waits, between its first read and its answer. */
export type Listener = {
  /** Resolves with the next change since the listener began, or since it was called last; else after a time. */
  changed(milliseconds: number): Promise<void>;
  end(): void;
};

export class Wakeups {
  readonly #database: Pick<Database, 'onChange'>;
  readonly #listeners = new Map<string, Set<() => void>>();
  /** Ends the calls for commits; undefined while nothing listens, so that a store costs nothing. */
  #stop: (() => void) | undefined;
  /** Whether the service stops: then nothing waits any more. */
  isClosed = false;
  readonly #lanes = Array.from({ length: LANES }, inTurn);
  #read = 0;
  readonly #yieldIfDue = yielder();

  constructor(database: Pick<Database, 'onChange'>) {
    this.#database = database;
  }

  /** Listens to an area. To be called before its changes are read: none is missed between the two. */
  listen(path: string): Listener {
    let isDue = false;
    let resume = () => {};
    const wake = () => {
      isDue = true;
      resume();
    };
    this.#add(path, wake);
    return {
      changed: (milliseconds) =>
        new Promise((resolve) => {
          const timer = setTimeout(() => resume(), milliseconds);
          resume = () => {
            clearTimeout(timer);
            isDue = false;
            resume = () => {};
            resolve();
          };
          if (isDue || this.isClosed) resume();
        }),
      end: () => {
        resume();
        this.#remove(path, wake);
      },
    };
  }

  /** Reads for a request that was woken. */
  read<T>(work: () => Promise<T>): Promise<T> {
    return this.#lanes[this.#read++ % LANES]!(async () => {
      await this.#yieldIfDue();
      return work();
    });
  }

  /** Wakes all requests that wait. */
  close(): void {
    this.isClosed = true;
    this.#wake(this.#listeners.keys());
  }

  #add(path: string, wake: () => void): void {
    const listeners = this.#listeners.get(path) ?? new Set();
    this.#listeners.set(path, listeners.add(wake));
    this.#stop ??= this.#database.onChange((areas) =>
      this.#wake(areas === 'unknown' ? this.#listeners.keys() : areas),
    );
  }

  #remove(path: string, wake: () => void): void {
    const listeners = this.#listeners.get(path);
    if (!listeners?.delete(wake) || listeners.size > 0) return;
    this.#listeners.delete(path);
    if (this.#listeners.size > 0) return;
    this.#stop?.();
    this.#stop = undefined;
  }

  #wake(paths: Iterable<string>): void {
    for (const path of paths) for (const wake of [...(this.#listeners.get(path) ?? [])]) wake();
  }
}
