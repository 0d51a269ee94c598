/** Lists the submissions of the user, with their outcomes. */

import { useState } from 'preact/hooks';
import { useContext, type ViewProps } from '../../../../ui/shared/context.ts';
import { DeleteDialog } from '../../../../ui/shared/delete-dialog.tsx';
import { Icon } from '../../../../ui/shared/icons.tsx';
import { useKeys } from '../../../../ui/shared/keys.ts';
import { useLoad } from '../../../../ui/shared/load.ts';
import { NewMark } from '../../../../ui/shared/marks.tsx';
import { Empty, Loading } from '../../../../ui/shared/notes.tsx';
import { usePages } from '../../../../ui/shared/pages.ts';
import { go, place, urlOf, withQuery } from '../../../../ui/shared/router.ts';
import { localPart, readClass, readClasses, usualClass } from '../../../../ui/shared/schema.ts';
import { SearchField } from '../../../../ui/shared/search-field.tsx';
import { lab } from '../../../../ui/shared/service.ts';
import { collectionsWith, may } from '../../../../ui/shared/session.ts';
import { MainSheet, Sheets } from '../../../../ui/shared/sheet.tsx';
import { State, StateMark, stateWord } from '../../../../ui/shared/state.tsx';
import { Tile } from '../../../../ui/shared/tile.tsx';
import { count, fullTime, shortTime } from '../../../../ui/shared/time.ts';
import { ViewLinks } from '../../../../ui/shared/view-links.tsx';
import { t } from '../../../../ui/texts/texts.ts';
import type { OwnSubmission, OwnSubmissionPage } from '../api-types.ts';
import { submissions } from '../client.ts';
import { BatchHead, batchGroups, IN_ZONE, WithdrawBatch } from './batches.tsx';
import { ChangedSlots } from './changed-slots.tsx';
import { CommentDialog } from './comment-dialog.tsx';
import { Comments, RequestTag } from './comments.tsx';
import { tr } from './texts.ts';
import { useUnseen } from './unseen.ts';
import { ANY_REQUEST } from './verdicts.ts';
import { ownCounts } from './waiting.ts';

const STATUSES = ['rejected', 'waiting', 'deferred', 'accepted', 'withdrawn'] as const;

export function Submissions({ collection }: ViewProps) {
  const { query, key } = place.value;
  const status = query.get('status') ?? undefined;
  const batch = query.get('batch') ?? undefined;
  const q = query.get('q') ?? undefined;
  const requested = query.get('requested') ?? undefined;
  const ofClass = query.get('class') ?? undefined;
  const isFiltered = [status, batch, q, requested, ofClass].some((one) => one !== undefined);
  const noFilter = withQuery({ status: null, batch: null, q: null, requested: null, class: null });
  const [answering, setAnswering] = useState<OwnSubmission>();
  const mayRead = may(collection, 'read_zone');
  const [counts, setCounts] = useState<OwnSubmissionPage['counts']>();
  const pages = usePages<OwnSubmission>(key, async ({ page, size }, signal) => {
    if (!mayRead) return { items: [], total: 0 };
    const filter = { status, batch, q, requested, class: ofClass };
    const own = lab(collection, signal).use(submissions);
    const [found, all] = await Promise.all([
      own.list({ ...filter, page, size }),
      // What curators ask about is one list among the others: it does not change their numbers.
      requested && page === 1 ? own.list({ ...filter, requested: undefined, size: 1 }) : undefined,
    ]);
    if (page === 1) setCounts((all ?? found).counts);
    return found;
  });
  const isUnseen = useUnseen(
    collection,
    'submissions',
    pages.loaded
      ? pages.loadedRows().flatMap((one) => [one.submitted_at, one.decided_at, one.commented_at])
      : undefined,
  );
  const classes = useLoad(`${collection}`, (signal) => readClasses(collection, signal));
  const [current, setCurrent] = useState(0);
  const [withdrawing, setWithdrawing] = useState<OwnSubmission>();
  const [shown, setShown] = useState(50);
  const [withdrawingBatch, setWithdrawingBatch] = useState<string>();
  const names = collectionsWith('write_zone');
  useContext(
    <section aria-labelledby="rail-own">
      <h2 id="rail-own">{t('home.collections')}</h2>
      <ul>
        {names.map((name) => (
          <li key={name}>
            <a
              class="item"
              href={urlOf([name, 'submissions'])}
              aria-current={name === collection ? 'page' : undefined}
            >
              {name}
            </a>
          </li>
        ))}
      </ul>
    </section>,
    `${collection}/${names.join()}`,
  );
  const rows = Array.from({ length: Math.min(pages.total, shown) }, (_, i) => pages.rowAt(i)).filter(
    (row) => row !== undefined,
  );
  const inZone = (row: OwnSubmission) => IN_ZONE.some((one) => one === row.status);
  const select = (index: number) => {
    const next = Math.max(0, Math.min(rows.length - 1, index));
    setCurrent(next);
    document.querySelector<HTMLElement>(`[data-own="${next}"] a`)?.focus();
    return rows.length > 0;
  };
  const row = rows[current];
  const editUrl = (one: OwnSubmission) => urlOf([collection, 'edit'], { pid: one.pid });
  const className = classes.value && usualClass(classes.value);
  const newUrl = className && urlOf([collection, 'new', className]);
  useKeys({
    j: () => select(current + 1),
    k: () => select(current - 1),
    e: () => (row && inZone(row) ? go(editUrl(row)) : false),
    q: () => (row && inZone(row) ? setAnswering(row) : false),
    w: () => (row && inZone(row) ? setWithdrawing(row) : false),
    c: () => (newUrl ? go(newUrl) : false),
  });
  return (
    <Sheets>
      <MainSheet
        title={tr('rail.submissions')}
        crumbs={[{ text: collection, href: urlOf([collection, 'browse']) }]}
        actions={
          <>
            <ViewLinks place="submissions" collection={collection} class="btn not-small" />
            {newUrl && (
              <a class="btn primary" href={newUrl}>
                <Icon name="plus" />
                {tr('submissions.new')}
              </a>
            )}
          </>
        }
        tools={
          <>
            <nav class="seg" aria-label={tr('submissions.status')}>
              <a
                href={withQuery({ status: null, requested: null })}
                aria-current={status === undefined && !requested ? 'page' : undefined}
              >
                {tr('home.all')} <Count of={counts && Object.values(counts).reduce((sum, n) => sum + n, 0)} />
              </a>
              {STATUSES.map((name) => (
                <a
                  key={name}
                  href={withQuery({ status: name, requested: null })}
                  aria-current={status === name ? 'page' : undefined}
                >
                  <StateMark name={name} />
                  {name === 'rejected' ? tr('submissions.toCorrect') : stateWord(name)}{' '}
                  <Count of={counts?.[name]} />
                </a>
              ))}
              <a
                href={withQuery({ status: null, requested: ANY_REQUEST })}
                aria-current={requested ? 'page' : undefined}
              >
                {tr('comment.toAnswer')} <Count of={ownCounts.value?.value.requested || undefined} />
              </a>
            </nav>
            <span class="push" />
            {classes.value && classes.value.length > 1 && (
              <label class="inline-select">
                <span class="vh">{t('form.class')}</span>
                <select
                  value={ofClass ?? ''}
                  onChange={(event) => go(withQuery({ class: event.currentTarget.value || null }))}
                >
                  <option value="">{tr('submissions.allClasses')}</option>
                  {classes.value.map((one) => (
                    <option key={one.class} value={one.class}>
                      {one.title ?? one.class}
                    </option>
                  ))}
                </select>
              </label>
            )}
            <SearchField label={tr('submissions.search')} />
          </>
        }
        foot={
          <div class="foot">
            <span aria-live="polite">{pages.loaded && tr('queue.count', { n: pages.total })}</span>
            <span class="push keys-hint">
              <kbd>J</kbd>
              <kbd>K</kbd> {t('hint.move')} <kbd>E</kbd> {tr('submissions.correctHint')} <kbd>W</kbd>{' '}
              {tr('submissions.withdrawHint')}
            </span>
          </div>
        }
      >
        {batch !== undefined && (
          <ul class="chips">
            <li class="token">
              <bdi>{batch}</bdi>
              <a
                class="icon"
                href={withQuery({ batch: null })}
                aria-label={tr('submissions.allBatches', { name: batch })}
              >
                <Icon name="close" size={12} />
              </a>
            </li>
          </ul>
        )}
        <div class="page">
          {!mayRead && <p class="note">{tr('submissions.blind')}</p>}
          {(pages.error || !pages.loaded) && <Loading error={pages.error} retry={pages.reload} />}
          {pages.loaded && mayRead && pages.total === 0 && (
            <Empty title={isFiltered ? tr('queue.noMatch') : tr('submissions.empty', { name: collection })}>
              <p class="btns">
                {isFiltered ? (
                  <a class="btn" href={noFilter}>
                    {t('action.clearFilter')}
                  </a>
                ) : (
                  <>
                    {newUrl && (
                      <a class="btn primary" href={newUrl}>
                        {tr('submissions.new')}
                      </a>
                    )}
                    <ViewLinks place="submissions" collection={collection} class="btn" />
                  </>
                )}
              </p>
            </Empty>
          )}
          {batchGroups(rows).map((group) => (
            <section key={`${group.batch} ${group.rows[0]?.row.pid}`}>
              <BatchHead
                group={group}
                onWithdraw={
                  group.rows.some(({ row: one }) => inZone(one))
                    ? () => setWithdrawingBatch(group.batch ?? undefined)
                    : undefined
                }
              />
              <ul>
                {group.rows.map(({ row: one, index }) => (
                  <Submission
                    key={`${one.pid} ${one.submitted_at}`}
                    collection={collection}
                    row={one}
                    index={index}
                    message={one.message === group.message && group.batch !== null ? null : one.message}
                    editUrl={inZone(one) ? editUrl(one) : undefined}
                    isNew={
                      isUnseen(one.decided_at) ||
                      (one.commented_by === 'curator' && isUnseen(one.commented_at))
                    }
                    onAnswer={() => setAnswering(one)}
                    onWithdraw={() => setWithdrawing(one)}
                  />
                ))}
              </ul>
            </section>
          ))}
          {rows.length < pages.total && (
            <button
              type="button"
              class="btn"
              onClick={() => {
                pages.onRange(shown, shown + 50);
                setShown(shown + 50);
              }}
            >
              {t('action.more')}
            </button>
          )}
        </div>
        {answering && (
          <CommentDialog
            title={tr('comment.answerTitle', { title: answering.title || localPart(answering.pid) })}
            help={tr('comment.youAnswer', { name: collection })}
            about={`${collection}/${answering.pid}`}
            send={(text) => lab(collection).use(submissions).comment(answering.pid, text)}
            onClose={() => setAnswering(undefined)}
          />
        )}
        {withdrawingBatch !== undefined && (
          <WithdrawBatch
            collection={collection}
            batch={withdrawingBatch}
            onClose={() => setWithdrawingBatch(undefined)}
          />
        )}
        {withdrawing && (
          <DeleteDialog
            collection={collection}
            pid={withdrawing.pid}
            title={withdrawing.title || localPart(withdrawing.pid)}
            className={withdrawing.class}
            inZone
            onClose={() => setWithdrawing(undefined)}
            onDone={pages.reload}
          />
        )}
      </MainSheet>
    </Sheets>
  );
}

function Count({ of: n = 0 }: { of: number | undefined }) {
  return n > 0 ? <span class="n">{count(n)}</span> : null;
}

function Submission({
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
                class={row.requested === 'answer' ? 'btn primary' : 'btn small'}
                onClick={onAnswer}
              >
                {tr('comment.answer')} <kbd>Q</kbd>
              </button>
            )}
            <a class={isLead || row.requested === 'changes' ? 'btn primary' : 'btn small'} href={editUrl}>
              <Icon name="pencil" size={14} />
              {isLead ? tr('submissions.correct') : t('hint.Edit')}
            </a>
            <button type="button" class={isLead ? 'btn' : 'btn small'} onClick={onWithdraw}>
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
