/** Rows ⇄ records of one class. Every fault has its row and column. */
import type { Problem } from '../errors.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../json.ts';
import type { Schema } from '../schema/schema.ts';
import { nearest } from '../schema/suggestions.ts';
import { type CellContext, CellFault, type FindLabel, readCell, writeCell } from './cells.ts';
import { type Column, columnNamed, columnsOf } from './columns.ts';
import { columnLetters, NOTE, type Table } from './table.ts';

/** One thing that is wrong with a table. */
export type TableFault = {
  /** The number of the row, counted from 1 as spreadsheet programs do. */
  readonly row: number;
  /** The letters of the column; empty if the fault concerns the row as a whole. */
  readonly column: string;
  /** The header of the column. */
  readonly header: string;
  /** The text of the cell. */
  readonly value: string;
  readonly type: string;
  readonly message: string;
};

/** What became of a row: a record, or faults. */
export type RowResult = {
  readonly row: number;
  readonly cells: readonly string[];
  readonly record?: JsonObject;
  readonly faults: readonly TableFault[];
};

export type ReadOptions = {
  readonly schema: Schema;
  readonly className: string;
  /** Finds records by label; by default no label is known. */
  readonly findLabel?: FindLabel;
  /** Judges a record beyond its schema: why the service would refuse it. */
  readonly judge?: (record: JsonObject) => readonly Problem[];
};

/** Reads a table. Wrong headers are faults of the header row, and then no row is read: a value must not be lost silently. */
export function* readRows(table: Table, options: ReadOptions): Generator<RowResult> {
  const columns = table.header.map((header) =>
    header.trim() === '' || header.startsWith(NOTE)
      ? undefined
      : columnNamed(options.schema, options.className, header),
  );
  const faults = headerFaults(table, columns, options);
  if (faults.length > 0) {
    yield { row: table.headerRow, cells: table.header, faults };
    return;
  }
  const context: CellContext = {
    isPid: (text) => text.includes(':') && options.schema.expand(text) !== undefined,
    findLabel: options.findLabel ?? (() => []),
  };
  const seen = new Map<string, number>();
  for (const { number, cells } of table.rows) {
    const read = readRow(number, cells, table.header, columns, context, options);
    yield withoutRepeat(read, table, columns, seen);
  }
}

function headerFaults(
  { header, headerRow }: Table,
  columns: readonly (Column | undefined)[],
  { schema, className }: ReadOptions,
): TableFault[] {
  if (header.length === 0)
    return [rowFault(headerRow, -1, header, [], 'header_missing', 'The table is empty.')];
  const names = columnsOf(schema, className).map(({ path }) => path.join('.'));
  const first = new Map<string, number>();
  return header.flatMap((text, index) => {
    if (text.trim() === '' || text.startsWith(NOTE)) return [];
    const column = columns[index];
    if (!column) {
      const guess = nearest(text.replace(/\s*\*$/, ''), names);
      const message = `The class ${className} has no slot "${text}".${guess ? ` Did you mean ${guess}?` : ''}`;
      return [rowFault(headerRow, index, header, header, 'column_unknown', message)];
    }
    const path = column.path.join('.');
    const before = first.get(path);
    first.set(path, index);
    if (before === undefined) return [];
    const message = `The columns ${columnLetters(before)} and ${columnLetters(index)} are both for ${path}.`;
    return [rowFault(headerRow, index, header, header, 'column_repeated', message)];
  });
}

function readRow(
  row: number,
  cells: readonly string[],
  header: readonly string[],
  columns: readonly (Column | undefined)[],
  context: CellContext,
  { schema, className, judge }: ReadOptions,
): RowResult {
  const faults: TableFault[] = [];
  const record: JsonObject = {};
  for (const [index, text] of cells.entries()) {
    const column = columns[index];
    if (!column) {
      if (text.trim() !== '' && !header[index]) {
        faults.push(rowFault(row, index, header, cells, 'column_unknown', 'The column has no header.'));
      }
      continue;
    }
    try {
      const value = readCell(text, column.value, context);
      if (value !== undefined) place(record, column.path, value);
    } catch (error) {
      if (!(error instanceof CellFault)) throw error;
      faults.push(rowFault(row, index, header, cells, error.type, error.message));
    }
  }
  const checked = schema.check(className, record);
  const problems = checked.valid ? (judge?.(record) ?? []) : checked.problems;
  for (const problem of problems) {
    const index = columnOfProblem(problem, columns);
    // A cell that could not be read is missing from the record: one fault is enough.
    if (faults.some(({ column }) => column === columnLetters(index) && index >= 0)) continue;
    faults.push(rowFault(row, index, header, cells, problem.type, problem.msg));
  }
  if (faults.length > 0 || !checked.valid) return { row, cells, faults };
  return { row, cells, record, faults };
}

/** Two rows with one pid: the second would replace the first. */
function withoutRepeat(
  read: RowResult,
  { header }: Table,
  columns: readonly (Column | undefined)[],
  seen: Map<string, number>,
): RowResult {
  const pid = read.record?.pid;
  if (typeof pid !== 'string') return read;
  const before = seen.get(pid);
  if (before === undefined) {
    seen.set(pid, read.row);
    return read;
  }
  const index = columns.findIndex((column) => column?.path[0] === 'pid');
  const message = `The pid ${pid} is already in row ${before}.`;
  return {
    row: read.row,
    cells: read.cells,
    faults: [rowFault(read.row, index, header, read.cells, 'pid_repeated', message)],
  };
}

function rowFault(
  row: number,
  index: number,
  header: readonly string[],
  cells: readonly string[],
  type: string,
  message: string,
): TableFault {
  const column = index < 0 ? '' : columnLetters(index);
  return { row, column, header: header[index] ?? '', value: cells[index] ?? '', type, message };
}

/** The column whose path is the longest start of a problem's path. */
function columnOfProblem({ loc }: Problem, columns: readonly (Column | undefined)[]): number {
  let best = -1;
  let length = 0;
  for (const [index, column] of columns.entries()) {
    if (!column || column.path.length <= length) continue;
    if (!column.path.every((part, i) => loc[i] === part)) continue;
    best = index;
    length = column.path.length;
  }
  // The problem may concern an object as a whole, whose slots are columns.
  if (best >= 0 || loc.length === 0) return best;
  return columns.findIndex(
    (column) => column !== undefined && loc.every((part, i) => column.path[i] === part),
  );
}

function place(record: JsonObject, path: readonly string[], value: JsonValue): void {
  let at = record;
  for (const part of path.slice(0, -1)) {
    const inner = Object.hasOwn(at, part) ? at[part] : undefined;
    const next: JsonObject = isJsonObject(inner) ? inner : {};
    set(at, part, next);
    at = next;
  }
  set(at, path.at(-1) as string, value);
}

/** Sets a member whatever its key is; a plain assignment to `__proto__` would be lost. */
function set(target: JsonObject, key: string, value: JsonValue): void {
  Object.defineProperty(target, key, { value, enumerable: true, writable: true, configurable: true });
}

/** The cells of a record in the order of some columns. */
export function writeRow(record: JsonObject, columns: readonly Column[]): string[] {
  return columns.map(({ path, value }) => {
    let at: JsonValue | undefined = record;
    for (const part of path) at = isJsonObject(at) && Object.hasOwn(at, part) ? at[part] : undefined;
    return writeCell(at, value);
  });
}
