/** Lists of records, in parts that take some milliseconds to copy from one thread to another. */

const MOST_ITEMS_IN_CHUNK = 500;
const MOST_CHARACTERS = 1_000_000;

/** @param sizeOf the characters of an item */
export function* chunks<T>(items: readonly T[], sizeOf: (item: T) => number): Generator<T[]> {
  let chunk: T[] = [];
  let characters = 0;
  for (const item of items) {
    if (chunk.length >= MOST_ITEMS_IN_CHUNK || characters >= MOST_CHARACTERS) {
      yield chunk;
      chunk = [];
      characters = 0;
    }
    chunk.push(item);
    characters += sizeOf(item);
  }
  if (chunk.length > 0) yield chunk;
}
