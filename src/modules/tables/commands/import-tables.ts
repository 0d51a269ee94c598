/** Imports CSV and XLSX: good rows are stored, the others are written to a file to be mended, each fault by its cell. */

import { readFileSync, statSync } from 'node:fs';
import { extname } from 'node:path';
import { canonicalJson, type JsonObject } from '#linkml/json.ts';
import { reasonOf, recordIn } from '../../../cli/client/records.ts';
import type { ImportJob } from '../../../cli/client/sources.ts';
import { writeBeside } from '../../../cli/new-file.ts';
import { PROBLEMS_FOUND, UsageError } from '../../../cli/outcome.ts';
import { countText } from '../../../cli/print.ts';
import { type Progress, startProgress } from '../../../cli/progress.ts';
import { type AreaClient, ClientError, type ItemResult } from '../../../client/client.ts';
import { batches } from '../../../core/batches.ts';
import type { Schema } from '../../../core/schema/schema.ts';
import { classNamedIn } from '../../../core/schema-type.ts';
import { csvRow, markedText, separatorLine } from '../files/csv.ts';
import { columnIndex, NOTE, type SheetRow, type Table } from '../files/table.ts';
import { writeXlsx, type XlsxCell } from '../files/xlsx-write.ts';
import { MOST_NOTES_SHOWN, type OpenTable, tablesOf } from '../rows/judge-table.ts';
import { Labels } from '../rows/labels.ts';
import type { TableReading } from '../rows/read-table.ts';
import {
  type CellNote,
  cellFaults,
  headerBelow,
  outcomeOf,
  type Removal,
  type RowReader,
  type RowResult,
  readRows,
  rowReader,
  type TableFault,
} from '../rows/rows.ts';
import { faultPrinter } from './print-faults.ts';
import type { TableFormat } from './reading.ts';

const BATCH_ROWS = 500;
const READS_AT_ONCE = 8;
const MOST_REMOVALS_SHOWN = 100;
/** A table is read into memory. */
const LARGEST = 256 * 1024 * 1024;

/** The rows of a sheet that were refused, with the reasons. */
type RejectedRows = {
  readonly name: string;
  readonly header: readonly string[];
  readonly separator: string | undefined;
  readonly rows: { readonly source: SheetRow; readonly problems: string }[];
};

type TableJob = ImportJob & {
  /** Whether rows replace whole records. */
  readonly replace: boolean;
  /** Whether each fault is printed, instead of the first ones of a kind in a column. */
  readonly all: boolean;
  readonly table: TableReading;
};

export async function importTables(job: TableJob, format: TableFormat): Promise<number> {
  const stored = await storeTables(job, format);
  reportRemoved(job, stored.removed);
  return reportFaults(job, format, stored);
}

/** How many of the good rows are new records, change one, and leave one as it is: these are not stored again. */
type Outcomes = {
  new: number;
  changed: number;
  unchanged: number;
  /** Of rows whose records the token may not read. */
  unknown: number;
};

type StoredTables = {
  readonly outcomes: Outcomes;
  readonly removed: Removal[];
  readonly rejected: RejectedRows[];
  /** How many faults were not printed. */
  unprinted: number;
  /** How many cells had a note. */
  noted: number;
  /** Rows below refused headers that look like the header. */
  readonly headerRows: number[];
};

async function storeTables(job: TableJob, format: TableFormat): Promise<StoredTables> {
  const { source, area, className } = job;
  const schema = await job.schema();
  if (statSync(source).size > LARGEST) {
    throw new UsageError(`${source}: expected a table of at most 256 MiB. Split it, or import NDJSON.`);
  }
  const bytes = readFileSync(source);
  const reading = { schema, className, table: job.table };
  const known = new Labels(schema);
  const tables = await tablesOf(source, format, bytes, { ...reading, findLabel: known.find });
  await addKnown(known, area, schema, tables);
  const stored: StoredTables = {
    outcomes: { new: 0, changed: 0, unchanged: 0, unknown: 0 },
    removed: [],
    rejected: [],
    unprinted: 0,
    noted: 0,
    headerRows: [],
  };
  using progress = startProgress('rows');
  for (const table of tables) await storeTable(job, schema, table, stored, progress);
  if (stored.noted > MOST_NOTES_SHOWN)
    process.stderr.write(`note: ${source}: … and ${stored.noted - MOST_NOTES_SHOWN} more\n`);
  return stored;
}

/** Stores the rows of one table, and adds what becomes of them to `stored`. */
async function storeTable(
  job: TableJob,
  schema: Schema,
  { table, options }: OpenTable,
  stored: StoredTables,
  progress: Progress,
): Promise<void> {
  const name = (job.table.sheet !== undefined && table.name) || options.className;
  const sheet: RejectedRows = { name, header: table.header, separator: table.separator, rows: [] };
  const printer = faultPrinter(job.source, job.all);
  let isFaulty = false;
  const reject = (row: SheetRow, faults: readonly TableFault[]) => {
    isFaulty = true;
    faults.forEach(printer.add);
    const rejected = rejectedRow(row, faults);
    if (rejected) sheet.rows.push(rejected);
  };
  const reader = rowReader(table, { ...options, replace: job.replace });
  const header = reader.header ?? (await pidMissing(job, options.className, table, reader.slots));
  if (header) reject(header, header.faults);
  const headerRow = reader.header && headerBelow(table, options);
  if (headerRow !== undefined) stored.headerRows.push(headerRow);
  // Below a title, every cell would have a fault.
  for (const row of reader.header && headerRow === undefined ? table.rows : [])
    cellFaults(reader, row).forEach(printer.add);
  for await (const rows of header ? [] : batches(table.rows, { items: BATCH_ROWS })) {
    const records = await storedRecords(job.area, schema, rows.map(reader.pidIn));
    const good: GoodRow[] = [];
    for (const [index, row] of rows.entries()) {
      const read = reader.read(row, records[index] ?? undefined);
      const { record } = read;
      if (!record) reject(read, read.faults);
      else
        good.push({
          ...read,
          text: canonicalJson(record),
          outcome: records[index] === null ? 'unknown' : outcomeOf(read),
        });
    }
    await sendRows(job, options.className, good, stored, reject);
    progress.advance(rows.length);
  }
  stored.unprinted += printer.end();
  if (isFaulty) stored.rejected.push(sheet);
}

/** A row without faults, as it is sent. */
type GoodRow = RowResult & { readonly text: string; readonly outcome: keyof Outcomes };

/** Stores or checks good rows, without those that change nothing; the service may still refuse some. */
async function sendRows(
  { source, area, onlyCheck, options }: TableJob,
  className: string,
  good: readonly GoodRow[],
  stored: StoredTables,
  reject: (row: SheetRow, faults: readonly TableFault[]) => void,
): Promise<void> {
  const sent = onlyCheck ? good : good.filter(({ outcome }) => outcome !== 'unchanged');
  stored.outcomes.unchanged += good.length - sent.length;
  const texts = sent.map(({ text }) => text);
  const results = onlyCheck
    ? await area.validateMany(texts, className)
    : await area.putMany(texts, className, options);
  for (const [index, result] of results.entries()) {
    const one = sent[index]!;
    if (result.status >= 300) {
      reject(one, [rowRefusal(one.row, result)]);
      continue;
    }
    stored.outcomes[one.outcome] += 1;
    stored.removed.push(...one.removed);
    for (const note of one.notes ?? []) {
      if (stored.noted < MOST_NOTES_SHOWN) noteCell(source, note);
      stored.noted += 1;
    }
  }
}

/** A refused row with its problems; undefined if only the header has some. */
function rejectedRow(row: SheetRow, faults: readonly TableFault[]): RejectedRows['rows'][number] | undefined {
  if (faults.some(({ type }) => type.startsWith('column_') || type === 'header_missing')) return undefined;
  const problems = faults.map(({ header, message }) => (header === '' ? message : `${header}: ${message}`));
  // With the pid, the row would replace that of the other one.
  const repeated = faults.find(({ type }) => type === 'pid_repeated');
  const cells = repeated ? row.cells.with(columnIndex(repeated.column), '') : row.cells;
  return { source: { ...row, cells }, problems: problems.join(' ') };
}

/** The fault of a table without a column for the pid: one message instead of one for each row. */
async function pidMissing(
  { area, schema: opened }: ImportJob,
  className: string,
  { header, headerRow }: Table,
  slots: RowReader['slots'],
): Promise<RowResult | undefined> {
  const { classes, defaultPrefix } = await opened();
  if (slots.includes('pid') || classes.get(className)?.identifier?.name !== 'pid') return undefined;
  let example = `${defaultPrefix}:1`;
  for await (const { pid } of area.records({ className })) {
    example = String(pid);
    break;
  }
  const message = `The table has no column pid, which identifies each record. Add one with values such as ${example}; the desk makes them.`;
  const fault = { row: headerRow, column: '', header: '', value: '', type: 'column_missing', message };
  return { row: headerRow, cells: header, faults: [fault], removed: [] };
}

/** The records that pids have; null if the token may not read. */
async function storedRecords(
  area: AreaClient,
  schema: Schema,
  pids: readonly (string | undefined)[],
): Promise<(JsonObject | null | undefined)[]> {
  const read = async (pid: string | undefined) => {
    if (pid === undefined) return undefined;
    try {
      const text = await area.getText(pid);
      const record = text === undefined ? undefined : recordIn(text);
      // A record that was renamed is returned under its new pid.
      return record && schema.expand(String(record.pid)) === schema.expand(pid) ? record : undefined;
    } catch (error) {
      if (error instanceof ClientError && error.status === 403) return null;
      throw error;
    }
  };
  const records: (JsonObject | null | undefined)[] = [];
  for (let at = 0; at < pids.length; at += READS_AT_ONCE)
    records.push(...(await Promise.all(pids.slice(at, at + READS_AT_ONCE).map(read))));
  return records;
}

function noteCell(source: string, { row, column, header, value, message }: CellNote): void {
  process.stderr.write(`note: ${source}: ${column}${row} (${header}): ${value}: ${message}\n`);
}

function reportRemoved({ source, onlyCheck, replace }: TableJob, removed: readonly Removal[]): void {
  const would = onlyCheck ? 'would remove' : 'removed';
  for (const { row, column, header, value } of removed.slice(0, MOST_REMOVALS_SHOWN))
    process.stderr.write(
      `${source}: ${column || 'row '}${row} (${header}): ${would} ${JSON.stringify(value)}\n`,
    );
  const cause = replace ? 'rows' : 'empty cells';
  if (removed.length > 0)
    process.stderr.write(`${cause} ${would} ${countText(removed.length, 'value')} of stored records\n`);
}

function reportFaults(
  { source, onlyCheck, table }: TableJob,
  format: TableFormat,
  { outcomes, rejected, unprinted, headerRows }: StoredTables,
): number {
  const good = outcomes.new + outcomes.changed + outcomes.unchanged + outcomes.unknown;
  const done = countText(onlyCheck ? good : good - outcomes.unchanged, 'row');
  if (good > outcomes.unknown)
    process.stderr.write(
      `${outcomes.new} new, ${outcomes.changed} changed, ${outcomes.unchanged} unchanged\n`,
    );
  const count = rejected.reduce((sum, { rows }) => sum + rows.length, 0);
  const verb = onlyCheck ? 'valid' : 'stored';
  const nameAll = () => {
    if (unprinted > 0) process.stderr.write('--all prints each problem\n');
  };
  if (good === 0 && count === 0 && rejected.length > 0) {
    const row = headerRows[0] === undefined ? '' : ` ${headerRows[0]}`;
    process.stderr.write(
      `nothing was imported: correct the header, name slots of columns with --map, or its row with --header-row${row}\n`,
    );
    nameAll();
    return PROBLEMS_FOUND;
  }
  if (rejected.length === 0) {
    if (good === 0) process.stderr.write(`${source} has no rows\n`);
    process.stderr.write(`${done} ${verb}, 0 refused\n`);
    return 0;
  }
  const written = format === 'csv' ? 'csv' : 'xlsx';
  const path = `${source.slice(0, -extname(source).length)}.rejected.${written}`;
  const file =
    count > 0 && !onlyCheck ? writeBeside(path, rejectsFile(rejected, written, table.headerRow)) : undefined;
  process.stderr.write(`${done} ${verb}, ${count} refused${file === undefined ? '' : `, in ${file}`}\n`);
  if (file === undefined) nameAll();
  return PROBLEMS_FOUND;
}

/**
 * The refused rows as they were, with the reasons in a column that an import skips. The options that read the source read
 * this file, too, and a cell that no value could be read from is refused again until it is mended.
 */
function rejectsFile(
  rejected: readonly RejectedRows[],
  format: 'csv' | 'xlsx',
  headerRow = 1,
): string | Uint8Array {
  const sheets = rejected.filter(({ rows }) => rows.length > 0);
  const headerOf = ({ header }: RejectedRows) => [...header, `${NOTE}problems`];
  if (format === 'csv') {
    const rowsOf = ({ header, rows }: RejectedRows) =>
      rows.map(({ source, problems }) => [...padded(source.cells, header.length), problems]);
    // A program that wrote the source with its separator reads this one, too.
    const separator = sheets[0]?.separator ?? ',';
    const rows = sheets.flatMap((sheet) => [headerOf(sheet), ...rowsOf(sheet)]);
    const text = rows.map((row) => csvRow(row, separator)).join('');
    return markedText(separatorLine(separator) + '\r\n'.repeat(headerRow - 1) + text);
  }
  return writeXlsx(
    sheets.map((sheet) => ({
      name: sheet.name,
      headerRow,
      rows: [
        headerOf(sheet),
        ...sheet.rows.map(({ source, problems }) => [...cellsOf(source, sheet.header.length), problems]),
      ],
    })),
  );
}

function cellsOf({ cells, broken, numbers, readings }: SheetRow, length: number): XlsxCell[] {
  return padded(cells, length).map((text, index) => {
    if (broken?.has(index)) return { error: text };
    return numbers?.has(index) ? { number: text, format: readings?.get(index)?.format } : text;
  });
}

function rowRefusal(row: number, result: ItemResult): TableFault {
  return { row, column: '', header: '', value: '', type: 'record_invalid', message: reasonOf(result) };
}

function padded(cells: readonly string[], length: number): string[] {
  return Array.from({ length }, (_, i) => cells[i] ?? '');
}

/** Adds the labels that tables use: the records of a class are only read if one of them is referred to by label. */
async function addKnown(
  labels: Labels,
  area: AreaClient,
  schema: Schema,
  tables: readonly OpenTable[],
): Promise<void> {
  const wanted = new Set<string>();
  for (const { table, options } of tables) {
    const findLabel = (_: string, of: string) => {
      wanted.add(of);
      return [];
    };
    for (const _ of readRows(table, { ...options, findLabel }));
  }
  // Lists of the curated area and of zones have no subclasses.
  const classes = new Set([...wanted].flatMap((one) => schema.descendants(one)));
  for (const of of classes) {
    if (!schema.recordClasses.includes(of)) continue;
    for await (const record of area.records({ className: of })) {
      const named = classNamedIn(schema, record as JsonObject) ?? of;
      labels.add(named, record as JsonObject);
    }
  }
}
