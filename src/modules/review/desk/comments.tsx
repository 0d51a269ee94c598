/** The conversation on a submission: what curators and its submitters have written, oldest first. */

import { Fragment } from 'preact';
import { session } from '../../../../ui/shared/session.ts';
import { StateMark } from '../../../../ui/shared/state.tsx';
import { fullTime } from '../../../../ui/shared/time.ts';
import { UserName } from '../../../../ui/shared/user-name.tsx';
import { t } from '../../../../ui/texts/texts.ts';
import type { Comment } from '../api-types.ts';
import { tr } from './texts.ts';

export type CommentRequest = NonNullable<Comment['requests']>;

/** `Changes requested`, as a tag. */
export function RequestTag({ requested }: { requested: Comment['requests'] }) {
  if (requested === null) return null;
  return <span class="tag ask">{requestWords(requested)}</span>;
}

export function requestWords(requested: CommentRequest): string {
  return tr(requested === 'answer' ? 'comment.asked' : 'comment.changes');
}

export function Comments({
  collection,
  comments,
  correctedAt,
}: {
  collection: string;
  comments: readonly Comment[];
  /** When it was last submitted with other values. */
  correctedAt: string;
}) {
  const before = comments.filter(({ time }) => time < correctedAt).length;
  return (
    <ol class="events comments" aria-label={tr('comment.talk')}>
      {comments.map((one, index) => (
        // Comments are never taken out of their order.
        <Fragment key={index}>
          {index === before && before > 0 && <Corrected time={correctedAt} />}
          <li>
            <p class="tiny faint by">
              <span>
                <Author collection={collection} comment={one} />,{' '}
                <time dateTime={one.time}>{fullTime(one.time)}</time>
              </span>
              {one.requests && (
                <span class="st st-deferred">
                  <StateMark name="deferred" size={12} />
                  {requestWords(one.requests)}
                </span>
              )}
            </p>
            <p class="pre">
              <bdi>{one.text}</bdi>
            </p>
          </li>
        </Fragment>
      ))}
      {before === comments.length && <Corrected time={correctedAt} />}
    </ol>
  );
}

function Corrected({ time }: { time: string }) {
  return (
    <li class="st st-changed">
      <StateMark name="changed" size={12} />
      {tr('comment.corrected')}
      <time class="tiny faint" dateTime={time}>
        {fullTime(time)}
      </time>
    </li>
  );
}

function Author({ collection, comment }: { collection: string; comment: Comment }) {
  const { author, role } = comment;
  if (author === null) return role === 'curator' ? tr('comment.curator') : t('history.unknown');
  if (author === session.me.value?.user_id) return tr('comment.you');
  return <UserName collection={collection} id={author} />;
}
