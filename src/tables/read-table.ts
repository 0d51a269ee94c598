/** A file of any table format as the rows of classes. */
import type { Schema } from '../schema/schema.ts';
import { readCsv } from './csv.ts';
import { type Table, TableError, tableOf } from './table.ts';
import { HELP_SHEET } from './template.ts';
import { readXlsx } from './xlsx-read.ts';

export type TableFormat = 'csv' | 'xlsx';

/** A table and the class of its rows, if the table says it. */
export type ClassTable = { readonly table: Table; readonly className: string | undefined };

/**
 * The tables of a file: one of CSV, one of each sheet of a workbook that is not help. The name of a sheet is the class of
 * its rows, if the schema has such a class.
 *
 * @throws TableError
 */
export function readTables(bytes: Uint8Array, format: TableFormat, schema: Schema): ClassTable[] {
  if (format === 'csv') {
    return [{ table: tableOf(readCsv(decoded(bytes))), className: undefined }];
  }
  const sheets = readXlsx(bytes).filter(({ name }) => name !== HELP_SHEET);
  return sheets
    .map(({ name, rows }) => ({
      table: tableOf(rows, name),
      className: schema.classes.has(name) ? name : undefined,
    }))
    .filter(
      ({ table, className }, index) => className !== undefined || index === 0 || table.header.length > 0,
    );
}

/** Other encodings are refused: their letters would be replaced without a word. */
function decoded(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new TableError('The file is not UTF-8. Save it as "CSV UTF-8", or as XLSX.');
  }
}
