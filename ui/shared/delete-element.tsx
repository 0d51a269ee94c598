/** The button that deletes something that people set, and the dialog that asks before: a token, a collection, a webhook. */
import { useState } from 'preact/hooks';
import { t } from '../texts/texts.ts';
import { useAction } from './action.ts';
import { Dialog } from './dialog.tsx';
import { Icon } from './icons.tsx';
import { forget } from './schema.ts';
import { toast } from './toast.tsx';

export type DeleteWords = {
  readonly title: string;
  readonly help: string;
  readonly done: string;
  readonly confirm?: string;
  /** What else may go with it, which is proposed. */
  readonly also?: string | undefined;
};

export function TrashButton({ label, ...button }: { label: string; title?: string; onClick: () => void }) {
  return (
    <button type="button" class="icon" aria-label={label} {...button}>
      <Icon name="trash" />
    </button>
  );
}

export function DeleteElement({
  words,
  remove,
  onDone,
  onClose,
}: {
  words: DeleteWords;
  /** @param also whether what else is proposed goes with it */
  remove: (also: boolean) => Promise<void>;
  onDone: (() => void) | undefined;
  onClose: () => void;
}) {
  const [also, setAlso] = useState(true);
  const { busy, error, run } = useAction(async () => {
    await remove(words.also !== undefined && also);
    toast(words.done);
    forget();
    onDone?.();
    onClose();
  });
  return (
    <Dialog
      danger
      busy={busy}
      error={error}
      title={words.title}
      confirm={words.confirm ?? t('delete.delete')}
      onConfirm={run}
      onClose={onClose}
    >
      <p>{words.help}</p>
      {words.also && (
        <label class="check-line">
          <input type="checkbox" checked={also} onChange={(event) => setAlso(event.currentTarget.checked)} />
          {words.also}
        </label>
      )}
    </Dialog>
  );
}
