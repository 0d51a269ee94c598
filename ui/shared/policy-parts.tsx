/** Policies of records: the lock on a restricted one, who sees it, and the choice of a policy. */

import { t } from '../texts/texts.ts';
import { Icon } from './icons.tsx';
import type { JsonObject } from './json.ts';
import { useLoad } from './load.ts';
import { policiesIn, withPolicy } from './policies.ts';
import { written } from './schema.ts';
import { lab } from './service.ts';
import { isSample, may, session } from './session.ts';
import { count } from './time.ts';

/** Readers that are named. */
const SHOWN = 10;

/** The ways to write the annotation of policies; none if the collection restricts no records by one. */
function policyTags(collection: string): readonly string[] {
  return session.me.value?.collections[collection]?.policy_tags ?? [];
}

/** Marks a record that names a policy, except to a guest, who sees those alone that everybody may see. */
export function Lock({ collection, record }: { collection: string; record: JsonObject }) {
  const policies = policiesIn(record, policyTags(collection));
  const access = session.me.value?.collections[collection];
  if (policies.length === 0 || (access && isSample(access))) return null;
  const text = t('policy.locked', { names: policies.join(', ') });
  return (
    <span class="tag lock" title={text}>
      <Icon name="lock" size={12} />
      <span class="vh">{text}</span>
      <bdi aria-hidden="true">{policies.join(', ')}</bdi>
    </span>
  );
}

/** Who sees a record of the curated area or of a zone; for curators, in collections with policies. */
export function Readers({
  collection,
  pid,
  label,
}: {
  collection: string;
  pid: string;
  label: string | undefined;
}) {
  const isShown =
    may(collection, 'curate') && session.me.value?.collections[collection]?.policies !== undefined;
  const { value } = useLoad(`${collection}/${pid}/${label}/${written.value}/${isShown}`, async (signal) =>
    isShown ? await lab(collection, signal).readers(pid, { label }) : null,
  );
  if (!value) return null;
  const names = value.policies.map((name) => name ?? t('policy.unreadable'));
  return (
    <section aria-label={t('policy.readers')}>
      <h2>
        {t('policy.readers')} {!value.everyone && <span class="n">{count(value.number)}</span>}
      </h2>
      <p class="muted">
        {value.everyone
          ? t('policy.everyone')
          : t(value.from === 'default' ? 'policy.needsDefault' : 'policy.needs', { names: names.join(', ') })}
      </p>
      {!value.everyone && (
        <ul class="plain">
          {value.without_token && <li>{t('policy.withoutToken')}</li>}
          {value.readers.slice(0, SHOWN).map(({ auth_source, user_id }) => (
            <li key={`${auth_source} ${user_id}`}>
              <bdi>{user_id}</bdi> {auth_source !== 'config' && <span class="faint">{auth_source}</span>}
            </li>
          ))}
          {value.number > SHOWN && <li class="faint">{t('policy.more', { n: value.number - SHOWN })}</li>}
        </ul>
      )}
    </section>
  );
}

/** The policy of a record that is edited; curators choose among all, others among their own. */
export function PolicyField({
  collection,
  record,
  onChange,
}: {
  collection: string;
  record: JsonObject;
  onChange: (record: JsonObject) => void;
}) {
  const tags = policyTags(collection);
  const own = session.me.value?.collections[collection]?.policies ?? [];
  const isCurator = may(collection, 'curate');
  const { value: overview } = useLoad(`${collection}/${isCurator}/${tags.length}`, async (signal) =>
    isCurator && tags.length > 0 ? await lab(collection, signal).policies() : null,
  );
  if (tags.length === 0) return null;
  const [named, ...others] = policiesIn(record, tags);
  const offered = overview?.policies.map(({ name }) => name) ?? own;
  const names = [...new Set([...offered, ...(named === undefined ? [] : [named])])];
  return (
    <div class="form">
      <div class="field">
        <label for="policy">{t('policy.policy')}</label>
        <select
          class="input"
          id="policy"
          value={named ?? ''}
          disabled={others.length > 0}
          onChange={(event) => onChange(withPolicy(record, tags, event.currentTarget.value))}
        >
          <option value="">{t('policy.none')}</option>
          {names.map((name) => (
            <option key={name} value={name}>
              {own.includes(name) ? name : t('policy.notOwn', { name })}
            </option>
          ))}
        </select>
        <p class="help">
          {t(named !== undefined && !own.includes(named) ? 'policy.helpNotOwn' : 'policy.help')}
        </p>
      </div>
    </div>
  );
}
