/** Lists the submissions of the user, with their outcomes. */

import { useState } from 'preact/hooks';
import { useContext, type ViewProps } from '../../../../ui/shared/context.ts';
import { DeleteDialog } from '../../../../ui/shared/delete-dialog.tsx';
import { Icon } from '../../../../ui/shared/icons.tsx';
import { useKeys } from '../../../../ui/shared/keys.ts';
import { useLoad } from '../../../../ui/shared/load.ts';
import { Empty, Loading } from '../../../../ui/shared/notes.tsx';
import { usePages } from '../../../../ui/shared/pages.ts';
import { go, place, urlOf, withQuery } from '../../../../ui/shared/router.ts';
import { localPart, readClasses, usualClass } from '../../../../ui/shared/schema.ts';
import { lab } from '../../../../ui/shared/service.ts';
import { collectionsWith, may } from '../../../../ui/shared/session.ts';
import { MainSheet, Sheets } from '../../../../ui/shared/sheet.tsx';
import { ViewLinks } from '../../../../ui/shared/view-links.tsx';
import { t } from '../../../../ui/texts/texts.ts';
import type { OwnSubmission, OwnSubmissionPage } from '../api-types.ts';
import { submissions } from '../client.ts';
import { BatchHead, batchGroups, IN_ZONE, WithdrawBatch } from './batches.tsx';
import { CommentDialog } from './comment-dialog.tsx';
import { OwnSubmissionRow } from './own-submission.tsx';
import { FILTERS, filterOf, SubmissionTools } from './submission-tools.tsx';
import { tr } from './texts.ts';
import { useUnseen } from './unseen.ts';

export function Submissions({ collection }: ViewProps) {
  const { query, key } = place.value;
  const filter = filterOf(query);
  const { batch } = filter;
  const isFiltered = Object.values(filter).some((one) => one !== undefined);
  const [answering, setAnswering] = useState<OwnSubmission>();
  const mayRead = may(collection, 'read_zone');
  const [counts, setCounts] = useState<OwnSubmissionPage['counts']>();
  const pages = usePages<OwnSubmission>(key, async ({ page, size }, signal) => {
    if (!mayRead) return { items: [], total: 0 };
    const own = lab(collection, signal).use(submissions);
    const [found, all] = await Promise.all([
      own.list({ ...filter, page, size }),
      // What curators ask about is one list among the others: it does not change their numbers.
      filter.requested && page === 1 ? own.list({ ...filter, requested: undefined, size: 1 }) : undefined,
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
  useOwnCollections(collection);
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
        tools={<SubmissionTools {...{ filter, counts }} classes={classes.value} />}
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
            <NoSubmissions {...{ collection, isFiltered, newUrl }} />
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
                  <OwnSubmissionRow
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

/** Lists the collections that the user submits to in the rail. */
function useOwnCollections(collection: string): void {
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
}

/** An empty list: what to do, or how to see all again. */
function NoSubmissions(props: { collection: string; isFiltered: boolean; newUrl: string | undefined }) {
  const { collection, isFiltered, newUrl } = props;
  return (
    <Empty title={isFiltered ? tr('queue.noMatch') : tr('submissions.empty', { name: collection })}>
      <p class="btns">
        {isFiltered ? (
          <a class="btn" href={withQuery(Object.fromEntries(FILTERS.map((name) => [name, null])))}>
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
  );
}
