/**
 * CSV as RFC 4180 describes it and spreadsheet programs write it: quoted cells may hold separators, quotes (doubled) and
 * line breaks. The separator (`,`, `;` or a tab) is recognized from the first line, or named in a line `sep=;` before it, which
 * spreadsheet programs read and do not show; a byte order mark is skipped.
 */
import {
  cellCounter,
  columnLetters,
  FILE_LIMITS,
  MOST_ROWS,
  TableError,
  type TableLimits,
  TableTooLarge,
} from './table.ts';

const MARK = '\ufeff';

/** Marks text as UTF-8, for programs that would guess another encoding. */
export function markedText(text: string): string {
  return `${MARK}${text}`;
}

/** The encoding that the first bytes of a file mark, whatever one is named: Excel saves "Unicode text" as UTF-16. */
export function markedEncoding(bytes: Uint8Array): string | undefined {
  return ['utf-8', 'utf-16le', 'utf-16be'].find((encoding) =>
    new TextDecoder(encoding, { ignoreBOM: true }).decode(bytes.subarray(0, 4)).startsWith(MARK),
  );
}

/** The bytes that are looked at for an encoding. */
const FIRST_BYTES = 1000;

/** UTF-16 without a mark: the letters of ASCII in it, such as separators and line ends, have a zero byte on the same side. */
export function unmarkedUtf16(bytes: Uint8Array): 'utf-16le' | 'utf-16be' | undefined {
  let even = 0;
  let odd = 0;
  for (const [index, byte] of bytes.subarray(0, FIRST_BYTES).entries()) {
    if (byte !== 0) continue;
    if (index % 2 === 0) even += 1;
    else odd += 1;
  }
  if (bytes.length % 2 !== 0 || even + odd < 2) return undefined;
  if (odd > 9 * even) return 'utf-16le';
  return even > 9 * odd ? 'utf-16be' : undefined;
}

/** The rows of a string, read as they are asked for. @throws TableError */
export function* readCsv(text: string, limits: TableLimits = FILE_LIMITS): Generator<string[]> {
  const count = cellCounter(limits);
  // Quotes in a cell are doubled.
  if (text.length > 2 * limits.characters)
    throw new TableTooLarge(`The file has more than ${2 * limits.characters} characters.`);
  const marked = text.startsWith(MARK) ? 1 : 0;
  const named = namedSeparator(text, marked);
  const start = named?.end ?? marked;
  const separator = named?.separator ?? separatorOf(text, start);
  let at = start;
  let row: string[] = [];
  let number = 1;
  while (at < text.length) {
    const read = text[at] === '"' ? quotedCell(text, at, separator) : bareCell(text, at, separator);
    // All rows to the end would be one cell.
    if (!read)
      throw new TableError(
        `Row ${number}, column ${columnLetters(row.length)}: the cell begins with a quote that is never closed.`,
      );
    const [cell, end] = read;
    count(cell);
    row.push(cell);
    const next = text[end];
    at = end + 1;
    if (next === separator) {
      // A separator at the very end is followed by an empty cell.
      if (at === text.length) row.push('');
      continue;
    }
    if (next === '\r' && text[at] === '\n') at += 1;
    yield row;
    row = [];
    number += 1;
    if (number > MOST_ROWS && at < text.length)
      throw new TableError(`The file has more than ${MOST_ROWS} rows.`);
  }
  if (row.length > 0) yield row;
}

const SEPARATOR_LINE = /"?sep=([^"\r\n])"?[;,\t]*(?:\r\n|\r|\n|$)/iy;

/** The separator that the first line names, and the end of this line. */
function namedSeparator(text: string, start: number): { separator: string; end: number } | undefined {
  SEPARATOR_LINE.lastIndex = start;
  const found = SEPARATOR_LINE.exec(text);
  return found?.[1] === undefined ? undefined : { separator: found[1], end: SEPARATOR_LINE.lastIndex };
}

/** Characters of the first line that are read to find the separator. */
const LONGEST_SAMPLE = 100_000;

/** The one that is most frequent in the first line, outside of quotes. */
function separatorOf(text: string, start: number): string {
  const [first = ''] = text.slice(start, start + LONGEST_SAMPLE).split(/[\r\n]/, 1);
  const line = first.replaceAll(/"[^"]*"/g, '');
  const count = (separator: string) => line.split(separator).length;
  return [';', '\t'].reduce((best, one) => (count(one) > count(best) ? one : best), ',');
}

function bareCell(text: string, start: number, separator: string): [cell: string, end: number] {
  let end = start;
  while (end < text.length && text[end] !== separator && text[end] !== '\n' && text[end] !== '\r') end += 1;
  return [text.slice(start, end), end];
}

/** Undefined for a quote that is never closed. */
function quotedCell(text: string, start: number, separator: string): [cell: string, end: number] | undefined {
  let quote = text.indexOf('"', start + 1);
  while (quote >= 0 && text[quote + 1] === '"') quote = text.indexOf('"', quote + 2);
  if (quote < 0) return undefined;
  const [rest, end] = bareCell(text, quote + 1, separator);
  return [text.slice(start + 1, quote).replaceAll('""', '"') + rest, end];
}

/** One row with its line end. */
export function csvRow(cells: readonly string[]): string {
  return `${cells.map(csvCell).join(',')}\r\n`;
}

/** Spreadsheet programs run what begins with one of these. A quote in front keeps them from it; numbers need none. */
const FORMULA = /^[=+\-@\t\r]/;
const NUMBER = /^[+-]?[\d.]+(e[+-]?\d+)?$/i;
/**
 * The quote and a sign that people and other programs do not write behind it: a cell that another program has written, such as
 * `'+' strand`, begins with a quote of its own.
 */
const GUARD = "'\\";

function needsGuard(text: string): boolean {
  return (FORMULA.test(text) && !NUMBER.test(text)) || isGuarded(text);
}

function isGuarded(text: string): boolean {
  const inner = text.startsWith(GUARD) ? text.slice(GUARD.length) : undefined;
  return inner !== undefined && needsGuard(inner);
}

/** A cell without what {@link csvRow} puts in front of formulas. */
export function plainCell(cell: string): string {
  return isGuarded(cell) ? cell.slice(GUARD.length) : cell;
}

function csvCell(value: string): string {
  const text = needsGuard(value) ? GUARD + value : value;
  return /[",;\t\r\n]|^\s|\s$|^\ufeff/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
