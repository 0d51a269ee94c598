/** Cells that were copied in a spreadsheet, as values of the rows and columns that they are pasted over. */

import { fitsCell } from '../form/field.tsx';
import { type Json, type JsonObject, parseJson } from '../shared/json.ts';
import { isNumeric } from '../shared/scalar.tsx';
import type { Slot } from '../shared/schema.ts';
import { storedDate, storedNumber } from '../shared/time.ts';
import { cellsOf } from './clipboard.ts';

/** Rows that are pasted at once: as many as a page has. */
export const MOST_ROWS = 100;

/** By pid, the new values by slot; undefined for one that is removed. */
export type Pasted = {
  readonly values: ReadonlyMap<string, ReadonlyMap<string, Json | undefined>>;
  /** The slots that are pasted into. */
  readonly slots: readonly Slot[];
  /** Columns whose values are not edited in a cell: what was pasted over them is left out. */
  readonly leftOut: readonly Slot[];
  /** Rows of the clipboard for which there is none in the table. */
  readonly rowsLeftOut: number;
};

/**
 * Lays copied cells over rows and columns, from the first of each.
 *
 * @param text what a spreadsheet program has copied
 */
export function pasteOver(text: string, rows: readonly JsonObject[], columns: readonly Slot[]): Pasted {
  const lines = cellsOf(text);
  const cells = lines.slice(0, MOST_ROWS);
  const width = Math.max(...cells.map(({ length }) => length));
  const over = columns.slice(0, width);
  const values = new Map<string, ReadonlyMap<string, Json | undefined>>();
  for (const [at, row] of rows.slice(0, cells.length).entries())
    values.set(
      String(row.pid),
      new Map(
        over.flatMap((slot, column) => {
          const cell = cells[at]?.[column];
          return cell === undefined || !fitsCell(slot) ? [] : [[slot.name, valueIn(cell.trim(), slot)]];
        }),
      ),
    );
  return {
    values,
    slots: over.filter(fitsCell),
    leftOut: over.filter((slot) => !fitsCell(slot)),
    rowsLeftOut: lines.length - values.size,
  };
}

/** Words of spreadsheet programs, and of people. */
const BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ...['true', 'yes', 'wahr', 'ja'].map((word) => [word, true] as const),
  ...['false', 'no', 'falsch', 'nein'].map((word) => [word, false] as const),
]);

/** The value that a string stands for in a slot; others stay strings, and the service says what it expects. */
function valueIn(text: string, { range }: Slot): Json | undefined {
  if (text === '') return undefined;
  if (range.kind === 'enum')
    return range.values.find(({ title }) => title?.toLowerCase() === text.toLowerCase())?.value ?? text;
  if (range.kind !== 'type') return text;
  if (range.base === 'boolean') return BOOLEANS.get(text.toLowerCase()) ?? text;
  if (/^date/.test(range.base)) return storedDate(text);
  const number = isNumeric(range) ? storedNumber(text) : undefined;
  return number === undefined ? text : parseJson(number);
}
