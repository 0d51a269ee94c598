/** Whether a submission waits for a record. */
import { ask } from '../base/api.ts';
import { useLoad } from '../base/load.ts';
import type { QueueRow } from '../base/review.ts';
import { urlOf } from '../base/router.ts';
import { written } from '../base/schema.ts';
import { may } from '../base/session.ts';
import { t } from '../texts/texts.ts';
import { StateMark } from './state.tsx';

export function WaitingFor({ collection, pid }: { collection: string; pid: string }) {
  const { value } = useLoad(
    may(collection, 'curate') ? `${collection}/${pid}/${written.value}` : undefined,
    (signal) =>
      ask<{ items: QueueRow[]; total: number }>(['-', collection, 'review', ''], { query: { pid }, signal }),
  );
  const [first] = value?.value.items ?? [];
  if (!first) return null;
  return (
    <a
      class={`st st-${first.state}`}
      href={urlOf([collection, 'review', 'item'], { label: first.label, pid: first.pid })}
    >
      <StateMark name={first.state} />
      {t('record.waits', { n: value?.value.total ?? 1 })}
    </a>
  );
}
