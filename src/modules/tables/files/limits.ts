/** What the formats of tables share: the errors of their readers, limits, and the names of columns. */

/** A file that is not a table; the message is a sentence for a person. Rows are read as they are asked for, so it may come late. */
export class TableError extends Error {}

/** A table that is beyond a limit. */
export class TableTooLarge extends TableError {}

/** A sheet has at most so many rows, as in spreadsheet programs. */
export const MOST_ROWS = 1_048_576;

/** How large a table may be. A reader stops at the first limit that it meets. */
export type TableLimits = {
  /** Bytes of an unpacked workbook: a small file may hold gigabytes. */
  readonly unpacked: number;
  /** Values of all rows: a cell has one more than it has `|`. */
  readonly values: number;
  /** Characters of all cells: many cells of a workbook may refer to one long string. */
  readonly characters: number;
  /** Memory of the thread that reads a workbook, in MiB, and its processor time, in seconds. */
  readonly memory: number;
  readonly seconds: number;
};

export const MIB = 1024 * 1024;

/** Of a file that a command reads. */
export const FILE_LIMITS: TableLimits = {
  unpacked: 256 * MIB,
  values: Number.POSITIVE_INFINITY,
  characters: Number.POSITIVE_INFINITY,
  memory: 8192,
  seconds: 600,
};

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

/** `A`, `B` … `Z`, `AA`: the column of an index from 0. */
export function columnLetters(index: number): string {
  const above = Math.floor(index / 26) - 1;
  return (above >= 0 ? columnLetters(above) : '') + String.fromCharCode(65 + (index % 26));
}
