/** Items that are worked on together. Every room may import this file. */
import { yielder } from './yield.ts';

/** How large a batch becomes: so many items, or fewer long ones. */
type BatchLimits = { readonly items: number; readonly characters?: number };

/** Items in batches, in their order. */
export async function* batches<T>(
  items: AsyncIterable<T> | Iterable<T>,
  { items: mostItems, characters: mostCharacters = Number.POSITIVE_INFINITY }: BatchLimits,
  charactersOf: (item: T) => number = () => 0,
): AsyncGenerator<T[]> {
  let batch: T[] = [];
  let characters = 0;
  for await (const item of items) {
    batch.push(item);
    characters += charactersOf(item);
    if (batch.length < mostItems && characters < mostCharacters) continue;
    yield batch;
    [batch, characters] = [[], 0];
  }
  if (batch.length > 0) yield batch;
}

/**
 * Items that are worked on together while it is not known how long they are: records may have 10 MB each, and a statement for each would
 * wait for the one before it.
 */
export const FEW = 8;

/** Works on items, {@link FEW} at a time, with the turns of others in between. @returns the results in order */
export async function fewAtOnce<T, R>(items: Iterable<T>, work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  const yieldIfDue = yielder();
  for await (const some of batches(items, { items: FEW })) {
    results.push(...(await Promise.all(some.map(work))));
    await yieldIfDue();
  }
  return results;
}

/** In characters. */
const SHORT = 100_000;

/** How many items are worked on together next: more while they are short, few after long ones. */
export function nextTogether(together: number, length: number): number {
  return length < SHORT ? 4 * together : FEW;
}

/**
 * Reads items that may be long: few together at first, and more while they are short. `next` is the first that is not read yet.
 *
 * @param most items that are read together
 */
export async function* readGradually<T, R extends { readonly json: string }>(
  items: readonly T[],
  most: number,
  read: (some: readonly T[]) => Promise<readonly R[]>,
): AsyncGenerator<{ readonly found: readonly R[]; readonly next: number }> {
  for (let [next, together] = [0, FEW]; next < items.length; ) {
    const found = await read(items.slice(next, next + together));
    next += together;
    yield { found, next };
    const length = found.reduce((sum, { json }) => sum + json.length, 0);
    together = Math.min(most, nextTogether(together, length));
  }
}
