/** Places within a block that reads have come by: the next one starts at the nearest, and not at the block's beginning. */
import type { ClassSet, OrderKey } from './block-order.ts';

/** Marks are at least so many records apart: to step over fewer costs less than to look them up. */
const DISTANCE = 32;
/** Sets of classes that have marks in a block. */
const SETS_KEPT = 4;

type Mark = { readonly position: number; readonly place: OrderKey };

/** The marks of one block, until a record is added to it or removed. */
export class Marks {
  /** By set of classes, in order. */
  readonly #sets = new Map<string, Mark[]>();

  /** The last mark at or before a position, and the positions between; undefined if there is none. */
  nearest(classes: ClassSet, position: number): { start: OrderKey; skip: number } | undefined {
    const marks = this.#sets.get(keyOf(classes)) ?? [];
    const mark = marks[countUpTo(marks, position) - 1];
    return mark && { start: mark.place, skip: position - mark.position };
  }

  add(classes: ClassSet, position: number, place: OrderKey): void {
    const key = keyOf(classes);
    let marks = this.#sets.get(key);
    if (marks === undefined) {
      if (this.#sets.size >= SETS_KEPT) this.#sets.clear();
      marks = [];
      this.#sets.set(key, marks);
    }
    const index = countUpTo(marks, position);
    const before = marks[index - 1]?.position ?? 0;
    const after = marks[index]?.position ?? Number.POSITIVE_INFINITY;
    if (position - before < DISTANCE || after - position < DISTANCE) return;
    marks.splice(index, 0, { position, place });
  }
}

const keyOf = (classes: ClassSet) => classes?.join('\n') ?? '';

/** How many marks are at or before a position. */
function countUpTo(marks: readonly Mark[], position: number): number {
  let low = 0;
  let high = marks.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (marks[middle]!.position <= position) low = middle + 1;
    else high = middle;
  }
  return low;
}
