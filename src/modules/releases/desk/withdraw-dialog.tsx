/** Asks for the reason before a release is withdrawn. */
import { useState } from 'preact/hooks';
import { useAction } from '../../../../ui/shared/action.ts';
import { Dialog } from '../../../../ui/shared/dialog.tsx';
import { lab } from '../../../../ui/shared/service.ts';
import { TextField } from '../../../../ui/shared/text-field.tsx';
import { toast } from '../../../../ui/shared/toast.tsx';
import { releases } from '../client.ts';
import { tr } from './texts.ts';

export function WithdrawDialog(props: {
  collection: string;
  name: string;
  onDone: () => void;
  onClose: () => void;
}) {
  const { collection, name, onDone, onClose } = props;
  const [reason, setReason] = useState('');
  const { busy, error, run } = useAction(async () => {
    await lab(collection).use(releases).withdraw(name, reason.trim());
    toast(tr('withdrawnNow', { name }));
    onDone();
    onClose();
  });
  return (
    <Dialog
      danger
      busy={busy}
      error={error}
      focus="withdraw-reason"
      title={tr('withdrawTitle', { name })}
      confirm={tr('withdraw')}
      onConfirm={() => (reason.trim() ? void run() : document.getElementById('withdraw-reason')?.focus())}
      onClose={onClose}
    >
      <p>{tr('withdrawHelp')}</p>
      <TextField
        id="withdraw-reason"
        label={tr('reason')}
        required
        maxLength={2000}
        value={reason}
        onText={setReason}
      />
    </Dialog>
  );
}
