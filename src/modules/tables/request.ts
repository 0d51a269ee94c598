/**
 * The table of a request, in two steps: read it, and make records of its rows. In between, the service reads the records that
 * the rows refer to. All of this takes too long for the event loop, so it runs in threads, and its values can be sent.
 */
import { deserialize, serialize } from 'node:v8';
import { type JsonObject, parseJson } from '#linkml/json.ts';
import { isServiceError, ServiceError } from '../../core/errors.ts';
import { listOf, objectOf, type Shape, textOrNull, textSchema } from '../../core/shapes.ts';
import { type FileReading, firstTable, type WholeTable } from './files/file-tables.ts';
import { TableError, TableTooLarge } from './files/limits.ts';
import { readSheets } from './files/workbook-reader.ts';
import { type LabelEntry, Labels, labelsWanted } from './rows/labels.ts';
import {
  type CellNote,
  cell,
  cellFaults,
  cellText,
  changeSchema,
  faultSchema,
  noteSchema,
  outcomeOf,
  type ReadOptions,
  type Removal,
  type RowReader,
  type RowResult,
  removalSchema,
  rowReader,
  type TableFault,
} from './rows/rows.ts';

const MOST_TABLE_FAULTS = 10_000;
/** The most removed values that are listed. */
const MOST_REMOVALS = 1000;
const MOST_NOTES = 1000;

/** The needs of a table before its rows can become records. */
export type RequestTable = {
  /** Serialized, for {@link recordsOfTable}. */
  readonly table: Uint8Array;
  /** The pid of each row, if it has one; none if the header is wrong. */
  readonly pids: readonly (string | undefined)[];
  /** The classes of which records are referred to by label, and these labels. */
  readonly classes: ReadonlySet<string>;
  readonly labels: ReadonlySet<string>;
};

/** Reads a CSV, XLSX or ODS file. @throws ServiceError `body_malformed`, `body_too_large` */
export async function requestTable(
  bytes: Uint8Array,
  options: ReadOptions,
  reading: FileReading,
): Promise<RequestTable> {
  const table = await refusing(async () => {
    if (bytes.length === 0) throw new ServiceError('body_malformed', 'The request has no body.');
    return firstTable(bytes, reading, readSheets);
  });
  const reader = rowReader(table, options);
  const pids = reader.header ? [] : table.rows.map(reader.pidIn);
  const wanted = labelsWanted(table, options);
  return { table: serialize({ table, hasLabels: wanted.labels.size > 0 }), pids, ...wanted };
}

async function refusing<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof TableTooLarge)
      throw new ServiceError('body_too_large', `${error.message} Send the table in several parts.`);
    if (!(error instanceof TableError)) throw error;
    throw new ServiceError('body_malformed', `The body is not a table: ${error.message}`);
  }
}

/** The records that a {@link RequestTable} refers to. */
export type ReferencedRecords = {
  /** The stored records that have the pids of the rows, as JSON. */
  readonly stored: readonly (string | undefined)[];
  readonly labels: readonly LabelEntry[];
};

const rowSchema = {
  title: 'A row of a table',
  ...objectOf({
    row: cell.row,
    cells: listOf(textSchema),
    outcome: {
      enum: ['new', 'changed', 'unchanged', 'refused', 'unread'],
      description: 'What the row is to the stored record; `unread`: the header was refused.',
    },
    changes: {
      description: 'The cells that change a stored value; an empty string stands for no value.',
      ...listOf(changeSchema),
    },
  }),
} as const;
const columnSchema = {
  title: 'A column of a table',
  ...objectOf({
    header: textSchema,
    slot: {
      ...textOrNull,
      description: 'The slot of the column, as `slot.inner`; null for none.',
    },
  }),
} as const;
export const tableResultSchema = objectOf(
  {
    rows: { type: 'integer' },
    stored: {
      type: 'integer',
      description: 'New and changed records; with `dry_run`, those that would be stored.',
    },
    unchanged: {
      type: 'integer',
      description: 'Valid rows that leave their records as they are. They are not stored again.',
    },
    refused: { type: 'integer' },
    faults: listOf(faultSchema),
    removed: {
      type: 'integer',
      description: 'The number of values that empty cells remove from stored records.',
    },
    removals: { ...listOf(removalSchema), description: 'The first 1,000 of them.' },
    notes: { ...listOf(noteSchema), description: 'Cells of rows that are stored, the first 1,000.' },
  },
  {
    columns: { ...listOf(columnSchema), description: 'With `details`.' },
    items: { ...listOf(rowSchema), description: 'All rows, with `details`.' },
  },
);
/** The response of the service. */
type TableResult = Shape<typeof tableResultSchema>;

type ListedRow = Shape<typeof rowSchema>;

/**
 * The records that are new or changed by the rows of a table; with `details`, all rows are listed.
 *
 * @param judge the records that an object becomes. @throws ServiceError
 */
export function recordsOfTable<T>(
  serialized: Uint8Array,
  { stored: before, labels: known }: ReferencedRecords,
  { details, ...reading }: ReadOptions & { readonly details: boolean },
  judge: (record: JsonObject) => readonly T[],
): { readonly records: T[]; readonly result: TableResult } {
  const { table, hasLabels }: { table: WholeTable; hasLabels: boolean } = deserialize(serialized);
  const labels = new Labels(reading.schema);
  if (hasLabels) labels.addTable(table, reading.className, reading.locale, reading.map);
  for (const entry of known) labels.note(entry);
  const reader = rowReader(table, { ...reading, findLabel: labels.find });
  const records: T[] = [];
  const faults: TableFault[] = [];
  const removals: Removal[] = [];
  const notes: CellNote[] = [];
  let [faultCount, removed, stored, unchanged] = [0, 0, 0, 0];
  const report = (found: TableFault) => {
    faultCount += 1;
    if (faultCount <= MOST_TABLE_FAULTS) faults.push(found);
  };
  const all = reader.header ? [] : table.rows;
  const items: ListedRow[] = [];
  reader.header?.faults.forEach(report);
  for (const row of reader.header ? table.rows : []) {
    if (details) items.push({ row: row.number, cells: row.cells, outcome: 'unread', changes: [] });
    cellFaults(reader, row).forEach(report);
  }
  for (const [index, tableRow] of all.entries()) {
    const json = before[index];
    const read = reader.read(tableRow, json === undefined ? undefined : (parseJson(json) as JsonObject));
    read.faults.forEach(report);
    const { row, record, changes = [] } = read;
    const list = (outcome: ListedRow['outcome']) =>
      details && items.push({ row, cells: cellsFor(read, reader), outcome, changes });
    if (!record) {
      list('refused');
      continue;
    }
    const outcome = outcomeOf(read);
    try {
      const judged = judge(record);
      if (outcome !== 'unchanged') records.push(...judged);
    } catch (error) {
      if (!isServiceError(error)) throw error;
      const type = error.problems[0]?.type ?? error.code;
      report({ row, column: '', header: '', value: '', type, message: error.message });
      list('refused');
      continue;
    }
    list(outcome);
    if (outcome === 'unchanged') unchanged += 1;
    else {
      stored += 1;
      notes.push(...(read.notes ?? []).slice(0, MOST_NOTES - notes.length));
    }
    removed += read.removed.length;
    removals.push(...read.removed.slice(0, MOST_REMOVALS - removals.length));
  }
  if (faultCount > faults.length) faults.push(moreFaults(faults, faultCount));
  const rows = reader.header ? 1 : all.length;
  const columns = table.header.map((header, index) => ({ header, slot: reader.slots[index] ?? null }));
  const listed = details && { columns, items };
  const refused = rows - stored - unchanged;
  return {
    records,
    result: { rows, stored, unchanged, refused, faults, removed, removals, notes, ...listed },
  };
}

/** The texts of a row as the slots of its columns have them. */
function cellsFor(row: RowResult, { columns }: RowReader): string[] {
  return row.cells.map((_, index) => cellText(row, index, columns[index]));
}

/** Stands for the faults that are not listed. */
function moreFaults(listed: readonly TableFault[], count: number): TableFault {
  const message = `${count - listed.length} more faults are not listed.`;
  return { row: listed.at(-1)!.row, column: '', header: '', value: '', type: 'more_problems', message };
}
