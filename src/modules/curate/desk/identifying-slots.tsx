/** The setting of which slots name one real thing: records with the same value of one are listed as duplicates. */
import { useState } from 'preact/hooks';
import type { ViewProps } from '../../../../ui/shared/context.ts';
import { useLoad } from '../../../../ui/shared/load.ts';
import { Loading } from '../../../../ui/shared/notes.tsx';
import { type ClassDescription, slotTitle } from '../../../../ui/shared/schema.ts';
import { SettingForm } from '../../../../ui/stewardship/setting-form.tsx';
import { type IdentifyingSlots as Chosen, isPossible, readIdentifying } from './compared.tsx';
import { tc } from './texts.ts';

export function IdentifyingSlots({ collection }: ViewProps) {
  const { value, error, reload } = useLoad(collection, (signal) => readIdentifying(collection, signal));
  if (error || !value) return <Loading error={error} retry={reload} />;
  return <SlotsForm collection={collection} {...value} />;
}

function SlotsForm(props: { collection: string; stored: Chosen; classes: readonly ClassDescription[] }) {
  const { collection, stored, classes } = props;
  const [chosen, setChosen] = useState(stored);
  const choose = (of: string, slot: string, on: boolean) => {
    const { [of]: before = [], ...others } = chosen;
    const slots = before.filter((name) => name !== slot);
    if (on) slots.push(slot);
    setChosen(slots.length > 0 ? { ...others, [of]: slots } : others);
  };
  return (
    <SettingForm collection={collection} change={(settings) => ({ ...settings, identifying_slots: chosen })}>
      <p class="muted small">{tc('identifyingHelp')}</p>
      {classes.map((description) => (
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
    </SettingForm>
  );
}
