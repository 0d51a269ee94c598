/**
 * Strings that look the same and differ: in how letters are composed (NFC, NFD), in signs without a width, in blanks, and in
 * letters of other scripts. Messages that show two of them say where they differ.
 */

/** Code points that are not shown (Unicode, Default_Ignorable_Code_Point): zero-width blanks, marks of order, soft hyphens. */
const IGNORABLE = /\p{Default_Ignorable_Code_Point}+/gu;
const PLAIN = /^[\x20-\x7e]*$/;

/** A string as labels, headers and names are compared: composed, without signs that are not shown. Case and blanks remain. */
export function comparable(text: string): string {
  return PLAIN.test(text) ? text : text.replace(IGNORABLE, '').normalize('NFC');
}

/** Letters of the Greek and Cyrillic scripts that look like Latin ones, and signs that look like those of ASCII. */
const LOOK: ReadonlyMap<string, string> = new Map(
  [
    ['АВСЕНІЈКМОРЅТУХаеіјорсухѕԁԛԝһӏ', 'ABCEHIJKMOPSTYXaeijopcyxsdqwhl'],
    ['ΑΒΕΖΗΙΚΜΝΟΡΤΥΧοινυ', 'ABEZHIKMNOPTYXoivu'],
    ['‐‑‒–—―−', '-------'],
    ['‘’‚‛′ʼ', "''''''"],
    ['“”„‟″', '"""""'],
  ].flatMap(([from = '', to = '']) =>
    [...from].map((letter, index): [string, string] => [letter, to[index]!]),
  ),
);

/** Longer strings are not compared by their looks. */
export const LONGEST_COMPARED = 400;

/** A string by its looks: equal for strings that look the same to people. */
export function looksOf(text: string): string {
  if (PLAIN.test(text)) return text.trim();
  const letters = [...text.replace(IGNORABLE, '').normalize('NFKC')];
  return letters
    .map((letter) => LOOK.get(letter) ?? letter)
    .join('')
    .replaceAll(/\s+/g, ' ')
    .trim();
}

/** Where two strings that look the same differ, by their code points: `has U+0430 in place of U+0061`. */
export function differenceOf(found: string, expected: string): string {
  const [a, b] = [[...found], [...expected]];
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start += 1;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a.at(-1 - end) === b.at(-1 - end)) end += 1;
  const [more, less] = [a, b].map((all) =>
    all
      .slice(start, all.length - end)
      .slice(0, 8)
      .map(codePoint)
      .join(' '),
  );
  if (less === '') return `has ${more} more`;
  return more === '' ? `lacks ${less}` : `has ${more} in place of ${less}`;
}

function codePoint(letter: string): string {
  return `U+${letter.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`;
}
