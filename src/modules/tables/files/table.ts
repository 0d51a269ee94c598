/** A sheet of any format: its header, its rows, and what is wrong with a cell. */
import { MIB, type TableLimits, TableTooLarge } from './limits.ts';

/** Why a cell has no value. */
export class CellFault extends Error {
  readonly type: string;
  /** What the cell shows: an error of a spreadsheet program. */
  readonly shown: string;

  constructor(type: string, message: string, shown = '') {
    super(message);
    this.name = 'CellFault';
    this.type = type;
    this.shown = shown;
  }
}

/** A sheet has at most so many columns, as in spreadsheet programs. */
export const MOST_COLUMNS = 16_384;

/** Of a request: reading such a table takes less than a second of processor time. */
export const REQUEST_LIMITS: TableLimits = {
  unpacked: 8 * MIB,
  values: 100_000,
  characters: 2_000_000,
  memory: 160,
  seconds: 1.2,
};

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
  /** They can be read several times. */
  readonly rows: Iterable<TableRow>;
  /** The indexes of the columns that have numbers with decimal commas as text, in CSV. */
  readonly commas?: ReadonlySet<number>;
  /** What is between the cells, in CSV. */
  readonly separator?: string;
  /** Whether days are counted from 1904, as in workbooks of early Macs. */
  readonly from1904?: boolean;
};

/** A row as a file has it. */
export type SheetRow = {
  readonly cells: readonly string[];
  /** Why cells have no value, by their index: a formula without a result, or an error such as `#N/A`. */
  readonly broken?: ReadonlyMap<number, string>;
  /** The indexes of cells that a workbook has as numbers: their text is exact, however people write numbers. */
  readonly numbers?: ReadonlySet<number>;
  /** What cells of a workbook are for slots of some types, by their index, if that is not their text. */
  readonly readings?: ReadonlyMap<number, Reading>;
};

/** What the format of a cell makes of its number: `02138` as text, the clock of a date and time for a slot of times. */
export type Reading = {
  readonly text?: string;
  readonly decimal?: string;
  readonly boolean?: string;
  readonly time?: string;
  readonly datetime?: string;
  /** The format of a number. */
  readonly format?: string;
};

type ReadAs = Exclude<keyof Reading, 'format'>;

/** The types whose cells have a reading of their own, or none; those of all others are read as texts. */
const READINGS: ReadonlyMap<string, ReadAs | undefined> = new Map([
  ...(['decimal', 'boolean', 'time', 'datetime'] as const).map((base) => [base, base] as const),
  ...['integer', 'nonNegativeInteger', 'float', 'double', 'date', 'date_or_datetime'].map(
    (base) => [base, undefined] as const,
  ),
]);

/**
 * The reading of a cell that a slot takes; undefined for the text of the cell.
 *
 * @param kind the kind of the slot's range
 * @param base the base of its type, if it has one
 */
export function readingFor(kind: string, base = ''): ReadAs | undefined {
  if (kind === 'type') return READINGS.has(base) ? READINGS.get(base) : 'text';
  return kind === 'enum' || kind === 'class' ? 'text' : undefined;
}

/** A sheet of a workbook. */
export type Sheet = { readonly name: string; readonly rows: readonly TableRow[] };

/** A row of a source, with its number if that is not one more than that of the row before. */
type SourceRow = SheetRow & { readonly number?: number };

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

/** Why a cell with a duration has none. */
export function durationMessage(shown: string): string {
  return `The cell has a duration (${shorten(shown)}), which is not a time of a day.`;
}

/** The first cell of the help in a template begins with this. */
export const COMMENT = '#';
/** What each cell of this help ends with. */
const HELP = /(?:^|\s)Expected: .+\.$/s;
/** A column whose header starts with this is for people: the reasons in a file of rejected rows. */
export const NOTE = '!';

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
export function tableOf(rows: Iterable<SourceRow>, name?: string, headerRow = 1): Table {
  const [first] = numbered(rows, headerRow);
  const named = name === undefined ? {} : { name };
  if (!first) return { ...named, header: [], headerRow: 1, rows: [] };
  if (first.cells.length > MOST_COLUMNS)
    throw new TableTooLarge(`The table has more than ${MOST_COLUMNS} columns.`);
  return {
    ...named,
    header: first.cells,
    headerRow: first.number,
    rows: { [Symbol.iterator]: () => behind(numbered(rows, headerRow)) },
  };
}

function* behind(rows: Generator<TableRow>): Generator<TableRow> {
  rows.next();
  yield* rows;
}

/** The rows of a format in which no cell is broken. */
export function textRows(rows: Iterable<readonly string[]>): Iterable<SheetRow> {
  return {
    *[Symbol.iterator]() {
      for (const cells of rows) yield { cells };
    },
  };
}

function* numbered(rows: Iterable<SourceRow>, first: number): Generator<TableRow> {
  let number = 0;
  let isFirst = true;
  for (const row of rows) {
    number = row.number ?? number + 1;
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
