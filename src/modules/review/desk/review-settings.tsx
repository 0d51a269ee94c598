/** The setting of how submissions are reviewed: by how many, who is to decide on what, and until when. */
import { useState } from 'preact/hooks';
import type { ViewProps } from '../../../../ui/shared/context.ts';
import { Icon } from '../../../../ui/shared/icons.tsx';
import { useLoad } from '../../../../ui/shared/load.ts';
import { NamesField } from '../../../../ui/shared/names-field.tsx';
import { Loading } from '../../../../ui/shared/notes.tsx';
import { SelectField } from '../../../../ui/shared/select-field.tsx';
import { lab } from '../../../../ui/shared/service.ts';
import { TextField } from '../../../../ui/shared/text-field.tsx';
import { SettingForm } from '../../../../ui/stewardship/setting-form.tsx';
import type { Curator } from '../api-types.ts';
import { review } from '../client.ts';
import type { ReviewSettings as Stored } from '../settings-schema.ts';
import { nameOfCurator } from './assign.tsx';
import { tr } from './texts.ts';

export function ReviewSettings({ collection }: ViewProps) {
  const { value, error, reload } = useLoad(`review-settings/${collection}`, async (signal) => {
    const client = lab(collection, signal);
    const [settings, curators] = await Promise.all([
      client.curation.settings() as Promise<{ review?: Stored }>,
      client.use(review).curators(),
    ]);
    return { stored: settings.review ?? {}, curators };
  });
  if (error || !value) return <Loading error={error} retry={reload} />;
  return <SettingsForm collection={collection} {...value} />;
}

/** A rule as it is typed. */
type Rule = {
  readonly curator: string;
  readonly classes: readonly string[];
  readonly zones: readonly string[];
};

function SettingsForm(props: ViewProps & { stored: Stored; curators: readonly Curator[] }) {
  const { collection, stored, curators } = props;
  const [approvals, setApprovals] = useState(String(stored.approvals ?? 1));
  const [days, setDays] = useState(stored.due_days === undefined ? '' : String(stored.due_days));
  const [rules, setRules] = useState<readonly Rule[]>(
    (stored.assign ?? []).map(({ curator, classes = [], zones = [] }) => ({ curator, classes, zones })),
  );
  const change = (at: number, changed: Partial<Rule>) =>
    setRules(rules.map((rule, index) => (index === at ? { ...rule, ...changed } : rule)));
  const next = (): Stored => {
    const assign = rules.map(({ curator, classes, zones }) => {
      return { curator, ...(classes.length > 0 && { classes }), ...(zones.length > 0 && { zones }) };
    });
    return {
      ...(approvals === '2' && { approvals: 2 }),
      ...(days.trim() !== '' && { due_days: Number(days) }),
      ...(assign.length > 0 && { assign }),
    };
  };
  return (
    <SettingForm collection={collection} change={(settings) => ({ ...settings, review: next() })}>
      <SelectField
        id="review-approvals"
        label={tr('settings.approvals')}
        help={tr('settings.approvalsHelp')}
        value={approvals}
        onChoose={setApprovals}
      >
        <option value="1">{tr('settings.one')}</option>
        <option value="2">{tr('settings.two')}</option>
      </SelectField>
      <TextField
        id="review-days"
        label={tr('settings.days')}
        help={tr('settings.daysHelp')}
        value={days}
        onText={setDays}
      />
      {rules.map((rule, at) => (
        // Rules have no name, and are typed in their order.
        <fieldset key={at} class="field">
          <legend>{tr('settings.rule', { n: at + 1 })}</legend>
          <SelectField
            id={`review-curator-${at}`}
            label={tr('assign.who')}
            value={rule.curator}
            onChoose={(curator) => change(at, { curator })}
          >
            {!curators.some(({ user_id }) => user_id === rule.curator) && (
              <option value={rule.curator}>{rule.curator}</option>
            )}
            {curators.map((one) => (
              <option key={one.user_id} value={one.user_id}>
                {nameOfCurator(one)}
              </option>
            ))}
          </SelectField>
          <NamesField
            id={`review-classes-${at}`}
            label={tr('settings.classes')}
            help={tr('settings.all')}
            names={rule.classes}
            onNames={(classes) => change(at, { classes })}
          />
          <NamesField
            id={`review-zones-${at}`}
            label={tr('settings.zones')}
            help={tr('settings.all')}
            names={rule.zones}
            onNames={(zones) => change(at, { zones })}
          />
          <button
            type="button"
            class="btn quiet"
            onClick={() => setRules(rules.filter((_, index) => index !== at))}
          >
            {tr('settings.remove', { n: at + 1 })}
          </button>
        </fieldset>
      ))}
      {curators[0] && (
        <p class="btns">
          <button
            type="button"
            class="btn"
            onClick={() => setRules([...rules, { curator: curators[0]!.user_id, classes: [], zones: [] }])}
          >
            <Icon name="plus" />
            {tr('settings.add')}
          </button>
        </p>
      )}
    </SettingForm>
  );
}
