/** The schema changes that were carried out; administrators take them back. */
import { useState } from 'preact/hooks';
import type { SchemaSwitch } from '../../src/client/client.ts';
import { useAction } from '../shared/action.ts';
import { Dialog } from '../shared/dialog.tsx';
import { lab } from '../shared/service.ts';
import { afterWrite } from '../shared/submit.ts';
import { fullTime } from '../shared/time.ts';
import { toast } from '../shared/toast.tsx';
import { ts } from './texts.ts';

export function FormerVersions(props: {
  collection: string;
  versions: readonly SchemaSwitch[];
  isAdmin: boolean;
}) {
  const { collection, versions, isAdmin } = props;
  const [chosen, setChosen] = useState<SchemaSwitch>();
  const { busy, error, run } = useAction(async () => {
    await lab(collection).undoSwitch(chosen!.id);
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
