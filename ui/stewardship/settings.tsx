/** The settings of a collection: what a delete does to references, settings of modules, and maintenance. */
import { useState } from 'preact/hooks';
import type { CollectionSettings as Settings } from '../../src/client/client.ts';
import { viewOf } from '../frame/section-view.tsx';
import { sectionsIn } from '../modules.ts';
import { useAction } from '../shared/action.ts';
import type { ViewProps } from '../shared/context.ts';
import { useLoad } from '../shared/load.ts';
import { ErrorNote, Loading } from '../shared/notes.tsx';
import { lab } from '../shared/service.ts';
import { afterWrite } from '../shared/submit.ts';
import { toast } from '../shared/toast.tsx';
import { Maintenance } from './maintenance.tsx';
import { tst } from './texts.ts';

const OF_MODULES = sectionsIn('settings').map((section) => ({ ...section, View: viewOf(section) }));

export function CollectionSettings({ collection }: ViewProps) {
  const { value, error, reload } = useLoad(collection, (signal) =>
    lab(collection, signal).curation.settings(),
  );
  if (error || !value) return <Loading error={error} retry={reload} />;
  return (
    <>
      <OnDelete collection={collection} stored={value.on_delete} />
      {OF_MODULES.map(({ name, title, View }) => (
        <section key={name} class="form" aria-labelledby={name}>
          <h2 id={name}>{title()}</h2>
          <View collection={collection} />
        </section>
      ))}
      <Maintenance collection={collection} />
    </>
  );
}

function OnDelete({ collection, stored }: ViewProps & { stored: Settings['on_delete'] }) {
  const [chosen, setChosen] = useState(stored);
  const { busy, error, run } = useAction(async (event: Event) => {
    event.preventDefault();
    await lab(collection).curation.changeSettings((settings) => ({ ...settings, on_delete: chosen }));
    afterWrite();
    toast(tst('saved'));
  });
  return (
    <form class="form" onSubmit={run}>
      <fieldset class="field">
        <legend>{tst('onDelete')}</legend>
        <div class="radios">
          {(['warn', 'refuse'] as const).map((choice) => (
            <label key={choice}>
              <input
                type="radio"
                name="on-delete"
                checked={(chosen ?? 'warn') === choice}
                onChange={() => setChosen(choice)}
              />
              {tst(choice)}
            </label>
          ))}
        </div>
      </fieldset>
      {error && <ErrorNote error={error} />}
      <p class="btns">
        <button type="submit" class="btn primary" disabled={busy}>
          {tst('save')}
        </button>
      </p>
    </form>
  );
}
