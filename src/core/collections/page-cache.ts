/** The one cache of a service: response bodies of pages, since many clients ask for the same ones while nothing changes. */
import { LRUCache } from 'lru-cache';
import { MEMORY } from '../memory-bounds.ts';

/** The overhead of an entry besides its key and body, in bytes, about. */
const OVERHEAD = 200;

type CachedPage = { readonly state: string; readonly body: Buffer };

export type Pages = {
  /** The body of a page, if the area is in the same state as when it was made. */
  get(key: string, state: string): Buffer | undefined;
  /**
   * @param state taken before the body was made: a change in between makes the body newer than its state, so it never
   *   replaces a newer one
   */
  set(key: string, state: string, body: Buffer): void;
};

export class PageCache {
  /** In bytes. */
  readonly limit: number;
  readonly #cache: LRUCache<string, CachedPage>;
  #collections = 0;

  constructor(limit: number = MEMORY.pages.bytes) {
    this.limit = limit;
    this.#cache = new LRUCache({
      maxSize: limit,
      sizeCalculation: ({ state, body }, key) => OVERHEAD + body.length + key.length + state.length,
    });
  }

  /** In bytes. */
  get used(): number {
    return this.#cache.calculatedSize;
  }

  /** The pages of a collection that is opened: they share the memory, and have their own keys. */
  pages(): Pages {
    const prefix = `${++this.#collections} `;
    return {
      get: (key, state) => {
        const known = this.#cache.get(prefix + key);
        return known?.state === state ? known.body : undefined;
      },
      set: (key, state, body) => this.#cache.set(prefix + key, { state, body: ofItsOwn(body) }),
    };
  }
}

/** A body in memory of its own: as a part of Node's pool for small buffers, it would keep 64 KB for its 17. */
function ofItsOwn(body: Buffer): Buffer {
  if (body.buffer.byteLength === body.length) return body;
  const copy = Buffer.allocUnsafeSlow(body.length);
  body.copy(copy);
  return copy;
}
