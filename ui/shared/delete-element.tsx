/** Asks before something that people set is deleted: a token, a collection, a webhook. */
import { useState } from 'preact/hooks';
import type { ClientError } from '../../src/client/client.ts';
import { t } from '../texts/texts.ts';
import { Dialog } from './dialog.tsx';
import { ErrorNote } from './notes.tsx';
import { forget } from './schema.ts';
import { toast } from './toast.tsx';

export type DeleteWords = {
  readonly title: string;
  readonly help: string;
  readonly done: string;
  readonly confirm?: string;
};

export function DeleteElement({
  words,
  remove,
  onDone,
  onClose,
}: {
  words: DeleteWords;
  remove: () => Promise<void>;
  onDone: (() => void) | undefined;
  onClose: () => void;
}) {
  const [error, setError] = useState<ClientError>();
  const run = async () => {
    try {
      await remove();
      toast(words.done);
      forget();
      onDone?.();
      onClose();
    } catch (problem) {
      setError(problem as ClientError);
    }
  };
  return (
    <Dialog
      danger
      title={words.title}
      confirm={words.confirm ?? t('delete.delete')}
      onConfirm={run}
      onClose={onClose}
    >
      <p>{words.help}</p>
      {error && <ErrorNote error={error} />}
    </Dialog>
  );
}
