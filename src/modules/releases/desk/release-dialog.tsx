/** The name and the notes of a new release. */
import { useAction } from '../../../../ui/shared/action.ts';
import { Dialog } from '../../../../ui/shared/dialog.tsx';
import { useKept } from '../../../../ui/shared/kept.ts';
import { lab } from '../../../../ui/shared/service.ts';
import { TextField } from '../../../../ui/shared/text-field.tsx';
import { toast } from '../../../../ui/shared/toast.tsx';
import { releases } from '../client.ts';
import { tr } from './texts.ts';

export function ReleaseDialog(props: {
  collection: string;
  /** Called when the service has accepted the request, and while it makes the release. */
  onProgress: () => void;
  onClose: () => void;
}) {
  const { collection, onProgress, onClose } = props;
  const [typed, setTyped, forget] = useKept(`release/${collection}`, { name: '', notes: '' });
  const name = typed.name.trim();
  const { busy, error, run } = useAction(async () => {
    let isAccepted = false;
    const { state } = await lab(collection)
      .use(releases)
      .create(name, {
        notes: typed.notes.trim() || undefined,
        progress() {
          if (!isAccepted) {
            isAccepted = true;
            forget();
            onClose();
          }
          onProgress();
        },
      });
    if (state === 'done') toast(tr('made', { name }));
  });
  const make = async () => {
    if (!(await run())) document.getElementById('release-name')?.focus();
  };
  const problem =
    error?.code === 'name_taken'
      ? error.message
      : error?.problems.find(({ loc }) => loc.includes('name'))?.msg;
  return (
    <Dialog
      busy={busy}
      error={problem ? undefined : error}
      title={tr('new')}
      confirm={tr('make')}
      onConfirm={make}
      onClose={onClose}
    >
      <TextField
        id="release-name"
        label={tr('name')}
        help={tr('name_help')}
        problem={problem}
        first
        maxLength={100}
        value={typed.name}
        onText={(text) => setTyped({ ...typed, name: text })}
      />
      <div class="field">
        <label for="release-notes">{tr('notes')}</label>
        <textarea
          class="input grow"
          id="release-notes"
          rows={4}
          maxLength={10_000}
          value={typed.notes}
          onInput={(event) => setTyped({ ...typed, notes: event.currentTarget.value })}
        />
      </div>
      <p class="muted small">{tr('forever')}</p>
    </Dialog>
  );
}
