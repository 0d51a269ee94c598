/**
 * Strings as searches compare them: without case, accents, and differences of width.
 *
 * Each character folds by itself, so the fold of a substring is a substring of the fold. Strings that a `matching`
 * pattern takes for the same fold to the same string. One index of folded strings therefore serves words and patterns.
 */
import { isJsonObject, type JsonValue, Numeral } from './json.ts';

/** Letters that Unicode does not decompose, and the second form of sigma. */
const LETTERS: Readonly<Record<string, string>> = {
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  ł: 'l',
  þ: 'th',
  ħ: 'h',
  ς: 'σ',
};

/** A mark that is the letter iota to regular expressions without regard to case. */
const IOTA_BELOW = '\u0345';

/** A string without case, accents and differences of width; `ß` is `ss`. */
export function fold(text: string): string {
  // Most strings are ASCII, and need no normalization.
  if (!/[^\0-\x7f]/.test(text)) return text.toLowerCase();
  return text
    .normalize('NFKD')
    .replace(/\p{M}/gu, (mark) => (mark === IOTA_BELOW ? 'ι' : ''))
    .toLowerCase()
    .toUpperCase()
    .toLowerCase()
    .replace(/[æœøđðłþħς]/g, (letter) => LETTERS[letter] ?? letter);
}

/** All strings, numbers and booleans in a value, at any depth, as strings. */
export function scalarsIn(value: JsonValue): string[] {
  const found: string[] = [];
  const waiting: JsonValue[] = [value];
  for (let one = waiting.pop(); one !== undefined; one = waiting.pop()) {
    if (Array.isArray(one)) for (const item of one) waiting.push(item);
    else if (isJsonObject(one)) for (const member of Object.values(one)) waiting.push(member);
    else if (one !== null) found.push(one instanceof Numeral ? one.source : String(one));
  }
  return found;
}
