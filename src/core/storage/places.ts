/** Which areas something concerns, however many there are. */
import type { Dialect, Value } from './dialect.ts';

/** Paths of areas, and directories, with a slash at their end, which stand for all areas right below them. */
export type Places = readonly string[] | 'all';

/** Finds what concerns an area. */
export class PlaceIndex<T> {
  readonly #byPlace = new Map<string, Set<T>>();
  readonly #everywhere = new Set<T>();

  add(places: Places, item: T): void {
    if (places === 'all') this.#everywhere.add(item);
    else
      for (const place of places) this.#byPlace.set(place, (this.#byPlace.get(place) ?? new Set()).add(item));
  }

  delete(places: Places, item: T): void {
    this.#everywhere.delete(item);
    for (const place of places === 'all' ? [] : places) {
      const items = this.#byPlace.get(place);
      items?.delete(item);
      if (items?.size === 0) this.#byPlace.delete(place);
    }
  }

  /** What concerns the area with a path. */
  at(path: string): T[] {
    const directory = path.slice(0, path.lastIndexOf('/') + 1);
    const own = [this.#byPlace.get(path) ?? [], this.#byPlace.get(directory) ?? []];
    return [...new Set([...this.#everywhere, ...own.flatMap((items) => [...items])])];
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
  if (places === 'all') return { condition: 'TRUE', values: [] };
  const directories = places.filter((place) => place.endsWith('/'));
  // The path of an area right below a directory has as many slashes as that.
  const below = directories.map((directory, at) => {
    const slashes = directory.split('/').length - 1;
    return `${isBelow('a.path', from + 1 + 2 * at)} AND length(a.path) - length(replace(a.path, '/', '')) = ${slashes}`;
  });
  return {
    condition: `(${[dialect.among('a.path', from), ...below].join(' OR ')})`,
    values: [places, ...directories.flatMap((directory) => rangeBelow(directory))],
  };
}

/**
 * A condition for the paths below a directory, at any depth.
 *
 * @param from the number of the first of two parameters, see {@link rangeBelow}
 */
export function isBelow(column: string, from: number): string {
  return `${column} >= $${from} AND ${column} < $${from + 1}`;
}

/** @param directory with a slash at its end: the character after it ends the range */
export function rangeBelow(directory: string): [first: string, end: string] {
  return [directory, `${directory.slice(0, -1)}0`];
}
