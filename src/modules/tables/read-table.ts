/** A file of any table format as the rows of classes. */

import { comparable } from '#linkml/look-alikes.ts';
import { separatorIn } from '#linkml/vocabularies/read/csv-rows.ts';
import type { Schema } from '../../core/schema/schema.ts';
import { isCompound } from './archive.ts';
import type { HeaderMap } from './columns.ts';
import { markedEncoding, plainCell, readCsv, unmarkedUtf16 } from './csv.ts';
import { FILE_LIMITS, TableError, type TableLimits } from './limits.ts';
import { type CellLocale, hasDecimalComma } from './locale.ts';
import type { TableFormat } from './reading.ts';
import { type Sheet, type Table, tableOf, textRows } from './table.ts';
import { readSheets } from './workbook-reader.ts';
import { CLASSES_SHEET, HELP_SHEET } from './xlsx-write.ts';

/** Options that a file does not state itself. */
export type FileReading = {
  /** The only sheet that is read. */
  readonly sheet?: string | undefined;
  /** The number of the row that has the header (1). */
  readonly headerRow?: number | undefined;
  /** The encoding of CSV, by its name on the web: `windows-1252` (`utf-8`). */
  readonly encoding?: string | undefined;
};

/** How a table is read, where it does not say it itself. */
export type TableReading = FileReading & CellLocale & { readonly map?: HeaderMap | undefined };

/** The format of a file, by its first bytes. */
export function formatOf(bytes: Uint8Array): TableFormat {
  const isArchive = bytes[0] === 0x50 && bytes[1] === 0x4b;
  return isArchive || isCompound(bytes) ? 'xlsx' : 'csv';
}

/** A table and the class of its rows, if the table says it. */
export type ClassTable = { readonly table: Table; readonly className: string | undefined };

/**
 * The tables of a file: one of CSV, one of each sheet of a workbook that is not help. The name of a sheet is the class of
 * its rows, if the schema has such a class.
 *
 * @param isFirst whether only the first table is read
 * @throws TableError
 */
export async function readTables(
  bytes: Uint8Array,
  format: TableFormat,
  schema: Schema,
  limits: TableLimits = FILE_LIMITS,
  { sheet, headerRow, encoding }: FileReading = {},
  isFirst = false,
): Promise<ClassTable[]> {
  if (format === 'csv') {
    const text = decoded(bytes, encoding);
    const rows = { [Symbol.iterator]: () => readCsv(text, limits).map((row) => row.map(plainCell)) };
    const table = tableOf(textRows(rows), undefined, headerRow);
    const commas = columnsWithCommas(readCsv(text, limits));
    return [{ table: { ...table, commas, separator: separatorIn(text).separator }, className: undefined }];
  }
  const selection = { sheet, without: [HELP_SHEET], besides: [CLASSES_SHEET], isFirst };
  const { sheets, from1904 } = await readSheets(bytes, limits, selection);
  const classes = classesOf(sheets.find(({ name }) => name === CLASSES_SHEET));
  return sheets.flatMap(({ name, rows }, index) => {
    if (name === CLASSES_SHEET) return [];
    const table = { ...tableOf(rows, name, headerRow), from1904 };
    const className = classCalled(classes.get(name) ?? name, schema);
    return className !== undefined || index === 0 || table.header.length > 0 ? [{ table, className }] : [];
  });
}

/** The classes of sheets whose names are others, as {@link writeXlsx} writes them. */
function classesOf(sheet: Sheet | undefined): ReadonlyMap<string, string> {
  const rows = sheet?.rows ?? [];
  return new Map(rows.map(({ cells: [name = '', className = ''] }) => [name, className]));
}

/** The class that a sheet or a file is named for, however the letters of its name are composed. */
export function classCalled(name: string, { classes }: Schema): string | undefined {
  if (classes.has(name)) return name;
  const same = [...classes.keys()].filter((one) => comparable(one) === comparable(name));
  return same.length === 1 ? same[0] : undefined;
}

function columnsWithCommas(rows: Iterable<readonly string[]>): ReadonlySet<number> {
  const found = new Set<number>();
  for (const cells of rows)
    for (const [index, text] of cells.entries()) if (hasDecimalComma(text)) found.add(index);
  return found;
}

/** Bytes of another encoding are refused: their letters would be replaced without a word. @throws TableError */
function decoded(bytes: Uint8Array, named = 'utf-8'): string {
  const encoding = markedEncoding(bytes) ?? named;
  let decoder: InstanceType<typeof TextDecoder>;
  try {
    decoder = new TextDecoder(encoding, { fatal: true });
  } catch {
    throw new TableError(
      `The encoding "${encoding}" is unknown. Examples are utf-8, windows-1252 and utf-16le.`,
    );
  }
  const unmarked = decoder.encoding.startsWith('utf-16') ? undefined : unmarkedUtf16(bytes);
  if (unmarked !== undefined)
    throw new TableError(
      `The file is ${unmarked.toUpperCase()} without a byte order mark. Name its encoding, ${unmarked}, or save it as "CSV UTF-8" or as XLSX.`,
    );
  try {
    return decoder.decode(bytes);
  } catch {
    throw new TableError(
      `The file is not ${decoder.encoding.toUpperCase()}. Save it as "CSV UTF-8" or as XLSX, or name its encoding, such as windows-1252.`,
    );
  }
}
