/**
 * One piece of a `matching` pattern: characters and `_`, of a fixed length. A regular expression finds where the piece can
 * begin, and takes at most as many steps as the string has characters times those of the expression. So it has the first
 * characters of a long piece only; the others are compared one by one. A piece that begins at too many positions of a
 * string, as `aaab` in a long run of `a`, is refused.
 */
import { ServiceError } from '../../errors.ts';

/** A piece, ready for use. Positions are those of JavaScript, in UTF-16 units. */
export type Piece = {
  /** In characters. */
  readonly length: number;
  /** The end of the piece if it fits at a position, else -1. */
  endAt(text: string, position: number): number;
  /** The end of its first fit at a position or later, else -1. @throws ServiceError `parameter_invalid` */
  endOf(text: string, position: number): number;
};

/** Characters that the regular expression has. */
const BEGINNING = 32;
/** The most characters that are compared where a piece begins and does not fit, in one string. */
const MOST_COMPARED = 5_000_000;
/** In strings up to this length, ASCII is found without a regular expression: to compile one takes longer. */
const SHORT_TEXT = 4096;

export function compilePiece(source: string): Piece {
  const signs = [...source];
  const letters = signs.map((sign) => (sign === '_' ? undefined : letterTest(sign)));
  const ascii = isAscii(source) && !letters.includes(undefined) ? source.toLowerCase() : undefined;
  let expression: RegExp | undefined;
  const endAt = (text: string, position: number) => {
    let index = position;
    for (const isLetter of letters) {
      const code = text.codePointAt(index);
      if (code === undefined || (isLetter && !isLetter(code))) return -1;
      index += widthOf(code);
    }
    return index;
  };
  return {
    length: signs.length,
    endAt,
    endOf: (text, position) => {
      if (signs.length === 0) return position;
      if (ascii !== undefined && text.length <= SHORT_TEXT && isAscii(text)) {
        const start = text.toLowerCase().indexOf(ascii, position);
        return start < 0 ? -1 : start + ascii.length;
      }
      expression ??= beginningOf(signs);
      let compared = 0;
      for (let from = position; ; ) {
        expression.lastIndex = from;
        const found = expression.exec(text);
        if (!found) return -1;
        const end = signs.length <= BEGINNING ? expression.lastIndex : endAt(text, found.index);
        if (end >= 0) return end;
        compared += signs.length;
        if (compared > MOST_COMPARED) throw tooSlow();
        from = found.index + widthOf(text.codePointAt(found.index)!);
      }
    },
  };
}

function beginningOf(signs: readonly string[]): RegExp {
  const beginning = signs.slice(0, BEGINNING).map((sign) => (sign === '_' ? '[^]' : escapedRegex(sign)));
  return new RegExp(beginning.join(''), 'giu');
}

function tooSlow(): ServiceError {
  const msg = `expected at most ${BEGINNING} characters between two %, since the beginning of these occurs too often in a long string`;
  return new ServiceError('parameter_invalid', `matching: ${msg}.`, [
    { type: 'pattern_too_slow', loc: ['query', 'matching'], msg },
  ]);
}

/** Whether a code point is the same letter as a character, to a regular expression that ignores case. */
function letterTest(character: string): (code: number) => boolean {
  const own = character.codePointAt(0)!;
  const expression = new RegExp(`^${escapedRegex(character)}$`, 'iu');
  return (code) => code === own || expression.test(String.fromCodePoint(code));
}

const widthOf = (code: number) => (code > 0xffff ? 2 : 1);

const isAscii = (text: string) => !/[^\0-\x7f]/.test(text);

const escapedRegex = (text: string) => text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
