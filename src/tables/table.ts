/** A file that is not a table; the message is a sentence for a person. Rows are read as they are asked for, so it may come late. */
export class TableError extends Error {}

/** A sheet has at most so many rows, as in spreadsheet programs. */
export const MOST_ROWS = 1_048_576;

/** A sheet of text cells, however it was written. Cells that are missing at the end of a row are empty. */
export type Table = {
  /** The name of the sheet, if the format has names. */
  readonly name?: string;
  /** The first row that is not a comment. */
  readonly header: readonly string[];
  /** The number of the header's row, counted from 1. */
  readonly headerRow: number;
  readonly rows: Iterable<TableRow>;
};

/** A row with its number as spreadsheet programs show it. */
export type TableRow = { readonly number: number; readonly cells: readonly string[] };

/** A row whose first cell starts with this is a comment: help in a template. */
export const COMMENT = '#';
/** A column whose header starts with this is for people: the reasons in a file of rejected rows. */
export const NOTE = '!';

/** `A`, `B` … `Z`, `AA`: the column of an index from 0. */
export function columnLetters(index: number): string {
  const above = Math.floor(index / 26) - 1;
  return (above >= 0 ? columnLetters(above) : '') + String.fromCharCode(65 + (index % 26));
}

/** The index from 0 of a column's letters; -1 for what is not letters. */
export function columnIndex(letters: string): number {
  let index = 0;
  for (const letter of letters.toUpperCase()) index = index * 26 + letter.charCodeAt(0) - 64;
  return index - 1;
}

/** Takes the header off the rows; comments and empty rows are skipped. @throws TableError */
export function tableOf(rows: Iterable<readonly string[]>, name?: string): Table {
  const iterator = numbered(rows)[Symbol.iterator]();
  const first = iterator.next();
  const named = name === undefined ? {} : { name };
  if (first.done) return { ...named, header: [], headerRow: 1, rows: [] };
  return {
    ...named,
    header: first.value.cells,
    headerRow: first.value.number,
    rows: { [Symbol.iterator]: () => iterator },
  };
}

function* numbered(rows: Iterable<readonly string[]>): Generator<TableRow> {
  let number = 0;
  for (const cells of rows) {
    number += 1;
    if (cells[0]?.startsWith(COMMENT) || cells.every((cell) => cell.trim() === '')) continue;
    yield { number, cells };
  }
}
