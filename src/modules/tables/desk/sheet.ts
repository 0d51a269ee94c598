/** A table on its way into the service: what people decide about its columns, identifiers and cells. Nothing here is a component. */

import type { TableResult } from '../client.ts';
import { csvRow } from '../csv.ts';
import { columnLetters } from '../limits.ts';
import { NOTE } from '../table.ts';

/** A row of the file, with its number as spreadsheet programs show it. */
export type SheetRow = { readonly row: number; readonly cells: readonly string[] };

export type Sheet = {
  readonly header: readonly string[];
  readonly rows: readonly SheetRow[];
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

/** The table that a first check has read, and the slots that its headers name. */
export function sheetOf({ columns = [], items = [], faults }: TableResult): {
  sheet: Sheet;
  targets: Targets;
} {
  const letters = new Map(columns.map((_, index) => [columnLetters(index), index]));
  const broken = new Map<string, string>();
  for (const { row, column, type, message } of faults)
    if (type === 'cell_broken') broken.set(cellKey(row, letters.get(column) ?? 0), message);
  const taken = new Set<string>();
  const targets = columns.map(({ slot }) => {
    if (slot === null || taken.has(slot)) return null;
    taken.add(slot);
    return slot;
  });
  const rows = items.map(({ row, cells }) => ({ row, cells }));
  return { sheet: { header: columns.map(({ header }) => header), rows, broken }, targets };
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
