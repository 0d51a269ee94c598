/**
 * What a search needs to know of a long text to pass it by: a set of bits, one for each trigram that the text has, by a
 * hash. Unlike in the full-text index, it can be made in small steps, and strings without repetition cost no more.
 */
import { fold } from '../folding.ts';

/** Bits of a signature: as many as the text has characters, within these bounds, as powers of two. */
const FEWEST_BITS = 16;
const MOST_BITS = 20;
/** Characters that are handled between two looks at the clock. */
const SIGNATURE_STRIDE = 4096;

/** The signature of texts, in the making. */
export class SignatureBuilder {
  readonly bytes: Uint8Array;
  readonly #texts: readonly string[];
  #text = 0;
  #position = 0;
  #before = NONE;
  #beforeThat = NONE;

  constructor(texts: readonly string[]) {
    const characters = texts.reduce((sum, text) => sum + text.length, 0);
    const bits = Math.min(MOST_BITS, Math.max(FEWEST_BITS, Math.ceil(Math.log2(characters + 1))));
    this.bytes = new Uint8Array(2 ** bits / 8);
    this.#texts = texts;
  }

  get complete(): boolean {
    return this.#text >= this.#texts.length;
  }

  /** Goes on until a moment of `performance.now()`, by one step at least. Returns whether the signature is complete. */
  advance(end: number): boolean {
    do this.#step();
    while (!this.complete && performance.now() < end);
    return this.complete;
  }

  #step(): void {
    const text = this.#texts[this.#text];
    if (text === undefined) return;
    const stop = Math.min(text.length, this.#position + SIGNATURE_STRIDE);
    // Not between the halves of a character.
    const next = stop < text.length && isHighSurrogate(text.charCodeAt(stop - 1)) ? stop + 1 : stop;
    this.#add(fold(text.slice(this.#position, next)));
    this.#position = next;
    if (next >= text.length) {
      this.#text += 1;
      this.#position = 0;
      this.#before = NONE;
      this.#beforeThat = NONE;
    }
  }

  #add(folded: string): void {
    const { bytes } = this;
    let [a, b] = [this.#beforeThat, this.#before];
    for (let index = 0; index < folded.length; index++) {
      const c = folded.codePointAt(index)!;
      if (c > 0xffff) index += 1;
      if (a !== NONE) {
        const bit = hash(a, b, c) & (bytes.length * 8 - 1);
        bytes[bit >> 3]! |= 1 << (bit & 7);
      }
      a = b;
      b = c;
    }
    this.#beforeThat = a;
    this.#before = b;
  }
}

/** Whether a string with this signature may contain all of these trigrams. */
export function mayHave(signature: Uint8Array, trigrams: readonly string[]): boolean {
  return trigrams.every((trigram) => {
    const [a = 0, b = 0, c = 0] = Array.from(trigram, (character) => character.codePointAt(0)!);
    const bit = hash(a, b, c) & (signature.length * 8 - 1);
    return (signature[bit >> 3]! & (1 << (bit & 7))) !== 0;
  });
}

const NONE = -1;

const isHighSurrogate = (code: number) => code >= 0xd800 && code <= 0xdbff;

function hash(a: number, b: number, c: number): number {
  let mixed = Math.imul(a, 0x9e3779b1) ^ Math.imul(b, 0x85ebca6b) ^ Math.imul(c, 0xc2b2ae35);
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x2c1b3c6d);
  return (mixed ^ (mixed >>> 13)) >>> 0;
}
