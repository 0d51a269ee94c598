/** Work on the same things is done one after the other; work on different things at the same time. */
export class Locks {
  readonly #last = new Map<string, Promise<unknown>>();

  /** Runs work when all former work on any of the keys has ended. */
  async run<T>(keys: readonly string[], work: () => Promise<T>): Promise<T> {
    const own = [...new Set(keys)];
    const former = own.map((key) => this.#last.get(key));
    // All keys are locked in one turn, so that no two pieces of work wait for each other.
    const done = Promise.allSettled(former).then(work);
    const settled = done.catch(() => undefined);
    for (const key of own) this.#last.set(key, settled);
    try {
      return await done;
    } finally {
      for (const key of own) if (this.#last.get(key) === settled) this.#last.delete(key);
    }
  }
}
