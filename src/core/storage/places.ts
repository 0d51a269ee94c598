/**
 * Which areas something concerns, however many there are: paths of areas, and directories, with a slash at their end, which stand for
 * all areas right below them.
 */
import type { Dialect, Value } from './dialect.ts';

export type Places = readonly string[];

/** Finds what concerns an area. */
export class PlaceIndex<T> {
  readonly #items = new Map<string, Set<T>>();

  add(places: Places, item: T): void {
    for (const place of places) this.#items.set(place, (this.#items.get(place) ?? new Set()).add(item));
  }

  delete(places: Places, item: T): void {
    for (const place of places) {
      const items = this.#items.get(place);
      items?.delete(item);
      if (items?.size === 0) this.#items.delete(place);
    }
  }

  /** What concerns the area with a path, in the order in which it was added to a place. */
  at(path: string): Iterable<T> {
    const own = this.#items.get(path);
    const directory = this.#items.get(path.slice(0, path.lastIndexOf('/') + 1));
    return own && directory ? own.union(directory) : (own ?? directory ?? []);
  }
}

/**
 * A condition for the areas `a` of places.
 *
 * @param from the number of its first parameter
 */
export function isIn(
  places: Places,
  dialect: Dialect,
  from: number,
): { readonly condition: string; readonly values: readonly Value[] } {
  const directories = places.filter((place) => place.endsWith('/'));
  // The character after the slash ends the range.
  const below = directories.map(
    (_, at) => `a.path >= $${from + 1 + 2 * at} AND a.path < $${from + 2 + 2 * at}`,
  );
  return {
    condition: `(${[dialect.among('a.path', from), ...below].join(' OR ')})`,
    values: [places, ...directories.flatMap((directory) => [directory, `${directory.slice(0, -1)}0`])],
  };
}
