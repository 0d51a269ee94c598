/** Which of many strings occur more than once, in memory that does not grow with them. */
export class Repeated {
  readonly #once: Uint32Array;
  readonly #again: Uint32Array;
  readonly #mask: number;

  /** @param strings about how many there will be; with more of them, more that occur once are taken for repeated */
  constructor(strings: number) {
    const bits =
      2 ** Math.min(MOST_BITS, Math.max(LEAST_BITS, Math.ceil(Math.log2(strings * BITS_PER_STRING))));
    this.#once = new Uint32Array(bits / 32);
    this.#again = new Uint32Array(bits / 32);
    this.#mask = bits - 1;
  }

  add(text: string): void {
    const hash = hashOf(text) & this.#mask;
    const [at, bit] = [hash >>> 5, 1 << (hash & 31)];
    if (this.#once[at]! & bit) this.#again[at]! |= bit;
    else this.#once[at]! |= bit;
  }

  /** False only for strings that were added once at most; true for a few of these as well. */
  has(text: string): boolean {
    const hash = hashOf(text) & this.#mask;
    return (this.#again[hash >>> 5]! & (1 << (hash & 31))) !== 0;
  }
}

const LEAST_BITS = 16;
/** Two fields of 64 MiB. */
const MOST_BITS = 29;
/** One in sixteen of the strings that occur once shares its bit with another one. */
const BITS_PER_STRING = 16;

/** FNV-1a of the UTF-16 code units, with the last steps of MurmurHash3, which spread it over all bits. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return hash ^ (hash >>> 16);
}
