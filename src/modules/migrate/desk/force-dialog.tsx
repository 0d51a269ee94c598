/** Puts a tried schema in force: what happens to how many records is said before. */
import { useState } from 'preact/hooks';
import { useAction } from '../../../../ui/shared/action.ts';
import { Dialog } from '../../../../ui/shared/dialog.tsx';
import type { JsonObject } from '../../../../ui/shared/json.ts';
import { lab } from '../../../../ui/shared/service.ts';
import { StateMark } from '../../../../ui/shared/state.tsx';
import { afterWrite } from '../../../../ui/shared/submit.ts';
import { toast } from '../../../../ui/shared/toast.tsx';
import { migrate } from '../client.ts';
import { ts } from './texts.ts';

export function ForceDialog(props: {
  collection: string;
  id: string;
  /** How many records would not fit afterwards. */
  broken: number;
  mended: number;
  patches: boolean | readonly string[];
  corrections: Readonly<Record<string, JsonObject>>;
  onClose: () => void;
  onForced: () => void;
}) {
  const { collection, id, broken, mended, patches, corrections, onClose, onForced } = props;
  const [anyway, setAnyway] = useState(false);
  const [missing, setMissing] = useState(false);
  const { busy, error, run } = useAction(async () => {
    await lab(collection).use(migrate).switch(id, { patches, corrections, ifValid: !anyway });
    toast(ts('forced', { name: collection }));
    onClose();
    onForced();
    afterWrite();
  });
  const isBad = missing && !anyway;
  const corrected = Object.keys(corrections).length;
  return (
    <Dialog
      title={ts('forceTitle', { name: collection })}
      confirm={ts('forceDo')}
      danger={broken > 0}
      busy={busy}
      error={error}
      onConfirm={() => {
        if (broken === 0 || anyway) return run();
        setMissing(true);
        return document.getElementById('broken-too')?.focus();
      }}
      onClose={onClose}
    >
      <ul class="bullets">
        <li>{ts('mended', { n: mended })}</li>
        <li>{ts('corrected', { n: corrected })}</li>
        <li class={broken > 0 ? 'strong' : undefined}>{ts('broken', { n: broken })}</li>
      </ul>
      {broken > 0 && (
        <label class="check-line">
          <input
            type="checkbox"
            id="broken-too"
            aria-invalid={isBad}
            aria-describedby={isBad ? 'broken-too-error' : undefined}
            checked={anyway}
            onChange={(event) => setAnyway(event.currentTarget.checked)}
          />{' '}
          {ts('brokenToo')}
        </label>
      )}
      {isBad && (
        <p class="field bad error" id="broken-too-error" role="alert">
          <StateMark name="rejected" />
          {ts('brokenMissing')}
        </p>
      )}
    </Dialog>
  );
}
