/** Response bodies of pages, cached: many clients ask for the same pages, and most of the time nothing has changed. */
import { type Cache, Memory } from '../memory/memory.ts';
import { SecondTime } from '../memory/second-time.ts';

type Cached = { readonly state: string; readonly body: Buffer };

export class PageCache {
  readonly #cache: Cache<Cached>;
  readonly #prefix: string;
  readonly #asked = new SecondTime();

  /** @param memory shared with the pages of other collections */
  constructor(memory = new Memory()) {
    this.#cache = memory.cache('pages', ({ state, body }, key) => body.length + key.length + state.length);
    this.#prefix = memory.prefix();
  }

  /** The body of a page, if the area is in the same state as when it was made. */
  get(key: string, state: string): Buffer | undefined {
    const known = this.#cache.get(this.#prefix + key);
    return known?.state === state ? known.body : undefined;
  }

  /** Whether a page was asked for before, lately, so that it is worth caching. To be called once for each request. */
  isAskedAgain(key: string): boolean {
    return this.#asked.note(key);
  }

  /**
   * @param state taken before the body was made: a change in between makes the body newer than its state, so it never
   *   replaces a newer one
   */
  set(key: string, state: string, body: Buffer): void {
    this.#cache.set(this.#prefix + key, { state, body: ofItsOwn(body) });
  }
}

/** A body in memory of its own: as a part of Node's pool for small buffers, it would keep 64 KB for its 17. */
function ofItsOwn(body: Buffer): Buffer {
  if (body.buffer.byteLength === body.length) return body;
  const copy = Buffer.allocUnsafeSlow(body.length);
  body.copy(copy);
  return copy;
}
