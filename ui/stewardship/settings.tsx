/** The settings of a collection: what a delete does to references, and which slots name one real thing. */
import { useState } from 'preact/hooks';
import type { CollectionSettings as CoreSettings } from '../../src/client/client.ts';
import type { CurationSettings } from '../../src/modules/curate/api-types.ts';
import { tc } from '../../src/modules/curate/desk/texts.ts';
import { useAction } from '../shared/action.ts';
import type { ViewProps } from '../shared/context.ts';
import { useLoad } from '../shared/load.ts';
import { ErrorNote, Loading } from '../shared/notes.tsx';
import { type ClassDescription, readClass, readClasses, slotTitle } from '../shared/schema.ts';
import { lab } from '../shared/service.ts';
import { afterWrite } from '../shared/submit.ts';
import { toast } from '../shared/toast.tsx';
import { Maintenance } from './maintenance.tsx';

type Settings = CoreSettings & CurationSettings;

export function CollectionSettings({ collection }: ViewProps) {
  const { value, error, reload } = useLoad(collection, async (signal) => {
    const [settings, summaries] = await Promise.all([
      lab(collection, signal).curation.settings() as Promise<Settings>,
      readClasses(collection, signal),
    ]);
    const used = summaries.filter(
      ({ count, class: name }) => count > 0 || settings.identifying_slots?.[name],
    );
    return { settings, classes: await Promise.all(used.map((one) => readClass(collection, one.class))) };
  });
  if (error || !value) return <Loading error={error} retry={reload} />;
  return (
    <>
      <SettingsForm collection={collection} {...value} />
      <Maintenance collection={collection} />
    </>
  );
}

function SettingsForm(props: {
  collection: string;
  settings: Settings;
  classes: readonly ClassDescription[];
}) {
  const { collection, classes } = props;
  const [settings, setSettings] = useState(props.settings);
  const { busy, error, run } = useAction(async (event: Event) => {
    event.preventDefault();
    const { on_delete, identifying_slots } = settings;
    setSettings(
      await lab(collection).curation.changeSettings((stored) => ({
        ...stored,
        on_delete,
        identifying_slots,
      })),
    );
    afterWrite();
    toast(tc('saved'));
  });
  const chosen = settings.identifying_slots ?? {};
  const choose = (of: string, slot: string, on: boolean) => {
    const slots = (chosen[of] ?? []).filter((name) => name !== slot);
    const next = { ...chosen, [of]: on ? [...slots, slot] : slots };
    if (next[of]?.length === 0) delete next[of];
    setSettings({ ...settings, identifying_slots: next });
  };
  return (
    <form class="form" onSubmit={run}>
      <fieldset class="field">
        <legend>{tc('onDelete')}</legend>
        <div class="radios">
          {(['warn', 'refuse'] as const).map((choice) => (
            <label key={choice}>
              <input
                type="radio"
                name="on-delete"
                checked={(settings.on_delete ?? 'warn') === choice}
                onChange={() => setSettings({ ...settings, on_delete: choice })}
              />
              {tc(choice)}
            </label>
          ))}
        </div>
      </fieldset>
      <div>
        <h2>{tc('identifying')}</h2>
        <p class="muted small">{tc('identifyingHelp')}</p>
      </div>
      {classes
        .filter(({ slots }) => slots.some(isPossible))
        .map((description) => (
          <fieldset class="field" key={description.class}>
            <legend>{description.title ?? description.class}</legend>
            <div class="radios">
              {description.slots.filter(isPossible).map((slot) => (
                <label key={slot.name}>
                  <input
                    type="checkbox"
                    checked={chosen[description.class]?.includes(slot.name) ?? false}
                    onChange={(event) => choose(description.class, slot.name, event.currentTarget.checked)}
                  />
                  {slotTitle(slot)}
                </label>
              ))}
            </div>
          </fieldset>
        ))}
      {error && <ErrorNote error={error} />}
      <p class="btns">
        <button type="submit" class="btn primary" disabled={busy}>
          {tc('save')}
        </button>
      </p>
    </form>
  );
}

/** Values of types can name a thing; references and choices cannot. */
function isPossible({ range, identifier, designates_type }: ClassDescription['slots'][number]): boolean {
  return range.kind === 'type' && !identifier && !designates_type;
}
