/** Whether a submission waits for a record. */

import { review } from '../../src/modules/review/client.ts';
import { useLoad } from '../shared/load.ts';
import { urlOf } from '../shared/router.ts';
import { written } from '../shared/schema.ts';
import { lab } from '../shared/service.ts';
import { may } from '../shared/session.ts';
import { StateMark } from '../shared/state.tsx';
import { t } from '../texts/texts.ts';

export function WaitingFor({ collection, pid }: { collection: string; pid: string }) {
  const { value } = useLoad(
    may(collection, 'curate') ? `${collection}/${pid}` : undefined,
    (signal) => lab(collection, signal).use(review).list({ pid }),
    written.value,
  );
  const [first] = value?.items ?? [];
  if (!first) return null;
  return (
    <a
      class={`st st-${first.state}`}
      href={urlOf([collection, 'review', 'item'], { label: first.label, pid: first.pid })}
    >
      <StateMark name={first.state} />
      {t('record.waits', { n: value?.total ?? 1 })}
    </a>
  );
}
