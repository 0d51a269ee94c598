/** A table on its way into the service: what people decide about its columns, identifiers and cells. Nothing here is a component. */

import type { TableOptions, TableResult } from '../client.ts';
import { csvRow } from '../files/csv.ts';
import type { WholeTable } from '../files/file-tables.ts';
import { columnLetters } from '../files/limits.ts';
import { dayText } from '../files/numbers.ts';
import { NOTE, readingFor, type TableRow } from '../files/table.ts';

/** A row of the file, with its number as spreadsheet programs show it. */
export type SheetRow = { readonly row: number; readonly cells: readonly string[] };

/** A row of a workbook also has what its cells are beside their texts. */
type FileRow = SheetRow & Pick<TableRow, 'numbers' | 'readings'>;

export type Sheet = {
  readonly header: readonly string[];
  readonly rows: readonly FileRow[];
  /** Whether the file counts days from 1904. */
  readonly from1904?: boolean;
  /** Cells with an error, or with a formula that has no result: what is wrong, by {@link cellKey}. */
  readonly broken: ReadonlyMap<string, string>;
};

/** The slot of each column; null for a column that is skipped. */
export type Targets = readonly (string | null)[];

export type Fault = {
  readonly index: number;
  readonly header: string;
  /** The kind of fault, and the text of the cell. */
  readonly type: string;
  readonly value: string;
  readonly message: string;
};

/** The verdict of the service about a row. */
export type Verdict = SheetRow & {
  readonly outcome: 'new' | 'changed' | 'unchanged' | 'refused';
  readonly changes: readonly { readonly slot: string; readonly before: string; readonly after: string }[];
  readonly faults: readonly Fault[];
};

export function cellKey(row: number, index: number): string {
  return `${row} ${index}`;
}

/** The sheet of a file that was read. */
export function sheetOf({ header, rows, from1904 = false }: WholeTable): Sheet {
  const broken = new Map(
    rows.flatMap(({ number, broken = [] }) =>
      [...broken].map(([index, why]) => [cellKey(number, index), why] as const),
    ),
  );
  return {
    header,
    rows: rows.map(({ number, cells, numbers, readings }) => ({
      row: number,
      cells,
      ...(numbers && { numbers }),
      ...(readings && { readings }),
    })),
    broken,
    from1904,
  };
}

/** The slots that the headers of columns name, as the service has found them; the second column of a slot is skipped. */
export function targetsOf({ columns = [] }: TableResult): Targets {
  const taken = new Set<string>();
  return columns.map(({ slot }) => {
    if (slot === null || taken.has(slot)) return null;
    taken.add(slot);
    return slot;
  });
}

/** The range of a slot as far as it decides what a cell of a workbook is: its kind, and the base of a type. */
export type Kind = {
  readonly kind: string;
  readonly base?: string | undefined;
  /** Of references and inlined objects. */
  readonly class?: string | undefined;
};

const FRACTIONS: ReadonlySet<string> = new Set(['float', 'double', 'decimal']);
const DATES: ReadonlySet<string> = new Set(['date', 'datetime', 'date_or_datetime']);

/**
 * The sheet with the texts that its cells are for the slots of their columns: the clock of a date and time for a slot of times,
 * `02138` for one of texts. Numbers are written as the options say, since they are sent as texts.
 */
export function asRead(
  { rows, from1904 = false, ...sheet }: Sheet,
  targets: Targets,
  kindOf: (slot: string) => Kind,
  { decimalComma, dates }: Pick<TableOptions, 'decimalComma' | 'dates'>,
): Sheet {
  const kinds = targets.map((slot) => (slot === null ? undefined : kindOf(slot)));
  const textOf = (text: string, index: number, { numbers, readings }: FileRow): string => {
    const { kind, base = '' } = kinds[index] ?? {};
    if (kind === undefined) return text;
    const reading = readingFor(kind, base);
    const read = (reading && readings?.get(index)?.[reading]) ?? text;
    if (!numbers?.has(index)) return read;
    if (decimalComma && FRACTIONS.has(base)) return read.replace('.', ',');
    return dates === 'excel' && DATES.has(base) ? (dayText(Number(read), from1904) ?? read) : read;
  };
  return {
    ...sheet,
    rows: rows.map((row) => ({
      row: row.row,
      cells: row.cells.map((text, index) => textOf(text, index, row)),
    })),
  };
}

/** The sheet with other texts in cells, by {@link cellKey}; these are not broken any more. */
export function withCells(sheet: Sheet, texts: Readonly<Record<string, string>>): Sheet {
  const broken = new Map([...sheet.broken].filter(([key]) => texts[key] === undefined));
  const ofRow = Map.groupBy(Object.entries(texts), ([key]) => Number(key.split(' ')[0]));
  const rows = sheet.rows.map(({ row, cells }) => ({
    row,
    cells: (ofRow.get(row) ?? []).reduce(
      (all, [key, text]) => filled(all, Number(key.split(' ')[1]), text),
      cells,
    ),
  }));
  return { ...sheet, rows, broken };
}

function filled(cells: readonly string[], index: number, text: string): readonly string[] {
  return Array.from({ length: Math.max(cells.length, index + 1) }, (_, at) =>
    at === index ? text : (cells[at] ?? ''),
  );
}

/** Whether a row has a broken cell in a column that is used. */
function isBroken({ broken, header }: Sheet, targets: Targets, row: number): boolean {
  return header.some((_, index) => targets[index] != null && broken.has(cellKey(row, index)));
}

/** The rows that can be sent: those without a broken cell. */
export function sendable(sheet: Sheet, targets: Targets): readonly SheetRow[] {
  return sheet.rows.filter(({ row }) => !isBroken(sheet, targets, row));
}

/** Rows as CSV for the service: its slots are the header, and skipped columns are notes. */
export function csvOf(targets: Targets, rows: readonly SheetRow[]): string {
  const header = targets.map((slot, index) => slot ?? `${NOTE} ${index}`);
  return [header, ...rows.map(({ cells }) => targets.map((_, index) => cells[index] ?? ''))]
    .map((row) => csvRow(row))
    .join('');
}

/** The value in CSV for a cell with a formula that has no result: an empty cell would remove the stored value. */
const NO_VALUE = '#N/A';

/** The rows that were refused, as they are in the file, with what is wrong in a last column that imports skip. */
export function refusedCsv(sheet: Sheet, verdicts: readonly Verdict[], title: string): string {
  const rows = verdicts.map(({ row, cells, faults }) => [
    ...sheet.header.map(
      (_, index) => cells[index] || (sheet.broken.has(cellKey(row, index)) ? NO_VALUE : ''),
    ),
    faults.map(({ header, message }) => (header === '' ? message : `${header}: ${message}`)).join(' '),
  ]);
  return [[...sheet.header, `${NOTE} ${title}`], ...rows].map((row) => csvRow(row)).join('');
}

/** The verdicts about the rows that were sent, and the broken ones that were not, in the order of the file. */
export function verdictsOf(
  sheet: Sheet,
  targets: Targets,
  sent: readonly SheetRow[],
  { items = [], faults }: TableResult,
): Verdict[] {
  const letters = new Map(sheet.header.map((_, index) => [columnLetters(index), index]));
  const faultsOf = Map.groupBy(faults, ({ row }) => row);
  const judged = new Map(
    items.map((item, index): [number, Verdict] => {
      const { row = 0, cells = [] } = sent[index] ?? {};
      const { outcome } = item;
      return [
        row,
        {
          row,
          cells,
          outcome: outcome === 'unread' ? 'refused' : outcome,
          changes: item.changes.map(({ header, before, after }) => ({ slot: header, before, after })),
          faults: (faultsOf.get(item.row) ?? []).map(({ column, type, value, message }) => {
            const at = letters.get(column) ?? -1;
            return { index: at, header: sheet.header[at] ?? '', type, value, message };
          }),
        },
      ];
    }),
  );
  return sheet.rows.map(
    ({ row, cells }) =>
      judged.get(row) ?? {
        row,
        cells,
        outcome: 'refused',
        changes: [],
        faults: brokenFaults(sheet, targets, row),
      },
  );
}

function brokenFaults({ header, broken }: Sheet, targets: Targets, row: number): Fault[] {
  return header.flatMap((title, index) => {
    const message = broken.get(cellKey(row, index));
    return message === undefined || targets[index] == null
      ? []
      : [{ index, header: title, type: 'broken', value: '', message }];
  });
}
