/** The tables of a file of any format, before anything is known of their schema. The service and the desk read files by it. */
import { separatorIn } from '#linkml/vocabularies/read/csv-rows.ts';
import type { TableFormat } from '../commands/reading.ts';
import { hasDecimalComma } from '../rows/locale.ts';
import { isCompound } from './archive.ts';
import { markedEncoding, plainCell, readCsv, unmarkedUtf16 } from './csv.ts';
import { TableError, type TableLimits, TableTooLarge } from './limits.ts';
import { REQUEST_LIMITS, type Sheet, type Table, type TableRow, tableOf, textRows } from './table.ts';
import type { Selection, Workbook } from './workbook.ts';
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

/** Reads sheets of a workbook: in a thread of its own, or where that is not needed, here. @throws TableError */
type ReadSheets = (bytes: Uint8Array, limits: TableLimits, selection: Selection) => Promise<Workbook>;

/** A table, and the name of its class or of its sheet, if it has one. */
type NamedTable = { readonly table: Table; readonly called: string | undefined };

/** The format of a file, by its first bytes. */
export function formatOf(bytes: Uint8Array): TableFormat {
  const isArchive = bytes[0] === 0x50 && bytes[1] === 0x4b;
  return isArchive || isCompound(bytes) ? 'xlsx' : 'csv';
}

/**
 * The tables of a file: one of CSV, one of each sheet of a workbook that is not help.
 *
 * @param isFirst whether only the first table is read
 * @throws TableError
 */
export async function tablesIn(
  bytes: Uint8Array,
  format: TableFormat,
  limits: TableLimits,
  { sheet, headerRow, encoding }: FileReading,
  readSheets: ReadSheets,
  isFirst = false,
): Promise<NamedTable[]> {
  if (format === 'csv') {
    const text = decoded(bytes, encoding);
    const rows = { [Symbol.iterator]: () => readCsv(text, limits).map((row) => row.map(plainCell)) };
    const table = tableOf(textRows(rows), undefined, headerRow);
    const commas = columnsWithCommas(readCsv(text, limits));
    return [{ table: { ...table, commas, separator: separatorIn(text).separator }, called: undefined }];
  }
  const selection = { sheet, without: [HELP_SHEET], besides: [CLASSES_SHEET], isFirst };
  const { sheets, from1904 } = await readSheets(bytes, limits, selection);
  const classes = classesOf(sheets.find(({ name }) => name === CLASSES_SHEET));
  return sheets
    .filter(({ name }) => name !== CLASSES_SHEET)
    .map(({ name, rows }) => ({
      table: { ...tableOf(rows, name, headerRow), from1904 },
      called: classes.get(name) ?? name,
    }));
}

/** A table of one request may have this many rows. */
const MOST_TABLE_ROWS = 5000;

export type WholeTable = Table & { readonly rows: readonly TableRow[] };

/** The first table of a file with all its rows, within the limits of a request. @throws TableError */
export async function firstTable(
  bytes: Uint8Array,
  reading: FileReading,
  readSheets: ReadSheets,
): Promise<WholeTable> {
  const [first] = await tablesIn(bytes, formatOf(bytes), REQUEST_LIMITS, reading, readSheets, true);
  if (!first) throw new TableError('The workbook has no sheet.');
  const rows: TableRow[] = [];
  for (const row of first.table.rows) {
    if (rows.length === MOST_TABLE_ROWS)
      throw new TableTooLarge(`The table has more than ${MOST_TABLE_ROWS} rows.`);
    rows.push(row);
  }
  return { ...first.table, rows };
}

/** The classes of sheets whose names are others, as {@link writeXlsx} writes them. */
function classesOf(sheet: Sheet | undefined): ReadonlyMap<string, string> {
  const rows = sheet?.rows ?? [];
  return new Map(rows.map(({ cells: [name = '', className = ''] }) => [name, className]));
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
