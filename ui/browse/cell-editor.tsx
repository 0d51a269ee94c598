/** A value that is edited in its cell: Enter stores it with the checks of a form, Escape leaves it as it was. */
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Control } from '../form/control.tsx';
import { idOf } from '../form/field.tsx';
import { useRecordForm } from '../form/record-form.tsx';
import { useAction } from '../shared/action.ts';
import { isEqual, type Json, type JsonObject, withValue } from '../shared/json.ts';
import { sentenceOf } from '../shared/notes.tsx';
import { shortValue } from '../shared/scalar.tsx';
import { type Slot, slotTitle } from '../shared/schema.ts';
import { t } from '../texts/texts.ts';
import { noteChanges } from './change-dialog.tsx';
import { makeChanges, planChanges } from './changes.ts';
import { tb } from './texts.ts';

/** A cell that is edited, also while its row is out of sight: such rows are not in the document. */
export type TypedCell = {
  /** The record with what was typed. */
  record: JsonObject;
  /** The value that was on the screen; after a warning, the one of a colleague. */
  seen: Json | undefined;
};

export function CellEditor({
  collection,
  className,
  slot,
  row,
  title,
  typed,
  onClose,
}: {
  collection: string;
  className: string;
  slot: Slot;
  row: JsonObject;
  title: string;
  typed: TypedCell;
  /** @param stored whether the row has the value now */
  onClose: (stored: boolean) => void;
}) {
  const { name } = slot;
  const path = [name];
  const id = idOf(path);
  const form = useRecordForm({ collection, className, initial: typed.record, stored: row });
  typed.record = form.record;
  const [problem, setProblem] = useState<string>();
  const isOpen = useRef(true);
  // Another editor may be open when what was stored is answered.
  const close = (stored: boolean) => {
    if (isOpen.current) onClose(stored);
  };
  // Before the next key, which is typed into the cell.
  useLayoutEffect(() => {
    const field = document.getElementById(id);
    field?.focus();
    if (field instanceof HTMLInputElement && field.type !== 'radio') field.select();
    return () => {
      isOpen.current = false;
    };
  }, []);
  const { busy, error, run } = useAction(async () => {
    setProblem(undefined);
    // Names text first that was typed into a reference and not chosen.
    if (!(await form.attempt(async () => {}))) return;
    const chosen = { pids: [String(row.pid)] };
    const { planned } = await planChanges(
      collection,
      chosen,
      (record) => withValue(record, path, form.record[name]) as JsonObject,
    );
    const [change] = planned;
    if (!change) return close(false);
    if (change.problem !== undefined) return setProblem(change.problem);
    const showChanged = (now: Json | undefined) => {
      typed.seen = now;
      const value = shortValue(now, slot.range, () => undefined) || t('form.noValue');
      setProblem(tb('cellChanged', { value }));
    };
    const before = change.before[name];
    if (!isEqual(before ?? null, typed.seen ?? null)) return showChanged(before);
    const { made, refused, error } = await makeChanges(collection, [change]);
    if (error) throw error;
    const [refusal] = refused;
    if (refusal?.now && !isEqual(refusal.now[name] ?? null, before ?? null))
      return showChanged(refusal.now[name]);
    if (refusal) return setProblem(refusal.problem);
    noteChanges(collection, made);
    return close(true);
  });
  const words = problem ?? (error && sentenceOf(error)) ?? form.errorAt(path);
  return (
    <form
      class="cell-edit"
      data-fields
      aria-label={tb('cellEdit', { slot: slotTitle(slot), title })}
      onSubmit={(event) => {
        event.preventDefault();
        if (!busy) run();
      }}
      onKeyDown={(event) => {
        if (event.defaultPrevented) return;
        if (event.key === 'Escape') {
          event.preventDefault();
          // What is being stored is not left as it was.
          if (!busy) close(false);
        } else if (event.key === 'Enter' && !event.shiftKey) {
          event.preventDefault();
          if (!busy) run();
        }
      }}
    >
      <label class="vh" for={id}>
        {slotTitle(slot)}
      </label>
      <Control form={form} slot={slot} path={path} value={form.record[name]} described={`${id}-cell`} />
      <p class={words ? 'error' : 'tiny faint'} id={`${id}-cell`} role={words ? 'alert' : undefined}>
        {words ?? tb('cellHelp')}
      </p>
    </form>
  );
}
