/** The setting of what citations of a collection have: creators, funders and DOIs. */
import { useState } from 'preact/hooks';
import type { ViewProps } from '../../../../ui/shared/context.ts';
import { Icon } from '../../../../ui/shared/icons.tsx';
import { useLoad } from '../../../../ui/shared/load.ts';
import { Loading } from '../../../../ui/shared/notes.tsx';
import { lab } from '../../../../ui/shared/service.ts';
import { TextField } from '../../../../ui/shared/text-field.tsx';
import { SettingForm } from '../../../../ui/stewardship/setting-form.tsx';
import type { CollectionSettings } from '../../../client/client.ts';
import type { CiteSettings as Stored } from '../settings.ts';
import { tc } from './texts.ts';

export function CiteSettings({ collection }: ViewProps) {
  const { value, error, reload } = useLoad(`cite-settings/${collection}`, async (signal) => {
    const settings = (await lab(collection, signal).curation.settings()) as { cite?: Stored };
    return settings.cite ?? {};
  });
  if (error || !value) return <Loading error={error} retry={reload} />;
  return <SettingsForm collection={collection} stored={value} />;
}

/** A person or an organization with what identifies it: an ORCID iD, or the number of a grant. */
type Named = { readonly name: string; readonly id: string };

function SettingsForm({ collection, stored }: ViewProps & { stored: Stored }) {
  const [creators, setCreators] = useState<readonly Named[]>(
    (stored.creators ?? []).map(({ name, orcid = '' }) => ({ name, id: orcid })),
  );
  const [funders, setFunders] = useState<readonly Named[]>(
    (stored.funders ?? []).map(({ name, award = '' }) => ({ name, id: award })),
  );
  const [doi, setDoi] = useState(stored.doi ?? '');
  const change = (settings: CollectionSettings) => {
    // DOIs of single releases are kept.
    const { creators: _, funders: __, doi: ___, ...others } = (settings as { cite?: Stored }).cite ?? {};
    const cite = {
      ...others,
      ...(creators.length > 0 && { creators: creators.map(({ name, id }) => named(name, 'orcid', id)) }),
      ...(funders.length > 0 && { funders: funders.map(({ name, id }) => named(name, 'award', id)) }),
      ...(doi.trim() !== '' && { doi: doi.trim() }),
    };
    return { ...settings, cite };
  };
  return (
    <SettingForm collection={collection} change={change}>
      <NamedList
        kind="creator"
        rows={creators}
        onChange={setCreators}
        help={tc('nameHelp')}
        idLabel={tc('orcid')}
      />
      <NamedList kind="funder" rows={funders} onChange={setFunders} idLabel={tc('award')} />
      <TextField id="cite-doi" label={tc('doi')} help={tc('doiHelp')} value={doi} onText={setDoi} mono />
    </SettingForm>
  );
}

function named<Key extends string>(name: string, key: Key, id: string) {
  const value = id.trim();
  return { name: name.trim(), ...(value !== '' && { [key]: value }) };
}

function NamedList({
  kind,
  rows,
  onChange,
  help,
  idLabel,
}: {
  kind: 'creator' | 'funder';
  rows: readonly Named[];
  onChange: (rows: readonly Named[]) => void;
  help?: string;
  idLabel: string;
}) {
  const change = (at: number, changed: Partial<Named>) =>
    onChange(rows.map((row, index) => (index === at ? { ...row, ...changed } : row)));
  return (
    <>
      {rows.map((row, at) => (
        // They have no other name than that which is typed, in their order.
        <fieldset key={at} class="field">
          <legend>{tc(kind, { n: at + 1 })}</legend>
          <TextField
            id={`cite-${kind}-${at}`}
            label={tc('name')}
            help={help}
            value={row.name}
            onText={(name) => change(at, { name })}
            required
          />
          <TextField
            id={`cite-${kind}-${at}-id`}
            label={idLabel}
            value={row.id}
            onText={(id) => change(at, { id })}
          />
          <button
            type="button"
            class="btn quiet"
            onClick={() => onChange(rows.filter((_, index) => index !== at))}
          >
            {tc('remove', { what: tc(kind, { n: at + 1 }) })}
          </button>
        </fieldset>
      ))}
      <p class="btns">
        <button type="button" class="btn" onClick={() => onChange([...rows, { name: '', id: '' }])}>
          <Icon name="plus" />
          {tc(kind === 'creator' ? 'addCreator' : 'addFunder')}
        </button>
      </p>
    </>
  );
}
