/** Which requests are in a collection, and what has to wait until those that are there now have left. */

/** Requests that entered between two waits, and what waits for them and for all before them. */
type VisitGroup = { present: number; readonly callbacks: (() => void)[] };

export class Visits {
  /** By the time of entry; the last one is open for further requests. */
  readonly #groups: VisitGroup[] = [{ present: 0, callbacks: [] }];
  #present = 0;

  /** How many requests are there. */
  get present(): number {
    return this.#present;
  }

  /** @returns the function that leaves, to be called once */
  enter(): () => void {
    const group = this.#groups.at(-1) as VisitGroup;
    group.present += 1;
    this.#present += 1;
    return () => {
      group.present -= 1;
      this.#present -= 1;
      this.#callGone();
    };
  }

  /** Calls back when every request that is there now has left, however many enter meanwhile. */
  whenGone(callback: () => void): void {
    const last = this.#groups.at(-1) as VisitGroup;
    last.callbacks.push(callback);
    if (last.present > 0) this.#groups.push({ present: 0, callbacks: [] });
    this.#callGone();
  }

  #callGone(): void {
    for (let first = this.#groups[0]; first && first.present === 0; first = this.#groups[0]) {
      for (const callback of first.callbacks.splice(0)) callback();
      if (this.#groups.length === 1) return;
      this.#groups.shift();
    }
  }
}
