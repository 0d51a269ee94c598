/** Orders many items while others have their turn, and keeps the first ones of more than memory is for. */
import type { YieldIfDue } from './yield.ts';

type Compare<T> = (a: T, b: T) => number;

/** The first ones of all that are added, in an order. */
export class First<T> {
  /** A heap: none is before those at twice its position, so the last one of all is at the beginning. */
  readonly #heap: T[] = [];
  readonly #most: number;
  readonly #compare: Compare<T>;

  constructor(most: number, compare: Compare<T>) {
    this.#most = most;
    this.#compare = compare;
  }

  /** In any order. */
  get items(): readonly T[] {
    return this.#heap;
  }

  /** The last one, whose place others would take; undefined if there is room. */
  get last(): T | undefined {
    return this.#heap.length < this.#most ? undefined : this.#heap[0];
  }

  /** In their order. */
  sorted(yieldIfDue: YieldIfDue): Promise<readonly T[]> {
    return inOrder(this.#heap, this.#compare, yieldIfDue);
  }

  add(item: T): void {
    if (this.#heap.length < this.#most) this.#raise(item);
    else if (this.#most > 0 && this.#compare(item, this.#heap[0]!) < 0) this.#lower(item);
  }

  /** Puts an item at the end, and moves it up to its place. */
  #raise(item: T): void {
    let at = this.#heap.length;
    while (at > 0) {
      const above = (at - 1) >>> 1;
      if (this.#compare(this.#heap[above]!, item) >= 0) break;
      this.#heap[at] = this.#heap[above]!;
      at = above;
    }
    this.#heap[at] = item;
  }

  /** Puts an item at the beginning, and moves it down to its place. */
  #lower(item: T): void {
    const { length } = this.#heap;
    let at = 0;
    for (let below = 1; below < length; below = 2 * at + 1) {
      const next = below + 1;
      if (next < length && this.#compare(this.#heap[next]!, this.#heap[below]!) > 0) below = next;
      if (this.#compare(this.#heap[below]!, item) <= 0) break;
      this.#heap[at] = this.#heap[below]!;
      at = below;
    }
    this.#heap[at] = item;
  }
}

/** Items that are sorted or merged before others have their turn. */
const AT_ONCE = 1000;

/** Sorts runs, and merges them. */
export async function inOrder<T>(
  items: readonly T[],
  compare: Compare<T>,
  yieldIfDue: YieldIfDue,
): Promise<readonly T[]> {
  let runs: (readonly T[])[] = [];
  for (let from = 0; from < items.length; from += AT_ONCE) {
    runs.push(items.slice(from, from + AT_ONCE).sort(compare));
    await yieldIfDue();
  }
  while (runs.length > 1) {
    const merged: (readonly T[])[] = [];
    for (let at = 0; at < runs.length; at += 2)
      merged.push(await merge(runs[at]!, runs[at + 1] ?? [], compare, yieldIfDue));
    runs = merged;
  }
  return runs[0] ?? [];
}

async function merge<T>(
  some: readonly T[],
  others: readonly T[],
  compare: Compare<T>,
  yieldIfDue: YieldIfDue,
): Promise<readonly T[]> {
  const merged: T[] = [];
  for (let i = 0, j = 0; i < some.length || j < others.length; ) {
    const isNext = j === others.length || (i < some.length && compare(some[i]!, others[j]!) <= 0);
    merged.push(isNext ? some[i++]! : others[j++]!);
    if (merged.length % AT_ONCE === 0) await yieldIfDue();
  }
  return merged;
}
