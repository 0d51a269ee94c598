/** A file of any table format as the rows of classes. */
import type { Schema } from '../schema/schema.ts';
import { plainCell, readCsv } from './csv.ts';
import { FILE_LIMITS, type Table, TableError, type TableLimits, tableOf, textRows } from './table.ts';
import { HELP_SHEET } from './template.ts';
import { readXlsx } from './xlsx-read.ts';

export type TableFormat = 'csv' | 'xlsx';

/** A table and the class of its rows, if the table says it. */
export type ClassTable = { readonly table: Table; readonly className: string | undefined };

/**
 * The tables of a file: one of CSV, one of each sheet of a workbook that is not help. The name of a sheet is the class of
 * its rows, if the schema has such a class. A sheet is opened when it is asked for.
 *
 * @throws TableError
 */
export function* readTables(
  bytes: Uint8Array,
  format: TableFormat,
  schema: Schema,
  limits: TableLimits = FILE_LIMITS,
): Generator<ClassTable> {
  if (format === 'csv') {
    const rows = readCsv(decoded(bytes), limits).map((row) => row.map(plainCell));
    yield { table: tableOf(textRows(rows)), className: undefined };
    return;
  }
  const sheets = readXlsx(bytes, limits).filter(({ name }) => name !== HELP_SHEET);
  for (const [index, { name, rows }] of sheets.entries()) {
    const table = tableOf(rows, name);
    const className = schema.classes.has(name) ? name : undefined;
    if (className !== undefined || index === 0 || table.header.length > 0) yield { table, className };
  }
}

/** Other encodings are refused: their letters would be replaced without a word. */
function decoded(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new TableError('The file is not UTF-8. Save it as "CSV UTF-8", or as XLSX.');
  }
}
