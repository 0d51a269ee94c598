/**
 * Long numbers in the text index. Each group of three digits is in many records of a large area, so that the index would
 * walk long lists for a single number. Therefore it has groups of six characters of numbers, too: each group of four is one
 * character of a private area of Unicode, so that a trigram of those stands for six.
 */

/** What identifiers, dates and telephone numbers are made of. */
const SIGNS = '0123456789-';
const NUMBER = new RegExp(`[${SIGNS}]{6,}`, 'g');
const DIGITS = /^\d+$/;
const GRAM = 6;
/** Characters that become one. */
const CODED = 4;
/** The first character of the private area. */
const PRIVATE = 0xf0000;

/** What is appended to a folded text before its trigrams are indexed. */
export function numberText(folded: string): string {
  return [...new Set(folded.match(NUMBER))].map(encoded).join('');
}

/** Of the longest number in some strings, the group that differs most between records, as the index has it. */
export function numberGram(strings: readonly string[]): string | undefined {
  const longest = strings
    .flatMap((string) => string.match(NUMBER) ?? [])
    .map(gramsOf)
    .reduce((most, grams) => (grams.length > most.length ? grams : most), []);
  // Numbers differ most at their ends.
  const last = longest.at(-1);
  return last && encoded(last);
}

/** The groups of a number; those with a hyphen only if there are no others. */
function gramsOf(number: string): string[] {
  const grams = Array.from({ length: number.length - GRAM + 1 }, (_, i) => number.slice(i, i + GRAM));
  const digits = grams.filter((gram) => DIGITS.test(gram));
  return digits.length > 0 ? digits : grams;
}

function encoded(number: string): string {
  const values = Array.from(number, (sign) => SIGNS.indexOf(sign));
  let text = '';
  for (let end = CODED; end <= values.length; end++) {
    const code = values.slice(end - CODED, end).reduce((sum, value) => sum * SIGNS.length + value, 0);
    text += String.fromCodePoint(PRIVATE + code);
  }
  return text;
}
