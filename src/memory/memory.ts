/**
 * What caches may use together, in bytes, and how it is divided. There is one in a service; each kind of cache has a
 * fixed share, so that none of them can empty another one.
 */
import { LRUCache } from 'lru-cache';

/** The default of `--memory`, in bytes. */
export const DEFAULT_MEMORY = 64 * 1024 * 1024;

/** The parts of the budget, in sixteenths. */
const SIXTEENTHS = {
  /** Bodies of pages, lists and searches. */
  pages: 12,
  /** Records as Turtle. */
  turtle: 4,
} as const;

export type CacheName = keyof typeof SIXTEENTHS;

/** A cache in numbers, for `/-/health` and metrics. */
export type CacheUse = { readonly name: CacheName; readonly limit: number; readonly used: number };

/** A cache of values with a size. */
export type Cache<V extends object | string> = LRUCache<string, V>;

export class Memory {
  /** In bytes. */
  readonly limit: number;
  #lastPrefix = 0;
  readonly #caches = new Map<CacheName, Cache<object | string>>();

  constructor(limit = DEFAULT_MEMORY) {
    this.limit = limit;
  }

  /**
   * The cache of a kind, made at the first call; all that call for it share it, with keys of their own (see {@link prefix}).
   *
   * @param sizeOf in bytes, the same for all
   */
  cache<V extends object | string>(name: CacheName, sizeOf: (value: V, key: string) => number): Cache<V> {
    const known = this.#caches.get(name);
    if (known) return known as unknown as Cache<V>;
    const sizeCalculation = (value: V, key: string) => OVERHEAD + sizeOf(value, key);
    const cache = new LRUCache<string, V>({ maxSize: this.#shareOf(name), sizeCalculation });
    this.#caches.set(name, cache as unknown as Cache<object | string>);
    return cache;
  }

  /** A prefix for the keys of one of those who share a cache. */
  prefix(): string {
    this.#lastPrefix += 1;
    return `${this.#lastPrefix} `;
  }

  uses(): CacheUse[] {
    return (Object.keys(SIXTEENTHS) as CacheName[]).map((name) => ({
      name,
      limit: this.#shareOf(name),
      used: this.#caches.get(name)?.calculatedSize ?? 0,
    }));
  }

  #shareOf(name: CacheName): number {
    return Math.floor((this.limit / 16) * SIXTEENTHS[name]);
  }
}

/** What an entry takes besides its key and value, about. */
const OVERHEAD = 200;
