/** Asks before a token gets a new secret. */
import { useAction } from '../shared/action.ts';
import { Dialog } from '../shared/dialog.tsx';
import { service } from '../shared/service.ts';
import { ta } from './texts.ts';

const KEPT_DAYS = 7;

export function RotateDialog(props: {
  name: string;
  onSecret: (secret: string) => void;
  onClose: () => void;
}) {
  const { name, onSecret, onClose } = props;
  const { busy, error, run } = useAction(async () => {
    onSecret(await service().configuration.rotate(name, { keepDays: KEPT_DAYS }));
    onClose();
  });
  return (
    <Dialog
      busy={busy}
      error={error}
      title={ta('rotateTitle', { name })}
      confirm={ta('rotate')}
      onConfirm={run}
      onClose={onClose}
    >
      <p>{ta('rotateHelp', { n: KEPT_DAYS })}</p>
    </Dialog>
  );
}
