/** Response bodies of pages, cached: many clients ask for the same pages, and most of the time nothing has changed. */
import { LRUCache } from 'lru-cache';

/** For each collection, in bytes. */
const PAGE_CACHE_SIZE = 8 * 1024 * 1024;

type Cached = { readonly state: string; readonly body: Buffer };

export class PageCache {
  readonly #cache = new LRUCache<string, Cached>({
    maxSize: PAGE_CACHE_SIZE,
    sizeCalculation: ({ state, body }, key) => body.length + key.length + state.length,
  });

  /** In bytes. */
  get size(): number {
    return this.#cache.calculatedSize;
  }

  /** The body of a page, if the area is in the same state as when it was made. */
  get(key: string, state: string): Buffer | undefined {
    const known = this.#cache.get(key);
    return known?.state === state ? known.body : undefined;
  }

  /**
   * @param state taken before the body was made: a change in between makes the body newer than its state, so it never
   *   replaces a newer one
   */
  set(key: string, state: string, body: Buffer): void {
    this.#cache.set(key, { state, body });
  }
}
