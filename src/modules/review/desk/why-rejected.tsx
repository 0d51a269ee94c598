/** The request of a curator, or the reason for a rejection or deferral, beside the fields that it is about. */

import type { PanelProps } from '../../../../ui/module.ts';
import { useLoad } from '../../../../ui/shared/load.ts';
import { lab } from '../../../../ui/shared/service.ts';
import { may } from '../../../../ui/shared/session.ts';
import { StateMark } from '../../../../ui/shared/state.tsx';
import { fullTime } from '../../../../ui/shared/time.ts';
import { submissions } from '../client.ts';
import { requestWords } from './comments.tsx';
import { tr } from './texts.ts';

export function WhyRejected({ collection, of: pid }: PanelProps) {
  const { value } = useLoad(may(collection, 'read_zone') ? `${collection}/${pid}` : undefined, (signal) =>
    lab(collection, signal).use(submissions).item(pid),
  );
  const asked = value?.requested ? value.comments.findLast(({ requests }) => requests !== null) : undefined;
  if (asked)
    return (
      <div class="note st-deferred" role="note">
        <StateMark name="deferred" />
        <div>
          <p class="strong">{requestWords(asked.requests!)}</p>
          <p class="pre">
            <bdi>{asked.text}</bdi>
          </p>
        </div>
      </div>
    );
  if (!value?.reason || (value.status !== 'rejected' && value.status !== 'deferred')) return null;
  return (
    <div class={`note st-${value.status}`} role="note">
      <StateMark name={value.status} />
      <div>
        <p class="strong">{tr(`form.${value.status}`, { time: fullTime(value.decided_at) })}</p>
        <p class="pre">
          <bdi>{value.reason}</bdi>
        </p>
      </div>
    </div>
  );
}
