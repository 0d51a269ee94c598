/** Cells from a spreadsheet that are pasted over the table: what changes, then the changes. */
import { useState } from 'preact/hooks';
import { useAction } from '../shared/action.ts';
import { Dialog } from '../shared/dialog.tsx';
import { useGuard } from '../shared/guard.ts';
import { type JsonObject, withValue } from '../shared/json.ts';
import { useLoad } from '../shared/load.ts';
import { Loading } from '../shared/notes.tsx';
import { slotTitle } from '../shared/schema.ts';
import { t } from '../texts/texts.ts';
import { Preview, useChanges } from './change-dialog.tsx';
import { type Plan, planChanges } from './changes.ts';
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
  const changes = useChanges(collection);
  const { busy, error, run } = useAction(async () => {
    const { rest, error } = await changes.make(good);
    if (rest.length === 0) return onClose();
    setRest({ planned: rest, total: rest.length });
    if (error) throw error;
  });
  useGuard(busy, t('running.leave'));
  return (
    <Dialog
      wide
      title={tb('pasteTitle', { n: values.size })}
      confirm={tb('changeN', { n: good.length })}
      busy={busy || good.length === 0}
      error={error}
      onConfirm={run}
      onClose={busy ? changes.stop : onClose}
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
