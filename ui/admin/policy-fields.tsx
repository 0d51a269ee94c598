/** The policies of a collection as fields: the annotation, the default, and who has which policies. */
import { Icon } from '../shared/icons.tsx';
import { isObject, type Json, type JsonObject, scalarText } from '../shared/json.ts';
import { NamesField } from '../shared/names-field.tsx';
import { TextField } from '../shared/text-field.tsx';
import { t } from '../texts/texts.ts';
import type { Token } from './elements.ts';
import { ta } from './texts.ts';

const KEYS = ['policy_annotation_tag', 'default_policy', 'policy_info_location'] as const;

/** The policies with which requests without a token show records that name `sample`, and all readers see every record. */
function sampleFor({ user_id }: Token): JsonObject {
  const [sample, members] = ['sample', 'members'];
  return {
    policy_annotation_tag: 'policy',
    default_policy: members,
    policy_mapping: [
      { auth_source: '*', user_id: '*', authorized_by: [members, sample] },
      { auth_source: 'config', user_id, authorized_by: [sample] },
    ],
  };
}

export function PolicyFields({
  collection,
  visitor,
  onChange,
}: {
  collection: JsonObject;
  /** The default token of the collection, if it is defined. */
  visitor: Token | undefined;
  onChange: (changes: JsonObject) => void;
}) {
  const mapping = collection.policy_mapping;
  const rows = Array.isArray(mapping) ? mapping.filter(isObject) : [];
  const put = (next: readonly Json[]) => onChange({ policy_mapping: [...next] });
  const change = (at: number, key: string, value: Json) =>
    put(rows.map((row, index) => (index === at ? { ...row, [key]: value } : row)));
  const isOpen = KEYS.every((key) => scalarText(collection[key]) === '') && rows.length === 0;
  const isElsewhere = scalarText(collection.policy_info_location) !== '';
  return (
    <details class="field spaced" open={KEYS.some((key) => scalarText(collection[key]) !== '')}>
      <summary>{t('policy.policies')}</summary>
      {isOpen && visitor && (
        <p class="help">
          <button type="button" class="linkish" onClick={() => onChange(sampleFor(visitor))}>
            {ta('sample')}
          </button>{' '}
          {ta('sampleHelp', { token: visitor.name })}
        </p>
      )}
      {KEYS.map((key) => (
        <TextField
          key={key}
          id={`collection-${key}`}
          label={t(`policy.${key}`)}
          mono
          value={scalarText(collection[key])}
          onText={(text) => onChange({ [key]: text === '' ? null : text })}
        />
      ))}
      {isElsewhere ? (
        <p class="help">{t('policy.elsewhere')}</p>
      ) : (
        <>
          {rows.map((row, at) => (
            <div class="policy-row" key={at}>
              {(['auth_source', 'user_id'] as const).map((key) => (
                <TextField
                  key={key}
                  id={`collection-policies-${at}-${key}`}
                  label={t(`policy.${key}`)}
                  mono
                  value={scalarText(row[key])}
                  onText={(text) => change(at, key, text)}
                />
              ))}
              <NamesField
                id={`collection-policies-${at}`}
                label={t('policy.authorized_by')}
                mono
                names={Array.isArray(row.authorized_by) ? row.authorized_by.map(scalarText) : []}
                onNames={(names) => change(at, 'authorized_by', names)}
              />
              <button
                type="button"
                class="btn quiet"
                aria-label={t('policy.remove')}
                onClick={() => put(rows.toSpliced(at, 1))}
              >
                <Icon name="close" />
              </button>
            </div>
          ))}
          <button
            type="button"
            class="linkish"
            onClick={() => put([...rows, { auth_source: 'config', user_id: '', authorized_by: [] }])}
          >
            {t('policy.add')}
          </button>
        </>
      )}
    </details>
  );
}
