/** A file of any table format as the rows of classes. */
import type { Schema } from '../schema/schema.ts';
import { readCsv } from './csv.ts';
import { type Table, tableOf } from './table.ts';
import { HELP_SHEET } from './template.ts';
import { readXlsx } from './xlsx-read.ts';

export type TableFormat = 'csv' | 'xlsx';

/** A table and the class of its rows, if the table says it. */
export type ClassTable = { readonly table: Table; readonly className: string | undefined };

/**
 * The tables of a file: one of CSV, one of each sheet of a workbook that is not help. The name of a sheet is the class of
 * its rows, if the schema has such a class.
 *
 * @throws XlsxError
 */
export function readTables(bytes: Uint8Array, format: TableFormat, schema: Schema): ClassTable[] {
  if (format === 'csv') {
    const text = new TextDecoder('utf-8').decode(bytes);
    return [{ table: tableOf(readCsv(text)), className: undefined }];
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
