/** The button that deletes something that people set, and the dialog that asks before: a token, a collection, a webhook. */
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
  remove: () => Promise<void>;
  onDone: (() => void) | undefined;
  onClose: () => void;
}) {
  const { busy, error, run } = useAction(async () => {
    await remove();
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
    </Dialog>
  );
}
