/** The schema changes that were carried out; administrators take them back. */
import { useState } from 'preact/hooks';
import { useAction } from '../../../../ui/shared/action.ts';
import { Dialog } from '../../../../ui/shared/dialog.tsx';
import { lab } from '../../../../ui/shared/service.ts';
import { afterWrite } from '../../../../ui/shared/submit.ts';
import { fullTime } from '../../../../ui/shared/time.ts';
import { toast } from '../../../../ui/shared/toast.tsx';
import { migrate, type SchemaSwitch } from '../client.ts';
import { ts } from './texts.ts';

export function FormerVersions(props: {
  collection: string;
  versions: readonly SchemaSwitch[];
  isAdmin: boolean;
}) {
  const { collection, versions, isAdmin } = props;
  const [chosen, setChosen] = useState<SchemaSwitch>();
  const { busy, error, run } = useAction(async () => {
    await lab(collection).use(migrate).undo(chosen!.id);
    toast(ts('undoDone'));
    setChosen(undefined);
    afterWrite();
  });
  return (
    <section aria-labelledby="versions">
      <div class="head">
        <h2 id="versions">{ts('versions')}</h2>
      </div>
      {versions.length === 0 && <p class="muted">{ts('versionsNone')}</p>}
      <ul class={versions.length > 0 ? 'list' : undefined}>
        {versions.map((one) => (
          <li class="line" key={one.id}>
            <div class="stack-s">
              <span>
                {fullTime(one.time)} · <bdi>{one.by ?? ts('edited')}</bdi>
                {one.state === 'undone' && <span class="tag">{ts('undone')}</span>}
              </span>
              <span class="faint small">
                <bdi class="mono">{one.to.address ?? one.to.digest.slice(0, 12)}</bdi> ·{' '}
                {ts('was', { n: one.records })}
              </span>
            </div>
            {isAdmin && one.state === 'done' && one.kind === 'switch' && (
              <button type="button" class="btn" onClick={() => setChosen(one)}>
                {ts('undo')}
              </button>
            )}
          </li>
        ))}
      </ul>
      {chosen && (
        <Dialog
          danger
          title={ts('undoTitle')}
          confirm={ts('undo')}
          busy={busy}
          error={error}
          onConfirm={run}
          onClose={() => setChosen(undefined)}
        >
          <p>{ts('undoHelp')}</p>
        </Dialog>
      )}
    </section>
  );
}
