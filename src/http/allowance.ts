/** How much each client may do in a minute: a bucket for each key, which is filled steadily. */
import { LRUCache } from 'lru-cache';

/** The most keys that are remembered; the least recently used one starts over. */
const MOST_KEYS = 10_000;
const MINUTE = 60_000;

type Bucket = { left: number; filled: number };

/** Counts work by key, and allows so much in a minute. Unused parts of a minute do not add up beyond it. */
export class Allowance {
  readonly #perMinute: number;
  readonly #now: () => number;
  readonly #buckets = new LRUCache<string, Bucket>({ max: MOST_KEYS });

  /** @param now milliseconds on a clock that is never set back */
  constructor(perMinute: number, now: () => number = () => performance.now()) {
    this.#perMinute = perMinute;
    this.#now = now;
  }

  /** Uses one, if there is one. @returns the seconds until there is one again; 0 if there was one */
  take(key: string): number {
    const bucket = this.#bucket(key);
    if (bucket.left < 1) return this.#seconds(bucket);
    bucket.left -= 1;
    return 0;
  }

  /** Like {@link take}, and uses nothing. A key that was never used costs nothing. */
  wait(key: string): number {
    if (!this.#buckets.has(key)) return 0;
    const bucket = this.#bucket(key);
    return bucket.left < 1 ? this.#seconds(bucket) : 0;
  }

  #bucket(key: string): Bucket {
    const now = this.#now();
    let bucket = this.#buckets.get(key);
    if (bucket === undefined) {
      bucket = { left: this.#perMinute, filled: now };
      this.#buckets.set(key, bucket);
    }
    const gained = ((now - bucket.filled) / MINUTE) * this.#perMinute;
    bucket.left = Math.min(this.#perMinute, bucket.left + gained);
    bucket.filled = now;
    return bucket;
  }

  #seconds({ left }: Bucket): number {
    return Math.max(1, Math.ceil(((1 - left) / this.#perMinute) * 60));
  }
}
