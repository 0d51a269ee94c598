/** A file that is not a table; the message is a sentence for a person. Rows are read as they are asked for, so it may come late. */
export class TableError extends Error {}

/** A table that is beyond a limit. */
export class TableTooLarge extends TableError {}

/** Why a cell has no value. */
export class CellFault extends Error {
  readonly type: string;

  constructor(type: string, message: string) {
    super(message);
    this.name = 'CellFault';
    this.type = type;
  }
}

/** A sheet has at most so many rows and columns, as in spreadsheet programs. */
export const MOST_ROWS = 1_048_576;
export const MOST_COLUMNS = 16_384;

/** How large a table may be. A reader stops at the first limit that it meets. */
export type TableLimits = {
  /** Bytes of an unpacked workbook: a small file may hold gigabytes. */
  readonly unpacked: number;
  /** Values of all rows: a cell has one more than it has `|`. The cells of a workbook share at most as many strings. */
  readonly values: number;
  /** Characters of all cells: many cells of a workbook may refer to one long string. */
  readonly characters: number;
};

const MIB = 1024 * 1024;

/** Of a file that a command reads. */
export const FILE_LIMITS: TableLimits = {
  unpacked: 256 * MIB,
  values: Number.POSITIVE_INFINITY,
  characters: Number.POSITIVE_INFINITY,
};

/** Of a request: reading such a table takes less than a second of processor time. */
export const REQUEST_LIMITS: TableLimits = { unpacked: 8 * MIB, values: 100_000, characters: 2_000_000 };

/** Counts cells while they are read. @throws TableTooLarge */
export function cellCounter({ values, characters }: TableLimits): (cell: string) => void {
  let valuesRead = 0;
  let charactersRead = 0;
  return (cell) => {
    valuesRead += 1;
    for (let at = cell.indexOf('|'); at >= 0; at = cell.indexOf('|', at + 1)) valuesRead += 1;
    charactersRead += cell.length;
    if (valuesRead > values) throw new TableTooLarge(`The table has more than ${values} values.`);
    if (charactersRead > characters)
      throw new TableTooLarge(`The cells have more than ${characters} characters.`);
  };
}

const LONGEST_SHOWN = 200;

/** The text of a cell as messages and faults have it. */
export function shorten(text: string): string {
  return text.length > LONGEST_SHOWN ? `${text.slice(0, LONGEST_SHOWN - 1)}…` : text;
}

/** A sheet of text cells, however it was written. Cells that are missing at the end of a row are empty. */
export type Table = {
  /** The name of the sheet, if the format has names. */
  readonly name?: string;
  /** The first row that is not a comment. */
  readonly header: readonly string[];
  /** The number of the header's row, counted from 1. */
  readonly headerRow: number;
  readonly rows: Iterable<TableRow>;
  /** The indexes of the columns that have numbers with decimal commas as text, in CSV. */
  readonly commas?: ReadonlySet<number>;
};

/** A row as a file has it. */
export type SheetRow = {
  readonly cells: readonly string[];
  /** Why cells have no value, by their index: a formula without a result, or an error such as `#N/A`. */
  readonly broken?: ReadonlyMap<number, string>;
  /** The indexes of cells that a workbook has as numbers: their text is exact, however people write numbers. */
  readonly numbers?: ReadonlySet<number>;
};

/** A sheet of a workbook. */
export type Sheet = { readonly name: string; readonly rows: Iterable<SheetRow> };

/** A row with its number as spreadsheet programs show it. */
export type TableRow = SheetRow & { readonly number: number };

/** The errors of spreadsheet programs (ECMA-376 part 1, 18.17.3), as they also write them to CSV. */
const ERROR_WORD = /^#(?:N\/A|REF!|VALUE!|DIV\/0!|NAME\?|NULL!|NUM!)$/;

export function isErrorWord(text: string): boolean {
  return ERROR_WORD.test(text.trim());
}

/** Why a cell with an error has no value. */
export function errorMessage(word: string): string {
  return `The cell has the error ${shorten(word.trim())}.`;
}

/** Why a cell with a formula has none. */
export const NO_RESULT =
  'The formula has no saved result. Open the file in a spreadsheet program, save it, and try again.';

/** Why a sheet that ends before its end is not read: its rows would be lost. */
export const BREAKS_OFF = 'The workbook is damaged: a sheet breaks off.';

/** The first cell of the help in a template begins with this. */
export const COMMENT = '#';
/** What each cell of this help ends with. */
export const HELP = /(?:^|\s)Expected: .+\.$/s;
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

/**
 * Takes the header off the rows; the help of a template and empty rows are skipped, and comments before the header.
 *
 * @param headerRow the number of the row with the header, if it is not the first one
 * @throws TableError
 */
export function tableOf(rows: Iterable<SheetRow>, name?: string, headerRow = 1): Table {
  const iterator = numbered(rows, headerRow)[Symbol.iterator]();
  const first = iterator.next();
  const named = name === undefined ? {} : { name };
  if (first.done) return { ...named, header: [], headerRow: 1, rows: [] };
  if (first.value.cells.length > MOST_COLUMNS)
    throw new TableTooLarge(`The table has more than ${MOST_COLUMNS} columns.`);
  return {
    ...named,
    header: first.value.cells,
    headerRow: first.value.number,
    rows: { [Symbol.iterator]: () => iterator },
  };
}

/** The rows of a format in which no cell is broken. */
export function* textRows(rows: Iterable<readonly string[]>): Generator<SheetRow> {
  for (const cells of rows) yield { cells };
}

function* numbered(rows: Iterable<SheetRow>, first: number): Generator<TableRow> {
  let number = 0;
  let isFirst = true;
  for (const row of rows) {
    number += 1;
    if (number < first) continue;
    const { cells, broken } = row;
    if (isHelp(row) || (isFirst && isComment(row)) || (!broken && cells.every((cell) => cell.trim() === '')))
      continue;
    isFirst = false;
    yield { ...row, number };
  }
}

/** Whether a row is the help of a template. Others that begin with its sign have values. */
function isHelp({ cells, broken }: SheetRow): boolean {
  const [first = ''] = cells;
  return (
    first.startsWith(`${COMMENT} `) && !broken && cells.every((cell) => cell.trim() === '' || HELP.test(cell))
  );
}

/** Whether a row before the header is a comment: a line of one cell. */
function isComment({ cells, broken }: SheetRow): boolean {
  const [first = '', ...others] = cells;
  return (
    first.startsWith(COMMENT) && !isErrorWord(first) && !broken && others.every((cell) => cell.trim() === '')
  );
}
