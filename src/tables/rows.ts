/** Rows ⇄ records of one class. Every fault has its row and column. */
import type { Problem } from '../errors.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../json.ts';
import type { Schema } from '../schema/schema.ts';
import { nearest } from '../schema/suggestions.ts';
import { type CellContext, CellFault, type FindLabel, readCell, writeCell } from './cells.ts';
import { type Column, columnNamed, columnsOf, nameIn } from './columns.ts';
import { columnLetters, NOTE, shortened, type Table } from './table.ts';

/** One thing that is wrong with a table. */
export type TableFault = {
  /** The number of the row, counted from 1 as spreadsheet programs do. */
  readonly row: number;
  /** The letters of the column; empty if the fault concerns the row as a whole. */
  readonly column: string;
  /** The header of the column, cut at 200 characters. */
  readonly header: string;
  /** The text of the cell, cut at 200 characters. */
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
  const columns = columnsIn(table, options);
  const faults = headerFaults(table, columns, options);
  if (faults.length > 0) {
    yield { row: table.headerRow, cells: table.header, faults };
    return;
  }
  const context = contextOf(options);
  const columnOf = columnFinder(columns);
  const seen = new Map<string, number>();
  for (const { number, cells } of table.rows) {
    const read = readRow(number, cells, table.header, columns, columnOf, context, options);
    yield withoutRepeat(read, table, columns, seen);
  }
}

/** The classes of which records are referred to by label. */
export function classesByLabel(table: Table, options: ReadOptions): Set<string> {
  const found = new Set<string>();
  const findLabel: FindLabel = (_label, className) => {
    found.add(className);
    return ['a:pid'];
  };
  const context = contextOf({ ...options, findLabel });
  const columns = columnsIn(table, options);
  for (const { cells } of table.rows) {
    for (const [index, column] of columns.entries()) {
      const { range } = column?.value ?? {};
      if (range?.kind === 'class' && range.inlining === 'reference')
        readCell(cells[index] ?? '', column!.value, context);
    }
  }
  return found;
}

function columnsIn({ header }: Table, { schema, className }: ReadOptions): (Column | undefined)[] {
  return header.map((text) =>
    text.trim() === '' || text.startsWith(NOTE) ? undefined : columnNamed(schema, className, text),
  );
}

function contextOf({ schema, findLabel }: ReadOptions): CellContext {
  const isPid = (text: string) => text.includes(':') && schema.expand(text) !== undefined;
  return { isPid, findLabel: findLabel ?? (() => []) };
}

/** The nearest slot is looked up for this many unknown columns. */
const MOST_GUESSES = 20;

function headerFaults(
  { header, headerRow }: Table,
  columns: readonly (Column | undefined)[],
  { schema, className }: ReadOptions,
): TableFault[] {
  if (header.length === 0)
    return [rowFault(headerRow, -1, header, [], 'header_missing', 'The table is empty.')];
  const names = columnsOf(schema, className).map(({ path }) => path.join('.'));
  const first = new Map<string, number>();
  let guesses = 0;
  return header.flatMap((text, index) => {
    if (text.trim() === '' || text.startsWith(NOTE)) return [];
    const column = columns[index];
    if (!column) {
      const guess = guesses < MOST_GUESSES ? nearest(nameIn(text), names) : undefined;
      guesses += 1;
      const message = `The class ${className} has no slot "${shortened(text)}".${guess ? ` Did you mean ${guess}?` : ''}`;
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
  columnOf: (problem: Problem) => number,
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
  const unread = new Set(faults.map(({ column }) => column));
  const checked = schema.check(className, record);
  const problems = checked.valid ? (judge?.(record) ?? []) : checked.problems;
  for (const problem of problems) {
    const index = columnOf(problem);
    // A cell that could not be read is missing from the record: one fault is enough.
    if (index >= 0 && unread.has(columnLetters(index))) continue;
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
  const [title = '', value = ''] = [header[index], cells[index]];
  return { row, column, header: shortened(title), value: shortened(value), type, message };
}

/**
 * Finds the column whose path is the longest start of a problem's path, else the first one of an object that the problem
 * concerns as a whole; -1 if there is none.
 */
function columnFinder(columns: readonly (Column | undefined)[]): (problem: Problem) => number {
  const ofValue = new Map<string, number>();
  const ofObject = new Map<string, number>();
  const key = (path: readonly (string | number)[], length: number) => JSON.stringify(path.slice(0, length));
  for (const [index, column] of columns.entries()) {
    const { path } = column ?? { path: [] };
    ofValue.set(key(path, path.length), index);
    for (let length = 1; length < path.length; length += 1) {
      if (!ofObject.has(key(path, length))) ofObject.set(key(path, length), index);
    }
  }
  return ({ loc }) => {
    for (let length = loc.length; length > 0; length -= 1) {
      const index = ofValue.get(key(loc, length));
      if (index !== undefined) return index;
    }
    return ofObject.get(key(loc, loc.length)) ?? -1;
  };
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
