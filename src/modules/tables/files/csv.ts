/** CSV for people and spreadsheet programs: within limits, without formulas, with the encodings of its files. */

import { csvRows, QuoteError } from '#linkml/vocabularies/read/csv-rows.ts';
import {
  cellCounter,
  columnLetters,
  FILE_LIMITS,
  MOST_ROWS,
  TableError,
  type TableLimits,
  TableTooLarge,
} from './limits.ts';

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
  // Quotes in a cell are doubled.
  if (text.length > 2 * limits.characters)
    throw new TableTooLarge(`The file has more than ${2 * limits.characters} characters.`);
  let rows = 0;
  try {
    for (const row of csvRows(text, cellCounter(limits))) {
      rows += 1;
      if (rows > MOST_ROWS) throw new TableError(`The file has more than ${MOST_ROWS} rows.`);
      yield row;
    }
  } catch (error) {
    if (!(error instanceof QuoteError)) throw error;
    throw new TableError(`Row ${error.row}, column ${columnLetters(error.column)}: ${error.message}.`);
  }
}

/** One row with its line end. */
export function csvRow(cells: readonly string[], separator = ','): string {
  return `${cells.map((cell) => csvCell(cell, separator)).join(separator)}\r\n`;
}

/** The line before the first row that names a separator which programs do not recognize. */
export function separatorLine(separator: string): string {
  return /[,;\t]/.test(separator) ? '' : `sep=${separator}\r\n`;
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

function csvCell(value: string, separator: string): string {
  const text = needsGuard(value) ? GUARD + value : value;
  return text.includes(separator) || /[",;\t\r\n]|^\s|\s$|^\ufeff/.test(text)
    ? `"${text.replaceAll('"', '""')}"`
    : text;
}
