/** The settings of a collection: what a delete does to references, the language of its words, settings of modules, maintenance. */
import { useState } from 'preact/hooks';
import type { CollectionSettings as Settings } from '../../src/client/client.ts';
import { viewOf } from '../frame/section-view.tsx';
import { sectionsIn } from '../modules.ts';
import type { ViewProps } from '../shared/context.ts';
import { useLoad } from '../shared/load.ts';
import { Loading } from '../shared/notes.tsx';
import { SelectField } from '../shared/select-field.tsx';
import { lab } from '../shared/service.ts';
import { language } from '../texts/texts.ts';
import { Maintenance } from './maintenance.tsx';
import { SettingForm } from './setting-form.tsx';
import { tst } from './texts.ts';

const OF_MODULES = sectionsIn('settings').map((section) => ({ ...section, View: viewOf(section) }));

export function CollectionSettings({ collection }: ViewProps) {
  const { value, error, reload } = useLoad(collection, (signal) =>
    lab(collection, signal).curation.settings(),
  );
  if (error || !value) return <Loading error={error} retry={reload} />;
  return (
    <>
      <OwnSettings collection={collection} stored={value} />
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

type Language = NonNullable<NonNullable<Settings['search']>['language']>;

/** Their codes, by which browsers know their names. */
const LANGUAGES: Readonly<Record<Language, string>> = {
  danish: 'da',
  dutch: 'nl',
  english: 'en',
  finnish: 'fi',
  french: 'fr',
  german: 'de',
  hungarian: 'hu',
  italian: 'it',
  norwegian: 'no',
  portuguese: 'pt',
  romanian: 'ro',
  russian: 'ru',
  spanish: 'es',
  swedish: 'sv',
  turkish: 'tr',
};

function OwnSettings({ collection, stored }: ViewProps & { stored: Settings }) {
  const [onDelete, setOnDelete] = useState(stored.on_delete);
  const [spoken, setSpoken] = useState<string>(stored.search?.language ?? '');
  const names = new Intl.DisplayNames(language.value, { type: 'language' });
  const change = ({ search, ...settings }: Settings) => {
    const { language: _, ...others } = search ?? {};
    const words = { ...others, ...(spoken !== '' && { language: spoken as Language }) };
    return { ...settings, on_delete: onDelete, search: words };
  };
  return (
    <SettingForm collection={collection} change={change}>
      <fieldset class="field">
        <legend>{tst('onDelete')}</legend>
        <div class="radios">
          {(['warn', 'refuse'] as const).map((choice) => (
            <label key={choice}>
              <input
                type="radio"
                name="on-delete"
                checked={(onDelete ?? 'warn') === choice}
                onChange={() => setOnDelete(choice)}
              />
              {tst(choice)}
            </label>
          ))}
        </div>
      </fieldset>
      <SelectField
        id="search-language"
        label={tst('searchLanguage')}
        help={tst('searchLanguageHelp')}
        value={spoken}
        onChoose={setSpoken}
      >
        <option value="">{tst('noLanguage')}</option>
        {Object.entries(LANGUAGES)
          .map(([name, code]) => ({ name, title: names.of(code) ?? name }))
          .toSorted((a, b) => a.title.localeCompare(b.title, language.value))
          .map(({ name, title }) => (
            <option key={name} value={name}>
              {title}
            </option>
          ))}
      </SelectField>
    </SettingForm>
  );
}
