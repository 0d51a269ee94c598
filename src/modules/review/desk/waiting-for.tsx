/** Whether a submission waits for a record. */

import type { PanelProps } from '../../../../ui/module.ts';
import { useLoad } from '../../../../ui/shared/load.ts';
import { urlOf } from '../../../../ui/shared/router.ts';
import { written } from '../../../../ui/shared/schema.ts';
import { lab } from '../../../../ui/shared/service.ts';
import { may } from '../../../../ui/shared/session.ts';
import { StateMark } from '../../../../ui/shared/state.tsx';
import { review } from '../client.ts';
import { tr } from './texts.ts';

export function WaitingFor({ collection, of: pid }: PanelProps) {
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
      {tr('record.waits', { n: value?.total ?? 1 })}
    </a>
  );
}
