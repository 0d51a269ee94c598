/** A submission of the user with its outcome, and what can be done with it. */

import { Icon } from '../../../../ui/shared/icons.tsx';
import { useLoad } from '../../../../ui/shared/load.ts';
import { NewMark } from '../../../../ui/shared/marks.tsx';
import { urlOf, withQuery } from '../../../../ui/shared/router.ts';
import { localPart, readClass } from '../../../../ui/shared/schema.ts';
import { lab } from '../../../../ui/shared/service.ts';
import { State } from '../../../../ui/shared/state.tsx';
import { Tile } from '../../../../ui/shared/tile.tsx';
import { fullTime, shortTime } from '../../../../ui/shared/time.ts';
import { t } from '../../../../ui/texts/texts.ts';
import type { OwnSubmission } from '../api-types.ts';
import { submissions } from '../client.ts';
import { ChangedSlots } from './changed-slots.tsx';
import { Comments, RequestTag } from './comments.tsx';
import { tr } from './texts.ts';

export function OwnSubmissionRow({
  collection,
  row,
  index,
  message,
  editUrl,
  isNew,
  onAnswer,
  onWithdraw,
}: {
  collection: string;
  row: OwnSubmission;
  index: number;
  /** That of the row, unless its batch says it. */
  message: string | null;
  editUrl: string | undefined;
  isNew: boolean;
  onAnswer: () => void;
  onWithdraw: () => void;
}) {
  const isAsked = row.requested !== null && row.status !== 'rejected';
  const isLead = row.status === 'rejected';
  /** Buttons beside a main one are as high. */
  const usual = isLead || isAsked ? 'btn' : 'btn small';
  const changesCurated = row.state === 'changed';
  const { value } = useLoad(
    row.status === 'accepted' || changesCurated || row.commented_at
      ? `${collection}/${row.pid}/${row.digest}/${row.commented_at}`
      : undefined,
    async (signal) => ({
      item: await lab(collection, signal).use(submissions).item(row.pid),
      description: await readClass(collection, row.class),
    }),
  );
  const changed = value?.item.changed_by_curator ?? [];
  const description = value?.description;
  const words =
    row.status === 'waiting' && row.state
      ? tr(`submissions.${row.state}`)
      : row.status === 'withdrawn'
        ? tr('submissions.withdrawn')
        : row.status === 'removed'
          ? tr('submissions.removed')
          : '';
  return (
    <li class={isLead ? 'sub-item lead' : isAsked ? 'sub-item lead asked' : 'sub-item'} data-own={index}>
      <State name={row.status} />
      <p class="name">
        <Tile name={row.class} />
        <a
          href={
            row.status === 'withdrawn' || row.status === 'removed'
              ? withQuery({})
              : urlOf([collection, 'record'], { pid: row.pid })
          }
        >
          <bdi>{row.title || localPart(row.pid)}</bdi>
        </a>
        {words && !changesCurated && <span class="muted small">{words}</span>}
        {isNew && <NewMark />}
        <RequestTag requested={row.requested} />
      </p>
      <span class="when">
        {editUrl && (
          <span class="btns">
            {row.commented_at && (
              <button
                type="button"
                class={row.requested === 'answer' ? 'btn primary' : usual}
                onClick={onAnswer}
              >
                {tr('comment.answer')} <kbd>Q</kbd>
              </button>
            )}
            <a class={isLead || row.requested === 'changes' ? 'btn primary' : usual} href={editUrl}>
              <Icon name="pencil" size={14} />
              {isLead ? tr('submissions.correct') : t('hint.Edit')}
            </a>
            <button type="button" class={usual} onClick={onWithdraw}>
              {t('delete.withdraw')}
            </button>
          </span>
        )}
        <time dateTime={row.decided_at ?? row.submitted_at}>
          {shortTime(row.decided_at ?? row.submitted_at)}
        </time>
      </span>
      <div class="more">
        {row.reason && (
          <p class="reason pre">
            <bdi>{row.reason}</bdi>
          </p>
        )}
        {isLead && <p class="tiny faint">{tr('submissions.decided', { time: fullTime(row.decided_at) })}</p>}
        {row.status === 'deferred' && row.until && (
          <p class="muted">{tr('submissions.until', { time: fullTime(row.until) })}</p>
        )}
        {row.status === 'accepted' && value && (
          <p class="muted">
            {changed.length === 0 ? (
              tr('submissions.asSubmitted')
            ) : (
              <>
                {tr('submissions.changedByCurator', { n: changed.length })}{' '}
                <ChangedSlots
                  {...{ collection, description }}
                  differences={changed}
                  from="submitted"
                  to="curated"
                />
              </>
            )}
          </p>
        )}
        {words && changesCurated && (
          <p class="muted">
            {words}{' '}
            {value?.item.differences && (
              <ChangedSlots
                collection={collection}
                differences={value.item.differences}
                description={description}
                from="curated"
                to="submitted"
              />
            )}
          </p>
        )}
        {value && value.item.comments.length > 0 && (
          <Comments collection={collection} comments={value.item.comments} correctedAt={row.submitted_at} />
        )}
        {message && <p class="muted">{tr('submissions.message', { text: message })}</p>}
      </div>
    </li>
  );
}
