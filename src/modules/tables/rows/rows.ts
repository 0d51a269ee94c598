/** Rows ⇄ records of one class. Every fault has its row and column. */

import { canonicalJson, isJsonObject, type JsonObject, type JsonValue, setMember } from '#linkml/json.ts';
import { candidatesIn, didYouMean, type SuggestionBudget, suggestionBudget } from '#linkml/suggestions.ts';
import type { Problem } from '../../../core/errors.ts';
import type { Schema } from '../../../core/schema/schema.ts';
import { asDefined, classNamedIn, withoutType } from '../../../core/schema-type.ts';
import { objectOf, type Shape, textSchema } from '../../../core/shapes.ts';
import { columnLetters } from '../files/limits.ts';
import {
  CellFault,
  errorMessage,
  isErrorWord,
  NOTE,
  readingFor,
  type SheetRow,
  shorten,
  type Table,
  type TableRow,
} from '../files/table.ts';
import { type CellContext, type FindLabel, readCell, writeCell } from './cells.ts';
import { type Column, columnNamed, columnsOf, type HeaderMap, nameIn, type Value } from './columns.ts';
import { type CellLocale, hintFor } from './locale.ts';

export const cell = {
  row: { type: 'integer', description: 'The number of the row, as spreadsheet programs show it.' },
  column: { type: 'string', description: 'The letters of the column; empty for the row as a whole.' },
  header: { type: 'string' },
} as const;

export const faultSchema = {
  title: 'A fault of a table',
  ...objectOf({
    ...cell,
    value: { ...textSchema, description: 'The text of the cell.' },
    type: { ...textSchema, description: 'The kind of fault, for programs.' },
    message: textSchema,
  }),
} as const;
/** One thing that is wrong with a table; header and value are cut at 200 characters. */
export type TableFault = Shape<typeof faultSchema>;

export const removalSchema = {
  title: 'A value that an empty cell removes',
  ...objectOf({ ...cell, value: { ...textSchema, description: 'The value of the stored record.' } }),
} as const;
/** A value of the stored record that an empty cell removes, or a whole row that replaces the record. */
export type Removal = Shape<typeof removalSchema>;

export const noteSchema = {
  title: 'A cell whose value may not be what was typed into it',
  ...objectOf({
    ...cell,
    value: { ...textSchema, description: 'The value that is stored.' },
    message: textSchema,
  }),
} as const;
export type CellNote = Shape<typeof noteSchema>;

export const changeSchema = objectOf({
  column: cell.column,
  header: cell.header,
  before: textSchema,
  after: textSchema,
});
/** A value of the stored record that a cell changes, before and after cut at 200 characters; empty strings stand for no value. */
type CellChange = Shape<typeof changeSchema>;

/** The outcome of a row: a record, or faults. */
export type RowResult = SheetRow & {
  readonly row: number;
  readonly record?: JsonObject;
  /** The changes to the stored record; undefined for a record that is not stored yet. */
  readonly changes?: readonly CellChange[];
  readonly faults: readonly TableFault[];
  readonly removed: readonly Removal[];
  readonly notes?: readonly CellNote[];
};

export type ReadOptions = {
  readonly schema: Schema;
  readonly className: string;
  /** Finds records by label; by default no label is known. */
  readonly findLabel?: FindLabel;
  /** How cells write numbers and dates, if not as the schema does. */
  readonly locale?: CellLocale;
  /** The slots of columns with other headers. */
  readonly map?: HeaderMap | undefined;
  /** Whether a row replaces the whole record; else the record keeps what the table has no column for. */
  readonly replace?: boolean;
  /** Judges a record beyond its schema: why the service would refuse it. */
  readonly judge?: (record: JsonObject) => readonly Problem[];
  /** What the suggestions for all rows may cost. Default: those of one table. */
  readonly suggestions?: SuggestionBudget;
};

/** Reads the rows of a table one by one. */
export type RowReader = {
  /** Faults of the header. With one, no row may be read: a value must not be lost silently. */
  readonly header: RowResult | undefined;
  /** The slot of each column, as `a.b`; undefined for a column that no slot belongs to. */
  readonly slots: readonly (string | undefined)[];
  readonly columns: readonly (Column | undefined)[];
  /** The pid in a row, if it is one. */
  pidIn(row: TableRow): string | undefined;
  /**
   * @param stored the record that has the pid of the row. It is changed: it keeps the values that the table has no column for,
   *   and an empty cell removes one
   */
  read(row: TableRow, stored?: JsonObject): RowResult;
};

export function rowReader(table: Table, readOptions: ReadOptions): RowReader {
  const options = { suggestions: suggestionBudget(), ...readOptions };
  const { header, headerRow, commas, from1904 } = table;
  const columns = columnsIn(table, options);
  const pidColumn = columns.findIndex((column) => column?.path[0] === 'pid');
  const columnOf = columnFinder(columns);
  const context = contextOf({ ...options, locale: { ...options.locale, from1904 } });
  const reading = { ...options, header, columns, commas, pidColumn, columnOf, context };
  const faults = headerFaults(table, columns, options);
  const seen = new Map<string, number>();
  const pidIn = (row: TableRow) => {
    const column = columns[pidColumn];
    const pid = column && readCell(cellText(row, pidColumn, column), column.value, context);
    return typeof pid === 'string' && context.isPid(pid) ? pid : undefined;
  };
  return {
    header: faults.length > 0 ? { row: headerRow, cells: header, faults, removed: [] } : undefined,
    slots: columns.map((column) => column?.path.join('.')),
    columns,
    pidIn,
    read: (row, stored) => withoutRepeat(readRow(row, stored, reading), pidIn(row), reading, seen),
  };
}

/** The effect of a row on the stored record. A row that changes nothing is not stored again. */
export function outcomeOf({ changes, removed }: RowResult): 'new' | 'changed' | 'unchanged' {
  if (!changes) return 'new';
  return changes.length + removed.length > 0 ? 'changed' : 'unchanged';
}

/** The faults of cells below a header that is refused, to be mended together. What a row lacks may be below a name that is wrong. */
export function cellFaults({ read }: RowReader, row: TableRow): TableFault[] {
  return read(row).faults.filter(
    ({ column, type, value }) => column !== '' && (type !== 'missing' || value === ''),
  );
}

/** All rows of a table of new records; below a header that is refused, those with faults. */
export function* readRows(table: Table, options: ReadOptions): Generator<RowResult> {
  const reader = rowReader(table, options);
  if (!reader.header) {
    for (const row of table.rows) yield reader.read(row);
    return;
  }
  yield reader.header;
  for (const row of table.rows) {
    const faults = cellFaults(reader, row);
    if (faults.length > 0) yield { row: row.number, cells: row.cells, faults, removed: [] };
  }
}

/** The columns of a header; undefined for notes and for names of no slot. */
export function columnsIn(
  { header }: Table,
  { schema, className, map = {} }: ReadOptions,
): (Column | undefined)[] {
  return header.map((text) => {
    if (text.trim() === '') return undefined;
    const name = nameIn(text);
    if (Object.hasOwn(map, name)) return columnNamed(schema, className, map[name]!);
    return text.startsWith(NOTE) ? undefined : columnNamed(schema, className, text);
  });
}

/** Rows that titles may take. */
const MOST_TITLE_ROWS = 20;

/** The row below a refused header that names more slots than it, and at least two: what is above it is a title. */
export function headerBelow(table: Table, options: ReadOptions): number | undefined {
  const slotsNamed = (header: readonly string[]) =>
    columnsIn({ ...table, header }, options).filter((column) => column !== undefined).length;
  let most = Math.max(1, slotsNamed(table.header));
  let found: number | undefined;
  let read = 0;
  for (const { number, cells } of table.rows) {
    const named = slotsNamed(cells);
    if (named > most) [most, found] = [named, number];
    read += 1;
    if (read === MOST_TITLE_ROWS) break;
  }
  return found;
}

export function contextOf({ schema, findLabel, locale }: ReadOptions): CellContext {
  const isPid = (text: string) => text.includes(':') && schema.expand(text) !== undefined;
  return { isPid, findLabel: findLabel ?? (() => []), ...(locale && { locale }) };
}

/** Slots in the message about a header that is like none of them. */
const MOST_SLOTS_LISTED = 40;

function headerFaults(
  { header, headerRow }: Table,
  columns: readonly (Column | undefined)[],
  { schema, className, suggestions }: ReadOptions,
): TableFault[] {
  if (header.length === 0)
    return [rowFault(headerRow, -1, header, [], 'header_missing', 'The table is empty.')];
  const names = candidatesIn(() => columnsOf(schema, className).map(({ path }) => path.join('.')));
  const first = new Map<string, number>();
  let isListed = false;
  const slotsOnce = () => {
    if (isListed) return '';
    isListed = true;
    const all = columnsOf(schema, className).map(({ path }) => path.join('.'));
    return ` Its slots are ${all.slice(0, MOST_SLOTS_LISTED).join(', ')}${all.length > MOST_SLOTS_LISTED ? ' …' : ''}.`;
  };
  return header.flatMap((text, index) => {
    if (text.trim() === '' || text.startsWith(NOTE)) return [];
    const column = columns[index];
    if (!column) {
      const hint = didYouMean(nameIn(text), names, undefined, suggestions);
      const message = `The class ${className} has no slot "${shorten(text)}".${hint || slotsOnce()}`;
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

type RowContext = ReadOptions & {
  readonly header: readonly string[];
  readonly columns: readonly (Column | undefined)[];
  readonly commas: Table['commas'];
  readonly pidColumn: number;
  readonly columnOf: (problem: Problem) => number;
  readonly context: CellContext;
};

function readRow(tableRow: TableRow, stored: JsonObject | undefined, rows: RowContext): RowResult {
  const { number: row, ...source } = tableRow;
  const { cells, broken, numbers } = source;
  const { header, columns, commas, pidColumn, context, schema, className, judge, replace, suggestions } =
    rows;
  const { dates, from1904 } = context.locale ?? {};
  const exact = { ...context, locale: dates === 'excel' ? { dates, from1904 } : {} };
  const careful = { ...context, locale: { ...context.locale, seesCommas: true } };
  const faults: TableFault[] = [];
  const removed: Removal[] = [];
  const changes: CellChange[] = [];
  const notes: CellNote[] = [];
  const record = stored ? asDefined(schema, className, stored) : {};
  const otherClass = stored && classNamedIn(schema, stored);
  if (otherClass !== undefined && otherClass !== className) {
    const message = `The record is of the class ${otherClass}, and the table of the class ${className}.`;
    const differs = rowFault(row, pidColumn, header, cells, 'class_differs', message);
    return { row, ...source, faults: [differs], removed };
  }
  const before = columns.map((column) => column && remove(record, column.path));
  for (const [member, value] of replace ? Object.entries(withoutType(record)) : []) {
    delete record[member];
    const text = typeof value === 'string' ? value : canonicalJson(value);
    removed.push({ row, column: '', header: member, value: shorten(text) });
  }
  for (let index = 0; index < Math.max(cells.length, columns.length); index += 1) {
    const column = columns[index];
    const text = cellText(source, index, column);
    if (!column) {
      if (text.trim() !== '' && !header[index]) {
        faults.push(rowFault(row, index, header, cells, 'column_unknown', 'The column has no header.'));
      }
      continue;
    }
    try {
      const why = broken?.get(index) ?? errorIn(text, column);
      if (why !== undefined) throw new CellFault('cell_broken', why);
      const written = commas?.has(index) ? careful : context;
      const value = readCell(text, column.value, numbers?.has(index) ? exact : written);
      const lost = writeCell(before[index], column.value);
      const now = stored && value !== undefined ? writeCell(value, column.value) : '';
      if (stored && lost !== now) {
        const place = { column: columnLetters(index), header: shorten(header[index] ?? '') };
        changes.push({ ...place, before: shorten(lost), after: shorten(now) });
      }
      if (numbers?.has(index) && isCutNumber(text, column.value)) {
        const place = { row, column: columnLetters(index), header: shorten(header[index] ?? '') };
        notes.push({ ...place, value: shorten(text), message: CUT_NUMBER });
      }
      if (value !== undefined) place(record, column.path, value);
      else if (lost !== '') {
        const title = shorten(header[index] ?? '');
        removed.push({ row, column: columnLetters(index), header: title, value: shorten(lost) });
      }
    } catch (error) {
      if (!(error instanceof CellFault)) throw error;
      faults.push(rowFault(row, index, header, cells, error.type, error.message));
    }
  }
  const checked = schema.check(className, record, {
    timestamps: 'refuse',
    ...(suggestions && { suggestions }),
  });
  const problems = checked.valid ? (judge?.(record) ?? []) : checked.problems;
  faults.push(...faultsOf(problems, tableRow, new Set(faults.map(({ column }) => column)), rows));
  if (faults.length > 0 || !checked.valid) return { row, ...source, faults, removed: [] };
  return { row, ...source, record, faults, removed, notes, ...(stored && { changes }) };
}

/**
 * The problems of a record as faults of the cells that they are in.
 *
 * @param unread columns whose cells could not be read: they are missing from the record, and have a fault
 */
function faultsOf(
  problems: readonly Problem[],
  tableRow: TableRow,
  unread: ReadonlySet<string>,
  { header, columns, columnOf, context }: RowContext,
): TableFault[] {
  return problems.flatMap((problem) => {
    const index = columnOf(problem);
    if (index >= 0 && unread.has(columnLetters(index))) return [];
    const column = columns[index];
    const message = messageOf(problem, column, cellText(tableRow, index, column), context.locale);
    return [rowFault(tableRow.number, index, header, tableRow.cells, problem.type, message)];
  });
}

const CUT_NUMBER =
  'A number has 15 digits in a spreadsheet program: the others became zeros. Format the column as text, and type them again.';

/** Whether a number is the value of a slot of text that may have had more digits, as of a card or a barcode. */
function isCutNumber(text: string, value: Value): boolean {
  const isText = value.range.kind === 'type' && readingOf(value) === 'text';
  return isText && (/^-?0*[1-9]\d{15,}$/.test(text) || /e\+/.test(text));
}

/** The text of a cell for the slot of its column. */
export function cellText({ cells, readings }: SheetRow, index: number, column: Column | undefined): string {
  const reading = column && readings?.get(index);
  const of = column && readingOf(column.value);
  return (of && reading?.[of]) ?? cells[index] ?? '';
}

function readingOf({ range }: Value) {
  return readingFor(range.kind, range.kind === 'type' ? range.type.base : undefined);
}

/** The error of a cell that has it as text, as in CSV, unless the slot permits this text: a pattern decides itself. */
function errorIn(text: string, { value: { range }, constraints }: Column): string | undefined {
  if (!isErrorWord(text) || constraints.pattern !== undefined) return undefined;
  return range.kind === 'enum' && range.enum.values.has(text.trim()) ? undefined : errorMessage(text);
}

/** Says what is wrong and what to do about it; the path only if it leads into an object, since the column says the rest. */
function messageOf(
  { loc, msg }: Problem,
  column: Column | undefined,
  cell = '',
  locale: CellLocale = {},
): string {
  const path = [loc.join('.'), loc.at(-1)].map((one) => `${one}: `).find((one) => msg.startsWith(one));
  if (!column || path === undefined) return msg;
  const isInner = loc.slice(column.path.length).some((one) => typeof one === 'string');
  if (isInner) return `${loc.join('.')}: ${msg.slice(path.length)}`;
  const [first = '', ...rest] = msg.slice(path.length);
  return `${first.toUpperCase()}${rest.join('')}${hintFor(cell, column.value.range, locale)}`;
}

/** Two rows with one pid, however it is written: the second would replace the first, also if that is stored only when it is mended. */
function withoutRepeat(
  read: RowResult,
  pid: string | undefined,
  { schema, header, pidColumn }: RowContext,
  seen: Map<string, number>,
): RowResult {
  const iri = pid === undefined ? undefined : schema.expand(pid);
  if (iri === undefined) return read;
  const before = seen.get(iri);
  if (before === undefined) {
    seen.set(iri, read.row);
    return read;
  }
  const message = `The pid ${pid} is already in row ${before}.`;
  const { record: _, changes: __, ...refused } = read;
  const repeated = rowFault(read.row, pidColumn, header, read.cells, 'pid_repeated', message);
  return { ...refused, faults: [...read.faults, repeated], removed: [] };
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
  return { row, column, header: shorten(title), value: shorten(value), type, message };
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
    setMember(at, part, next);
    at = next;
  }
  setMember(at, path.at(-1) as string, value);
}

/** Removes the value at a path, and the objects that become empty. @returns the value */
function remove(record: JsonObject, [part = '', ...rest]: readonly string[]): JsonValue | undefined {
  if (!Object.hasOwn(record, part)) return undefined;
  const value = record[part];
  if (rest.length === 0) {
    delete record[part];
    return value;
  }
  if (!isJsonObject(value)) return undefined;
  const removed = remove(value, rest);
  if (removed !== undefined && Object.keys(value).length === 0) delete record[part];
  return removed;
}

/** The cells of a record in the order of some columns. */
export function writeRow(record: JsonObject, columns: readonly Column[]): string[] {
  return columns.map(({ path, value }) => {
    let at: JsonValue | undefined = record;
    for (const part of path) at = isJsonObject(at) && Object.hasOwn(at, part) ? at[part] : undefined;
    return writeCell(at, value);
  });
}
