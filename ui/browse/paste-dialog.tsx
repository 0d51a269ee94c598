/** Cells from a spreadsheet that are pasted over the table: what changes, then the changes. */
import { useState } from 'preact/hooks';
import { useAction } from '../shared/action.ts';
import { Dialog } from '../shared/dialog.tsx';
import { type JsonObject, withValue } from '../shared/json.ts';
import { useLoad } from '../shared/load.ts';
import { Loading } from '../shared/notes.tsx';
import { slotTitle } from '../shared/schema.ts';
import { noteChanges, Preview } from './change-dialog.tsx';
import { makeChanges, type Plan, planChanges } from './changes.ts';
import type { Pasted } from './pasted.ts';
import { tb } from './texts.ts';

export function PasteDialog({
  collection,
  pasted: { values, slots, leftOut, rowsLeftOut },
  onClose,
}: {
  collection: string;
  pasted: Pasted;
  onClose: () => void;
}) {
  const change = (record: JsonObject) =>
    [...(values.get(String(record.pid)) ?? [])].reduce(
      (before, [slot, value]) => withValue(before, [slot], value) as JsonObject,
      record,
    );
  const planned = useLoad('plan', (signal) =>
    planChanges(collection, { pids: [...values.keys()] }, change, { signal }),
  );
  const [rest, setRest] = useState<Plan>();
  const plan = rest ?? planned.value;
  const good = plan?.planned.filter(({ problem }) => problem === undefined) ?? [];
  const { busy, error, run } = useAction(async () => {
    const { made, refused, error } = await makeChanges(collection, good);
    noteChanges(collection, made);
    if (error) throw error;
    if (refused.length === 0) return onClose();
    setRest({ planned: refused, total: refused.length });
  });
  return (
    <Dialog
      wide
      title={tb('pasteTitle', { n: values.size })}
      confirm={tb('changeN', { n: good.length })}
      busy={busy || good.length === 0}
      error={error}
      onConfirm={run}
      onClose={onClose}
    >
      {leftOut.length > 0 && (
        <p class="note st-diverged">{tb('pasteLeftOut', { slots: leftOut.map(slotTitle).join(', ') })}</p>
      )}
      {rowsLeftOut > 0 && <p class="note st-diverged">{tb('pasteRowsLeftOut', { n: rowsLeftOut })}</p>}
      {plan ? (
        <Preview collection={collection} slots={slots} {...plan} />
      ) : (
        <Loading error={planned.error} retry={planned.reload} />
      )}
    </Dialog>
  );
}
