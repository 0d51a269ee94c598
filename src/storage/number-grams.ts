/**
 * Long numbers in the text index. Each group of three digits is in many records of a large area, so that the index would
 * walk long lists for a single number. Therefore it has groups of five characters of numbers, too: each group of three is
 * one character of a private area of Unicode, so that a trigram of those stands for five.
 */

/** What identifiers, dates and telephone numbers are made of. */
const SIGNS = '0123456789-';
const NUMBER = new RegExp(`[${SIGNS}]{5,}`, 'g');
const DIGITS = /^\d+$/;
const GRAM = 5;
/** The first character of the private area. */
const PRIVATE = 0xf0000;

/** What is appended to a folded text before its trigrams are indexed. */
export function numberText(folded: string): string {
  return [...new Set(folded.match(NUMBER))].map(encoded).join('');
}

/** Of the longest number in some strings two groups that differ most between records, as the index has them; or one, or none. */
export function numberGrams(strings: readonly string[]): string[] {
  const longest = strings
    .flatMap((string) => string.match(NUMBER) ?? [])
    .map(gramsOf)
    .reduce((most, grams) => (grams.length > most.length ? grams : most), []);
  // Numbers differ most at their ends.
  const [last, before] = [longest.at(-1), longest[Math.max(0, longest.length - 1 - GRAM)]];
  return [...new Set([last, before])].filter((gram) => gram !== undefined).map(encoded);
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
  for (let i = 0; i + 2 < values.length; i++) {
    const code = (values[i]! * SIGNS.length + values[i + 1]!) * SIGNS.length + values[i + 2]!;
    text += String.fromCodePoint(PRIVATE + code);
  }
  return text;
}
