/** Finds the collections that an area belongs to, however many there are: several may share one. */
import type { Collection } from './collection.ts';

export class AreaIndex {
  /** By the paths of areas, and by the directories of zones, with a slash at their end. */
  readonly #collections = new Map<string, Collection[]>();

  constructor(collections: Iterable<Collection>) {
    for (const collection of collections) {
      const { curated, zones } = collection;
      const places = new Set([
        curated.area.path,
        ...zones.linked,
        ...(zones.exist ? [`${zones.path}/`] : []),
      ]);
      for (const place of places) this.#collections.set(place, [...this.#under(place), collection]);
    }
  }

  /** The collections that have the area with a path, or may have it as a zone. */
  at(path: string): readonly Collection[] {
    const own = this.#under(path);
    const zones = this.#under(path.slice(0, path.lastIndexOf('/') + 1));
    return own.length === 0 ? zones : [...new Set([...own, ...zones])];
  }

  #under(place: string): readonly Collection[] {
    return this.#collections.get(place) ?? [];
  }
}
