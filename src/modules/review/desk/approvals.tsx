/** Approvals of a submission that a second curator has to accept. */
import type { JsonObject } from '../../../../ui/shared/json.ts';
import type { ClassDescription } from '../../../../ui/shared/schema.ts';
import { session } from '../../../../ui/shared/session.ts';
import { StateMark } from '../../../../ui/shared/state.tsx';
import { fullTime } from '../../../../ui/shared/time.ts';
import { UserName } from '../../../../ui/shared/user-name.tsx';
import { Slots } from '../../../../ui/shared/value.tsx';
import { t } from '../../../../ui/texts/texts.ts';
import type { ReviewItem, Submission } from '../api-types.ts';
import { tr } from './texts.ts';

export function ApprovalTag({ approvals }: Pick<Submission, 'approvals'>) {
  const [last] = approvals;
  return last ? <span class="tag">{tr('decision.approve', { who: nameOf(last.reviewer) })}</span> : null;
}

const nameOf = (reviewer: string | null) =>
  reviewer === session.me.value?.user_id ? tr('decision.you') : (reviewer ?? t('history.unknown'));

/** The record that was approved, if the merge without further choices is another one. */
export function approvedRecord({ approved, merged }: ReviewItem): JsonObject | undefined {
  const isMerged = JSON.stringify(approved) === JSON.stringify(merged);
  return approved && !isMerged ? (approved as JsonObject) : undefined;
}

/** Who has approved this version, when, and with which result. */
export function Approvals({
  collection,
  item,
  description,
}: {
  collection: string;
  item: ReviewItem;
  description: ClassDescription;
}) {
  if (item.approvals.length === 0) return null;
  const record = approvedRecord(item);
  return (
    <div class="note">
      <StateMark name="accepted" />
      <div>
        {item.approvals.map(({ id, reviewer, time }) => (
          <p key={id}>
            {tr('approval.by')}{' '}
            {reviewer === null ? t('history.unknown') : <UserName collection={collection} id={reviewer} />},{' '}
            <time dateTime={time}>{fullTime(time)}</time>
          </p>
        ))}
        <p class="muted">{tr(record ? 'approval.edited' : 'approval.help')}</p>
        {record && (
          <details>
            <summary>{tr('approval.record')}</summary>
            <Slots collection={collection} description={description} record={record} skip={['pid']} />
          </details>
        )}
      </div>
    </div>
  );
}
