/** A file of any table format as the rows of classes. */

import { comparable } from '#linkml/look-alikes.ts';
import type { Schema } from '../../../core/schema/schema.ts';
import type { TableFormat } from '../commands/reading.ts';
import { type FileReading, tablesIn } from '../files/file-tables.ts';
import { FILE_LIMITS, type TableLimits } from '../files/limits.ts';
import type { Table } from '../files/table.ts';
import { readSheets } from '../files/workbook-reader.ts';
import type { HeaderMap } from './columns.ts';
import type { CellLocale } from './locale.ts';

/** How a table is read, where it does not say it itself. */
export type TableReading = FileReading & CellLocale & { readonly map?: HeaderMap | undefined };

/** A table and the class of its rows, if the table says it. */
export type ClassTable = { readonly table: Table; readonly className: string | undefined };

/**
 * The tables of a file: one of CSV, one of each sheet of a workbook that is not help. The name of a sheet is the class of
 * its rows, if the schema has such a class.
 *
 * @throws TableError
 */
export async function readTables(
  bytes: Uint8Array,
  format: TableFormat,
  schema: Schema,
  limits: TableLimits = FILE_LIMITS,
  reading: FileReading = {},
): Promise<ClassTable[]> {
  const tables = await tablesIn(bytes, format, limits, reading, readSheets);
  return tables.flatMap(({ table, called }, index) => {
    const className = called === undefined ? undefined : classCalled(called, schema);
    return className !== undefined || index === 0 || table.header.length > 0 ? [{ table, className }] : [];
  });
}

/** The class that a sheet or a file is named for, however the letters of its name are composed. */
export function classCalled(name: string, { classes }: Schema): string | undefined {
  if (classes.has(name)) return name;
  const same = [...classes.keys()].filter((one) => comparable(one) === comparable(name));
  return same.length === 1 ? same[0] : undefined;
}
