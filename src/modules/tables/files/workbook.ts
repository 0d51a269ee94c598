/**
 * Reads the sheets of workbooks (XLSX, XLSM, XLSB, XLS, ODS) as rows of text by the library SheetJS. A formula has the result
 * that was saved with it. A hostile file may take any time and memory here: `workbook-reader.ts` reads in a thread with limits.
 */
import { type ParsingOptions, parse_zip, read, set_cptable, type WorkBook } from '@e965/xlsx';
import { comparable } from '#linkml/look-alikes.ts';
import { damaged, encrypted, isCompound } from './archive.ts';
import { readNumber } from './cell-formats.ts';
import { cellCounter, MOST_ROWS, TableError, type TableLimits, TableTooLarge } from './limits.ts';
import {
  CellFault,
  errorMessage,
  MOST_COLUMNS,
  type Reading,
  type Sheet,
  type SheetRow,
  shorten,
  type TableRow,
} from './table.ts';
import { chartRelations, inNode, type Part, partsOf, whyBroken } from './workbook-parts.ts';

declare module '@e965/xlsx' {
  /** Reads the files of an archive; the declarations of the library leave it out. */
  export function parse_zip(
    archive: { readonly files: Readonly<Record<string, Part>> },
    options: ParsingOptions,
  ): WorkBook;
}

/** The sheets of a workbook that are read. */
export type Selection = {
  /** The only one. */
  readonly sheet?: string | undefined;
  /** Those that are not read without being named. */
  readonly without: readonly string[];
  /** Those that are read beside others. */
  readonly besides: readonly string[];
  /** Whether only the first one of the others is read. */
  readonly isFirst: boolean;
};

export type Workbook = {
  /** All names, in the order of the workbook. */
  readonly names: readonly string[];
  readonly sheets: readonly Sheet[];
  readonly from1904: boolean;
};

const MOST_SHEETS = 1000;

const OPTIONS: ParsingOptions = {
  type: 'array',
  dense: true,
  nodim: true,
  cellNF: true,
  cellText: false,
  cellHTML: false,
  cellFormula: false,
};

/** @throws TableError */
export async function readWorkbook(
  bytes: Uint8Array,
  limits: TableLimits,
  selection: Selection,
): Promise<Workbook> {
  const { open, charts } = await opener(bytes, limits);
  const { SheetNames: names = [] } = opened(() => open({ bookSheets: true }));
  if (names.length > MOST_SHEETS)
    throw new TableTooLarge(`The workbook has more than ${MOST_SHEETS} sheets.`);
  const wanted = selected(names, selection);
  const { Sheets, Workbook } = opened(() => open({ sheets: wanted }));
  const from1904 = Workbook?.WBProps?.date1904 === true;
  const ids = new Map(Workbook?.Sheets?.map((sheet) => [sheet.name, (sheet as { readonly id?: string }).id]));
  const count = cellCounter(limits);
  const sheets = wanted.map((name) => {
    const data = Sheets[name]?.['!data'] as Cells | undefined;
    if (!data && !charts.has(ids.get(name) ?? ''))
      throw new TableError(`The workbook is damaged: the sheet "${shorten(name)}" cannot be read.`);
    return { name, rows: rowsOf(data ?? [], from1904, count) };
  });
  return { names, sheets, from1904 };
}

/** Names of sheets in a message. */
const MOST_SHOWN = 20;

/** A workbook that is read with more options, and the relations to its sheets without cells. */
type Opener = { readonly open: (more: ParsingOptions) => WorkBook; readonly charts: ReadonlySet<string> };

async function opener(bytes: Uint8Array, limits: TableLimits): Promise<Opener> {
  if (bytes[0] === 0x50 && bytes[1] === 0x4b) {
    const parts = Object.values(partsOf(bytes, limits));
    // The library keeps its position in the bytes of a part as a member of them.
    const fresh = () => parts.map((part) => [part.name, { ...part, content: part.content.subarray() }]);
    return {
      open: (more) => parse_zip({ files: Object.fromEntries(fresh()) }, { ...OPTIONS, ...more }),
      charts: chartRelations(parts),
    };
  }
  if (!isCompound(bytes)) throw damaged();
  // Files before 1997 have the code pages of their languages.
  set_cptable(await import('@e965/xlsx/dist/cpexcel.full.mjs'));
  return { open: (more) => read(inNode(bytes), { ...OPTIONS, ...more }), charts: NONE };
}

const NONE: ReadonlySet<string> = new Set();

function opened<T>(open: () => T): T {
  try {
    return open();
  } catch (error) {
    if (error instanceof TableError) throw error;
    const why = error instanceof Error ? error.message : String(error);
    if (/password|encrypt/i.test(why)) throw encrypted();
    throw damaged();
  }
}

function selected(names: readonly string[], { sheet, without, besides, isFirst }: Selection): string[] {
  if (sheet !== undefined) {
    const named = names.filter((name) => comparable(name) === comparable(sheet));
    if (named.length > 0) return named;
    const shown = names.slice(0, MOST_SHOWN).map(shorten).join(', ');
    const more = names.length > MOST_SHOWN ? ` and ${names.length - MOST_SHOWN} more` : '';
    throw new TableError(`The workbook has no sheet "${shorten(sheet)}", only ${shown}${more}.`);
  }
  const extra = names.filter((name) => besides.includes(name));
  const others = names.filter((name) => !without.includes(name) && !besides.includes(name));
  return [...(isFirst ? others.slice(0, 1) : others), ...extra];
}

type Cell = { readonly t: string; readonly v?: unknown; readonly z?: string | number };
type Cells = readonly (readonly (Cell | undefined)[] | undefined)[];

/** Empty cells before others: a small file could place one cell at the end of each row. */
const MOST_GAPS = 20_000_000;

function rowsOf(data: Cells, from1904: boolean, count: (text: string) => void): TableRow[] {
  if (data.length > MOST_ROWS) throw new TableError(`A sheet has more than ${MOST_ROWS} rows.`);
  const rows: TableRow[] = [];
  let gaps = 0;
  // Only the rows that there are: the first one may be at the end of the sheet.
  for (const index of Object.keys(data)) {
    const cells = data[Number(index)] ?? [];
    if (cells.length > MOST_COLUMNS) throw new TableError('A sheet has too many columns.');
    gaps += cells.length;
    if (gaps > MOST_GAPS) throw new TableError('A sheet has too many empty cells between others.');
    rows.push({ number: Number(index) + 1, ...rowOf(cells, from1904, count) });
  }
  return rows;
}

function rowOf(
  source: readonly (Cell | undefined)[],
  from1904: boolean,
  count: (text: string) => void,
): SheetRow {
  const cells: string[] = [];
  const broken = new Map<number, string>();
  const numbers = new Set<number>();
  const readings = new Map<number, Reading>();
  for (let index = 0; index < source.length; index += 1) {
    const cell = source[index];
    let text = '';
    try {
      if (cell?.t === 'n') {
        const read = readNumber(cell.v as number, String(cell.z ?? ''), from1904);
        text = read.text;
        if (read.isExact) numbers.add(index);
        if (read.reading) readings.set(index, read.reading);
      } else if (cell) text = textOf(cell);
    } catch (error) {
      if (!(error instanceof CellFault)) throw error;
      broken.set(index, error.message);
      text = error.shown;
    }
    count(text);
    cells.push(text);
  }
  return {
    cells,
    ...(broken.size > 0 && { broken }),
    ...(numbers.size > 0 && { numbers }),
    ...(readings.size > 0 && { readings }),
  };
}

/** The errors of spreadsheet programs by their numbers (MS-XLS 2.5.10). */
const ERRORS: Readonly<Record<number, string>> = {
  0: '#NULL!',
  7: '#DIV/0!',
  15: '#VALUE!',
  23: '#REF!',
  29: '#NAME?',
  36: '#NUM!',
  42: '#N/A',
};

/** @throws CellFault for a cell without a value */
function textOf({ t, v }: Cell): string {
  if (t === 'b') return v ? 'true' : 'false';
  if (t === 'e') {
    const word = ERRORS[v as number] ?? '#VALUE!';
    throw new CellFault('cell_broken', errorMessage(word), word);
  }
  const text = String(v ?? '');
  const broken = whyBroken(text);
  if (broken) throw new CellFault('cell_broken', broken.why, broken.shown);
  return text;
}
