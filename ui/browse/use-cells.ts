/** The cells of a list: the one that the keys are at, the one that is edited, and what is pasted over them. */
import { useLayoutEffect, useState } from 'preact/hooks';
import { fitsCell } from '../form/field.tsx';
import type { JsonObject } from '../shared/json.ts';
import { focusHeading, onControl } from '../shared/keys.ts';
import type { Pages } from '../shared/pages.ts';
import { type Slot, slotTitle } from '../shared/schema.ts';
import { announcement } from '../shared/toast.tsx';
import { MOST_ROWS, type Pasted, pasteOver } from './pasted.ts';
import type { EditedCell } from './record-columns.tsx';

type CellsOf = {
  /** What the list is of. */
  readonly name: string;
  readonly slots: readonly Slot[];
  readonly pages: Pages<JsonObject>;
  /** The row that the keys are at. */
  readonly row: {
    readonly index: number;
    /** Whether its record is known: while a list is read again, another one may have come to its place. */
    readonly isThere: boolean;
    readonly moveTo: (index: number) => void;
  };
  readonly mayWrite: boolean;
  /** Whether a dialog is open. */
  readonly isBusy: boolean;
  /** Edits a slot that has no room in a cell. */
  readonly editInDialog: (slot: string) => void;
};

export function useCells({ name, slots, pages, row, mayWrite, isBusy, editInDialog }: CellsOf) {
  /** The column that the keys are at, behind the name; undefined for the name. */
  const [column, setColumn] = useState<number>();
  const [editing, setEditing] = useState<EditedCell>();
  const move = (by: 1 | -1) => (event: KeyboardEvent) => {
    if (!mayWrite || onControl(event) || pages.rowAt(row.index) === undefined) return false;
    const next = Math.min(slots.length - 1, (column ?? -1) + by);
    const slot = slots[next];
    setColumn(slot && next);
    announcement.value = slot ? slotTitle(slot) : name;
    return true;
  };
  const begin = (at: number, chosen: number) => {
    const record = pages.rowAt(at);
    const slot = slots[chosen];
    if (!mayWrite || !record || !slot || slot.identifier || slot.designates_type) return;
    row.moveTo(at);
    setColumn(chosen);
    if (!fitsCell(slot)) return editInDialog(slot.name);
    setEditing({ key: `${record.pid}\n${slot.name}`, typed: { record, seen: record[slot.name] } });
  };
  const [pasted, setPasted] = useState<Pasted>();
  const paste = (event: ClipboardEvent) => {
    const text = event.clipboardData?.getData('text/plain') ?? '';
    if (column === undefined || editing !== undefined || isBusy || text.trim() === '') return;
    if ((event.target as Element).closest('input, textarea, dialog')) return;
    event.preventDefault();
    if (!row.isThere) return;
    // Up to the first one that is not loaded: rows behind it would get the cells of others.
    const below: JsonObject[] = [];
    for (let next = pages.rowAt(row.index); next && below.length < MOST_ROWS; ) {
      below.push(next);
      next = pages.rowAt(row.index + below.length);
    }
    setPasted(pasteOver(text, below, slots.slice(column)));
  };
  // Before the next event: what is pasted behind a key goes where the key has led.
  useLayoutEffect(() => {
    document.addEventListener('paste', paste);
    return () => document.removeEventListener('paste', paste);
  });
  const close = (stored: boolean) => {
    setEditing(undefined);
    focusHeading();
    // As in a spreadsheet: the next value is the one below.
    if (stored && row.index + 1 < pages.total) row.moveTo(row.index + 1);
  };
  return {
    column,
    editing,
    isAt: (at: number, chosen: number) => at === row.index && chosen === column,
    move,
    begin,
    close,
    pasted,
    closePasted: () => setPasted(undefined),
  };
}
