/**
 * Which keys were asked for before, lately. A cache that accepts a value only when it is wanted again keeps what is asked
 * for once out: storing it costs more than it is worth, above all in the collection of garbage.
 */

import { fnv1a } from './fnv.ts';

/** So many keys are remembered, about; a power of two. */
const KEYS = 4096;

export class SecondTime {
  /** The hash of the last key at each place. */
  readonly #hashes = new Int32Array(KEYS);

  /** Notes a key. @returns whether it was noted before; rarely also for another key with the same hash */
  note(key: string): boolean {
    // 0 stands for an unused place.
    const hash = fnv1a(key) || 1;
    const place = (hash ^ (hash >>> 16)) & (KEYS - 1);
    const known = this.#hashes[place] === hash;
    this.#hashes[place] = hash;
    return known;
  }
}
