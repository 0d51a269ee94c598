/** Facts about a submission, beside its difference. */

import { LinksBack } from '../../../../ui/shared/links-back.tsx';
import { urlOf } from '../../../../ui/shared/router.ts';
import { localPart, type Title } from '../../../../ui/shared/schema.ts';
import { SideSheet } from '../../../../ui/shared/sheet.tsx';
import { State } from '../../../../ui/shared/state.tsx';
import { Tile } from '../../../../ui/shared/tile.tsx';
import { fullTime } from '../../../../ui/shared/time.ts';
import { UserName } from '../../../../ui/shared/user-name.tsx';
import { t } from '../../../../ui/texts/texts.ts';
import type { ReviewItem } from '../api-types.ts';
import { Assignee, DueTag } from './assign.tsx';
import { Comments } from './comments.tsx';
import { DecisionMark, DecisionWords } from './decision-line.tsx';
import { tr } from './texts.ts';

export function SubmissionSheet({
  collection,
  item,
  titles,
  others,
  together,
  onTogether,
  onAssign,
}: {
  collection: string;
  item: ReviewItem;
  titles: ReadonlyMap<string, Title | null>;
  /** How many of the records that it refers to can be accepted with it. */
  others: number;
  together: boolean;
  onTogether: (on: boolean) => void;
  onAssign: () => void;
}) {
  const inZone = item.references.filter((one) => one.in === 'zone');
  const missing = item.references.filter((one) => one.in === 'nowhere');
  return (
    <SideSheet label={tr('review.about')}>
      <section>
        <h2>{tr('review.submission')}</h2>
        <dl class="slots tight">
          <div>
            <dt>{tr('review.by')}</dt>
            <dd>
              {item.submitter ? (
                <UserName collection={collection} id={item.submitter} />
              ) : (
                t('history.unknown')
              )}
            </dd>
          </div>
          {item.edited_by && (
            <div>
              <dt>{tr('review.editedBy')}</dt>
              <dd>
                <bdi>{item.edited_by}</bdi>
              </dd>
            </div>
          )}
          <div>
            <dt>{t('record.zone')}</dt>
            <dd>
              <bdi>{item.label}</bdi>
            </dd>
          </div>
          <div>
            <dt>{tr('queue.submitted')}</dt>
            <dd>{fullTime(item.submitted_at)}</dd>
          </div>
          {item.batch && (
            <div>
              <dt>{tr('queue.batch')}</dt>
              <dd>
                <a href={urlOf([collection, 'review'], { batch: item.batch })}>
                  <bdi>{item.batch}</bdi>
                </a>
              </dd>
            </div>
          )}
          <div>
            <dt>{tr('assign.who')}</dt>
            <dd>
              <Assignee collection={collection} id={item.assignee} /> <DueTag due={item.due} />{' '}
              <button type="button" class="btn small" onClick={onAssign}>
                {tr('assign.assign')} <kbd class="not-small">W</kbd>
              </button>
            </dd>
          </div>
          <div>
            <dt>{tr('review.schema')}</dt>
            <dd>{item.valid ? tr('review.valid') : tr('review.notValid')}</dd>
          </div>
        </dl>
      </section>
      {item.comments.length > 0 && (
        <section>
          <h2>
            {tr('comment.talk')} <span class="n">{item.comments.length}</span>
          </h2>
          <Comments collection={collection} comments={item.comments} correctedAt={item.submitted_at} />
        </section>
      )}
      {(inZone.length > 0 || missing.length > 0) && (
        <section>
          <h2>
            {tr('review.refersTo')} <span class="n">{tr('review.nSubmitted', { n: inZone.length })}</span>
          </h2>
          <ul class="stack-s">
            {inZone.map((one) => (
              <li key={one.pid}>
                <ReferenceLink
                  collection={collection}
                  label={item.label}
                  pid={one.pid}
                  title={titles.get(one.pid)}
                />{' '}
                {one.state && <State name={one.standing === 'rejected' ? 'rejected' : one.state} />}
              </li>
            ))}
            {missing.map((one) => (
              <li key={one.pid}>
                <bdi class="mono">{one.pid}</bdi> <span class="faint">{t('value.notFound')}</span>
              </li>
            ))}
          </ul>
          {others > 0 && (
            <p class="check-line">
              <label>
                <input
                  type="checkbox"
                  checked={together}
                  onChange={(event) => onTogether(event.currentTarget.checked)}
                />{' '}
                {tr('review.together', { n: others })}
              </label>
            </p>
          )}
        </section>
      )}
      {item.competing.length > 0 && (
        <section>
          <h2>
            {tr('review.competing')} <span class="n">{item.competing.length}</span>
          </h2>
          <ul class="stack-s">
            {item.competing.map((row) => (
              <li key={row.label}>
                <a href={urlOf([collection, 'review', 'item'], { label: row.label, pid: row.pid })}>
                  <bdi>{row.label}</bdi>
                </a>{' '}
                <State name={row.standing === 'waiting' ? row.state : row.standing} />
              </li>
            ))}
          </ul>
        </section>
      )}
      {item.decisions.length > 0 && (
        <section>
          <h2>
            {tr('review.earlier')} <span class="n">{item.decisions.length}</span>
          </h2>
          <ol class="events">
            {item.decisions.slice(0, 10).map((row) => (
              <li key={row.id}>
                <p class="st wrap">
                  <DecisionMark row={row} />
                  <span>
                    <DecisionWords collection={collection} row={row} />
                    {row.digest !== item.digest && ` (${tr('review.otherContent')})`}
                  </span>
                </p>
                <p class="tiny faint">{fullTime(row.time)}</p>
              </li>
            ))}
          </ol>
        </section>
      )}
      {item.curated && <LinksBack collection={collection} pid={item.pid} />}
    </SideSheet>
  );
}

type LinkProps = { collection: string; label: string; pid: string; title: Title | null | undefined };

function ReferenceLink({ collection, label, pid, title }: LinkProps) {
  return (
    <a class="ref" href={urlOf([collection, 'review', 'item'], { label, pid })} title={pid}>
      <Tile name={title?.class ?? '··'} />
      <bdi class="t">{title?.title || localPart(pid)}</bdi>
    </a>
  );
}
