/** Items that are worked on together. Every room may import this file. */

/** How large a batch becomes: so many items, or fewer long ones. */
export type BatchLimits = { readonly items: number; readonly characters?: number };

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
