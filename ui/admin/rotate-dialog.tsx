/** Asks before a token gets a new secret. */
import { useState } from 'preact/hooks';
import type { ClientError } from '../../src/client/client.ts';
import { Dialog } from '../shared/dialog.tsx';
import { ErrorNote } from '../shared/notes.tsx';
import { asClientError, service } from '../shared/service.ts';
import { ta } from './texts.ts';

const KEPT_DAYS = 7;

export function RotateDialog(props: {
  name: string;
  onSecret: (secret: string) => void;
  onClose: () => void;
}) {
  const { name, onSecret, onClose } = props;
  const [error, setError] = useState<ClientError>();
  const [busy, setBusy] = useState(false);
  const rotate = async () => {
    setBusy(true);
    try {
      onSecret(await service().configuration.rotate(name, { keepDays: KEPT_DAYS }));
      onClose();
    } catch (problem) {
      setError(asClientError(problem));
      setBusy(false);
    }
  };
  return (
    <Dialog
      busy={busy}
      title={ta('rotateTitle', { name })}
      confirm={ta('rotate')}
      onConfirm={rotate}
      onClose={onClose}
    >
      <p>{ta('rotateHelp', { n: KEPT_DAYS })}</p>
      {error && <ErrorNote error={error} />}
    </Dialog>
  );
}
