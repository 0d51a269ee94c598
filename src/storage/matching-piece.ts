/**
 * One piece of a `matching` pattern: characters and `_`, of a fixed length. A short text is searched with a regular
 * expression. That may take as many steps as the text has characters times those of the piece, so a long text is
 * searched with one pass that keeps, as bits, how much of the piece fits at each position (the Shift-And algorithm).
 */

/** A piece, ready for use. Positions are those of JavaScript, in UTF-16 units. */
export type Piece = {
  /** In characters. */
  readonly length: number;
  /** The end of the piece if it fits at a position, else -1. */
  endAt(text: string, position: number): number;
  /** The end of its first fit at a position or later, else -1. */
  endOf(text: string, position: number): number;
};

/** How many steps a regular expression may take: some milliseconds. */
const MOST_STEPS = 2_000_000;
/** In strings up to this length, ASCII is found without a regular expression: to compile one takes longer. */
const SHORT_TEXT = 4096;

/**
 * Compiles a piece.
 *
 * @param mostSteps how many steps a regular expression may take for one text
 */
export function compilePiece(source: string, mostSteps = MOST_STEPS): Piece {
  const signs = [...source];
  const letters = signs.map((sign) => (sign === '_' ? undefined : sign));
  const same = letterTest();
  const ascii = isAscii(source) && !letters.includes(undefined) ? source.toLowerCase() : undefined;
  let expression: RegExp | undefined;
  let masks: Masks | undefined;
  return {
    length: signs.length,
    endAt: (text, position) => {
      let index = position;
      for (const letter of letters) {
        if (index >= text.length) return -1;
        const character = String.fromCodePoint(text.codePointAt(index)!);
        if (letter !== undefined && !same(letter, character)) return -1;
        index += character.length;
      }
      return index;
    },
    endOf: (text, position) => {
      if (signs.length === 0) return position;
      if (ascii !== undefined && text.length <= SHORT_TEXT && isAscii(text)) {
        const start = text.toLowerCase().indexOf(ascii, position);
        return start < 0 ? -1 : start + ascii.length;
      }
      if ((text.length - position) * signs.length > mostSteps) {
        masks ??= new Masks(letters, same);
        return shiftAnd(text, position, masks);
      }
      expression ??= new RegExp(source.split('_').map(escapedRegex).join('[^]'), 'giu');
      expression.lastIndex = position;
      return expression.test(text) ? expression.lastIndex : -1;
    },
  };
}

/** Walks over a string once; bit i of the state is set if the last i + 1 characters fit the beginning of the piece. */
function shiftAnd(text: string, position: number, masks: Masks): number {
  const state = new Int32Array(masks.words);
  const last = masks.words - 1;
  /** The highest word that may have a bit. */
  let highest = 0;
  for (let index = position; index < text.length; ) {
    const code = text.codePointAt(index)!;
    index += code > 0xffff ? 2 : 1;
    const mask = masks.of(code);
    let carry = 1;
    let high = 0;
    const end = Math.min(highest + 1, last);
    for (let word = 0; word <= end; word++) {
      const bits = state[word]!;
      const next = ((bits << 1) | carry) & mask[word]!;
      state[word] = next;
      if (next !== 0) high = word;
      carry = bits >>> 31;
    }
    highest = high;
    if (state[last]! & masks.final) return index;
  }
  return -1;
}

/** For each character of a string, at which positions of the piece it fits. */
class Masks {
  readonly words: number;
  /** The bit of the piece's last character, in the last word. */
  readonly final: number;
  readonly #letters: readonly (string | undefined)[];
  readonly #same: (letter: string, character: string) => boolean;
  readonly #folded: ReadonlySet<string>;
  /** Where any character fits. */
  readonly #any: Int32Array;
  /** By code point; a Map takes longer than all of the rest. */
  readonly #byCode: (Int32Array | undefined)[] = new Array(0x10000);

  constructor(
    letters: readonly (string | undefined)[],
    same: (letter: string, character: string) => boolean,
  ) {
    this.#letters = letters;
    this.#same = same;
    this.#folded = new Set(letters.flatMap((letter) => (letter === undefined ? [] : foldCase(letter))));
    this.words = Math.ceil(letters.length / 32);
    this.final = 1 << ((letters.length - 1) % 32);
    this.#any = this.#positions((letter) => letter === undefined);
  }

  of(code: number): Int32Array {
    let mask = this.#byCode[code];
    if (mask === undefined) {
      const character = String.fromCodePoint(code);
      mask = this.#folded.has(foldCase(character))
        ? this.#positions((letter) => letter === undefined || this.#same(letter, character))
        : this.#any;
      this.#byCode[code] = mask;
    }
    return mask;
  }

  #positions(fits: (letter: string | undefined) => boolean): Int32Array {
    const mask = new Int32Array(this.words);
    for (const [index, letter] of this.#letters.entries())
      if (fits(letter)) mask[index >> 5]! |= 1 << (index & 31);
    return mask;
  }
}

/** Whether two characters are the same letter to a regular expression without regard to case. */
function letterTest(): (letter: string, character: string) => boolean {
  const expressions = new Map<string, RegExp>();
  return (letter, character) => {
    if (letter === character) return true;
    if (foldCase(letter) !== foldCase(character)) return false;
    let expression = expressions.get(letter);
    if (!expression) {
      expression = new RegExp(`^${escapedRegex(letter)}$`, 'iu');
      expressions.set(letter, expression);
    }
    return expression.test(character);
  };
}

const isAscii = (text: string) => !/[^\0-\x7f]/.test(text);

const escapedRegex = (text: string) => text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');

/**
 * Maps characters that differ only in case to the same character. It maps more of them together than a pattern does
 * (`ß` and `ss`), never fewer, and each by itself.
 */
function foldCase(text: string): string {
  return text.toLowerCase().toUpperCase();
}
