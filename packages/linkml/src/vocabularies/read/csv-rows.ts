/**
 * Reads CSV as RFC 4180 describes it and spreadsheet programs write it: quoted cells may have separators, quotes (doubled) and
 * line breaks. The separator (`,`, `;` or a tab) is recognized from the first line, or named in a line `sep=;` before it, which
 * spreadsheet programs read and do not show; a byte order mark is skipped.
 */

const MARK = '\ufeff';

/**
 * A cell that begins with a quote, which is never closed, or has text behind the closing one. Several rows, or all to the end,
 * would be one cell.
 */
export class QuoteError extends Error {
  /** The number of its row from 1, and the index of its column from 0. */
  readonly row: number;
  readonly column: number;

  constructor(reason: string, row: number, column: number) {
    super(`the cell begins with a quote ${reason}`);
    this.name = 'QuoteError';
    this.row = row;
    this.column = column;
  }
}

/**
 * The rows of a string, read as they are asked for.
 *
 * @param check called with each cell when it is read; may throw
 * @throws QuoteError
 */
export function* csvRows(text: string, check?: (cell: string) => void): Generator<string[]> {
  const { separator, start } = separatorIn(text);
  let at = start;
  let row: string[] = [];
  let number = 1;
  while (at < text.length) {
    const read = text[at] === '"' ? quotedCell(text, at, separator) : bareCell(text, at, separator);
    if (typeof read === 'string') throw new QuoteError(read, number, row.length);
    const [cell, end] = read;
    check?.(cell);
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
  }
  if (row.length > 0) yield row;
}

/** The separator of a string, and where its first row begins. */
export function separatorIn(text: string): { readonly separator: string; readonly start: number } {
  const marked = text.startsWith(MARK) ? 1 : 0;
  const named = namedSeparator(text, marked);
  const start = named?.end ?? marked;
  return { separator: named?.separator ?? separatorOf(text, start), start };
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

/** Returns a string for quotes that are not those of a cell: what is wrong with the first one. */
function quotedCell(text: string, start: number, separator: string): [cell: string, end: number] | string {
  let quote = text.indexOf('"', start + 1);
  while (quote >= 0 && text[quote + 1] === '"') quote = text.indexOf('"', quote + 2);
  if (quote < 0) return 'that is never closed';
  const [rest, end] = bareCell(text, quote + 1, separator);
  if (rest.trim() !== '') return 'and has text behind the closing one; double quotes that are part of a cell';
  return [text.slice(start + 1, quote).replaceAll('""', '"') + rest, end];
}
