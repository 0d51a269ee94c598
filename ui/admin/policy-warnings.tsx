/** Warns of the effect of other policies on callers: who gains, who loses, how many records. */
import { useEffect, useRef } from 'preact/hooks';
import type { PolicyDryRun } from '../../src/client/client.ts';
import { Icon } from '../shared/icons.tsx';
import { count } from '../shared/time.ts';
import { t } from '../texts/texts.ts';

/** Callers that are named. */
const SHOWN = 8;

type Change = PolicyDryRun['others'];

/** Whether any caller gains or loses records. */
export function hasPolicyEffect({ changed, others, without_token }: PolicyDryRun): boolean {
  return changed > 0 || [others, without_token].some((one) => one && one.gained + one.lost > 0);
}

export function PolicyWarnings({ dryRun }: { dryRun: PolicyDryRun }) {
  const { records, restricted, callers, changed, others, without_token } = dryRun;
  // The fields may be longer than the screen.
  const note = useRef<HTMLDivElement>(null);
  useEffect(() => note.current?.scrollIntoView({ block: 'nearest' }), [dryRun]);
  const losing = [others, without_token, ...callers].some((one) => one !== null && one.lost > 0);
  return (
    <div ref={note} class={losing ? 'note st-rejected' : 'note st-diverged'} role="alert">
      <Icon name="lock" />
      <div>
        <p class="strong">
          {t('policy.restricted', {
            before: count(restricted.before),
            after: count(restricted.after),
            total: count(records),
          })}
        </p>
        <ul>
          <Line name={t('policy.others')} change={others} />
          {without_token && <Line name={t('policy.withoutToken')} change={without_token} />}
          {callers.slice(0, SHOWN).map((one) => (
            <Line key={`${one.auth_source} ${one.user_id}`} name={one.user_id} change={one} />
          ))}
        </ul>
        {changed > SHOWN && <p class="faint">{t('policy.more', { n: changed - SHOWN })}</p>}
      </div>
    </div>
  );
}

function Line({ name, change: { after, gained, lost } }: { name: string; change: Change }) {
  const parts = [
    gained > 0 && t('policy.gains', { n: gained }),
    lost > 0 && t('policy.loses', { n: lost }),
    t('policy.sees', { n: after }),
  ].filter((part) => part !== false);
  return (
    <li>
      <bdi>{name}</bdi>: {parts.join(', ')}
    </li>
  );
}
