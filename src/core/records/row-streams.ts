/** Streams of rows in order, which come some rows at once. */
import { compareValues } from '../storage/search/indexed-values.ts';
import type { ValueRow } from '../storage/search/value-reads.ts';

/** Puts rows with equal values together. */
export async function* tiesIn(sorted: AsyncIterable<readonly ValueRow[]>): AsyncGenerator<ValueRow[]> {
  let tied: ValueRow[] = [];
  for await (const rows of sorted)
    for (const row of rows) {
      if (tied[0] && compareValues(tied[0], row) !== 0) {
        yield tied;
        tied = [];
      }
      tied.push(row);
    }
  if (tied.length > 0) yield tied;
}

/** A stream of one value. */
export async function* once<T>(value: T): AsyncGenerator<T> {
  yield value;
}

/** Merges sources that are in order each. */
export async function* merge<T>(
  sources: readonly AsyncIterator<readonly T[]>[],
  compare: (a: T, b: T) => number,
): AsyncGenerator<readonly T[]> {
  let heads: { readonly source: AsyncIterator<readonly T[]>; rows: readonly T[]; at: number }[] = sources.map(
    (source) => ({ source, rows: [], at: 0 }),
  );
  for (;;) {
    for (const head of heads)
      while (head.at === head.rows.length) {
        const next = await head.source.next();
        if (next.done) {
          heads = heads.filter((one) => one !== head);
          break;
        }
        [head.rows, head.at] = [next.value, 0];
      }
    if (heads.length === 0) return;
    const merged: T[] = [];
    // Until one of them has to be read on.
    while (heads.every(({ at, rows }) => at < rows.length)) {
      let first = heads[0]!;
      for (const head of heads) if (compare(head.rows[head.at]!, first.rows[first.at]!) < 0) first = head;
      merged.push(first.rows[first.at++]!);
    }
    yield merged;
  }
}
