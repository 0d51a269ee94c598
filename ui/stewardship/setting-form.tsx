/** The form of a setting of a collection, or of several that are saved together. */
import type { ComponentChildren } from 'preact';
import type { CollectionSettings } from '../../src/client/client.ts';
import { useAction } from '../shared/action.ts';
import { ErrorNote } from '../shared/notes.tsx';
import { lab } from '../shared/service.ts';
import { afterWrite } from '../shared/submit.ts';
import { toast } from '../shared/toast.tsx';
import { tst } from './texts.ts';

type Props = {
  collection: string;
  /** Makes the settings that are saved of those that are stored: others are kept. */
  change: (stored: CollectionSettings) => CollectionSettings;
  /** The fields. */
  children: ComponentChildren;
};

export function SettingForm({ collection, change, children }: Props) {
  const { busy, error, run } = useAction(async (event: Event) => {
    event.preventDefault();
    await lab(collection).curation.changeSettings(change);
    afterWrite();
    toast(tst('saved'));
  });
  return (
    <form class="form" onSubmit={run}>
      {children}
      {error && <ErrorNote error={error} />}
      <p class="btns">
        <button type="submit" class="btn primary" disabled={busy}>
          {tst('save')}
        </button>
      </p>
    </form>
  );
}
