/** The queue of review: filters with counts, the submissions, decisions on one or many. */

import { useEffect, useState } from 'preact/hooks';
import type { Submission } from '../../src/client/client.ts';
import { useContext, type ViewProps } from '../shared/context.ts';
import { Icon } from '../shared/icons.tsx';
import { useKeys } from '../shared/keys.ts';
import { useDebounced, useLoad } from '../shared/load.ts';
import { Bones, Empty, ErrorNote } from '../shared/notes.tsx';
import { usePages } from '../shared/pages.ts';
import { patternOf } from '../shared/records.ts';
import { go, place, urlOf, withQuery } from '../shared/router.ts';
import { written } from '../shared/schema.ts';
import { lab } from '../shared/service.ts';
import { MainSheet, Sheets } from '../shared/sheet.tsx';
import { DataTable, useCurrentRow } from '../shared/table.tsx';
import { countWaiting, summary } from '../shared/waiting.ts';
import { t } from '../texts/texts.ts';
import { BulkDialog } from './bulk-dialog.tsx';
import { queueColumns } from './queue-columns.tsx';
import { filterOf, QueueFilters, StateTabs } from './queue-filters.tsx';
import { useDecisions } from './use-decisions.tsx';

export const keyOf = (row: Pick<Submission, 'label' | 'pid'>) => `${row.label}\n${row.pid}`;

export function Queue({ collection }: ViewProps) {
  const { query, key } = place.value;
  const [text, setText] = useState(query.get('q') ?? '');
  const search = useDebounced(text, 120);
  useEffect(() => {
    if ((query.get('q') ?? '') !== search) go(withQuery({ q: search }), { replace: true });
  }, [search]);
  const filter = filterOf(query);
  const asked = { ...filter, matching: patternOf(search), sort: query.get('sort') ?? undefined };
  const version = `${key}/${search}/${written.value}`;
  const pages = usePages<Submission>(version, ({ page, size }, signal) =>
    lab(collection, signal).review.list({ ...asked, page, size }),
  );
  const summary = useLoad(version, (signal) =>
    lab(collection, signal).review.summary({ ...filter, matching: patternOf(search) }),
  );
  const counts = summary.value;
  const [current, setCurrent] = useCurrentRow();
  const [checked, setChecked] = useState<ReadonlyMap<string, Submission>>(new Map());
  const [anchor, setAnchor] = useState(0);
  const [bulk, setBulk] = useState<'accept' | 'reject' | 'defer' | 'valid'>();
  useContext(
    <QueueFilters collection={collection} counts={counts} filter={filter} />,
    `${key} ${JSON.stringify(counts)}`,
  );
  const decisions = useDecisions(collection, {
    onDecided: (row) => pages.drop((one) => keyOf(one) === keyOf(row)),
    onRefused: pages.reload,
  });
  const row = pages.rowAt(current);
  const itemUrl = (one: Submission) =>
    urlOf([collection, 'review', 'item'], { label: one.label, pid: one.pid, ...Object.fromEntries(query) });
  const check = (index: number, upTo = false) => {
    const next = new Map(checked);
    const [from, to] = upTo ? [Math.min(anchor, index), Math.max(anchor, index)] : [index, index];
    for (let i = from; i <= to; i++) {
      const one = pages.rowAt(i);
      if (!one) continue;
      if (!upTo && next.has(keyOf(one))) next.delete(keyOf(one));
      else next.set(keyOf(one), one);
    }
    setAnchor(index);
    setChecked(next);
  };
  const checkAll = () => {
    const rows = Array.from({ length: pages.total }, (_, i) => pages.rowAt(i)).filter(
      (one) => one !== undefined,
    );
    setChecked(checked.size >= rows.length ? new Map() : new Map(rows.map((one) => [keyOf(one), one])));
  };
  const onRows = (verdict: 'accept' | 'reject' | 'defer') => () => {
    if (checked.size > 0) return setBulk(verdict);
    if (!row) return false;
    if (verdict !== 'accept') return decisions.askReason(row, verdict);
    return row.state === 'diverged' || row.conflicts > 0 ? go(itemUrl(row)) : decisions.accept(row);
  };
  useKeys({
    a: onRows('accept'),
    r: onRows('reject'),
    d: onRows('defer'),
    u: decisions.undoLast,
    x: () => (row ? check(current) : false),
    'shift+x': () => check(current, true),
    'ctrl+a': (event) =>
      (event.target as Element).closest('input[type=search], textarea') ? false : checkAll(),
    f: () => document.querySelector<HTMLElement>('.context a')?.focus(),
    '/': () => document.getElementById('search')?.focus(),
    Enter: (event) => (row && event.target === document.body ? go(itemUrl(row)) : false),
  });
  const fresh = useNewArrivals(collection, pages.total, filter);
  const validNew = counts?.by_state.new ?? 0;
  return (
    <Sheets>
      <MainSheet
        title={t('rail.review')}
        crumbs={[{ text: collection, href: urlOf([collection, 'browse']) }]}
        actions={
          <>
            <a class="btn quiet not-small" href={urlOf([collection, 'decisions'])}>
              <Icon name="history" />
              {t('decisions.title')}
            </a>
            {row && (
              <a class="btn primary" href={itemUrl(pages.rowAt(0)!)}>
                {t('queue.start')} <kbd>Enter</kbd>
              </a>
            )}
          </>
        }
        tools={
          <>
            <StateTabs counts={counts} filter={filter} />
            <span class="push" />
            <label class="find not-small">
              <Icon name="search" />
              <input
                id="search"
                type="search"
                aria-label={t('queue.search')}
                placeholder={t('queue.search')}
                value={text}
                onInput={(event) => setText(event.currentTarget.value)}
              />
              <kbd>/</kbd>
            </label>
            {checked.size > 0 ? (
              <span class="btns">
                <button type="button" class="btn" onClick={() => setBulk('accept')}>
                  {t('queue.acceptN', { n: checked.size })}
                </button>
                <button type="button" class="btn" onClick={() => setBulk('reject')}>
                  {t('queue.rejectN', { n: checked.size })}
                </button>
              </span>
            ) : (
              validNew > 0 &&
              filter.standing === undefined && (
                <button type="button" class="btn" onClick={() => setBulk('valid')}>
                  {t('queue.acceptValid')}
                </button>
              )
            )}
          </>
        }
        foot={
          <div class="foot">
            <span aria-live="polite">
              {checked.size > 0
                ? t('queue.selected', { n: checked.size })
                : pages.loaded && t('queue.count', { n: pages.total })}
            </span>
            {counts && counts.zones_pending > 0 && (
              <span>{t('queue.pending', { n: counts.zones_pending })}</span>
            )}
            <span class="push keys-hint">
              <kbd>J</kbd>
              <kbd>K</kbd> {t('hint.move')} <kbd>X</kbd> {t('hint.select')} <kbd>A</kbd> {t('hint.accept')}{' '}
              <kbd>R</kbd> {t('hint.reject')} <kbd>D</kbd> {t('hint.defer')} <kbd>?</kbd> {t('hint.keys')}
            </span>
          </div>
        }
      >
        {fresh > 0 && (
          <p class="banner">
            {t('queue.fresh', { n: fresh })}{' '}
            <button type="button" class="linkish" onClick={pages.reload}>
              {t('action.show')}
            </button>
          </p>
        )}
        {decisions.notice}
        {pages.error && (
          <div class="page">
            <ErrorNote error={pages.error} retry={pages.reload} />
          </div>
        )}
        {!pages.loaded && !pages.error && <Bones rows={12} />}
        {pages.loaded && pages.total === 0 && (
          <div class="page">
            {query.size > 0 ? (
              <Empty title={t('queue.noMatch')} mark="same">
                <p class="btns">
                  <a class="btn" href={urlOf([collection, 'review'])} onClick={() => setText('')}>
                    {t('action.clearFilter')}
                  </a>
                </p>
              </Empty>
            ) : (
              <Empty title={t('queue.empty')} mark="accepted">
                <p>{t('queue.emptyHelp')}</p>
              </Empty>
            )}
          </div>
        )}
        {pages.loaded && pages.total > 0 && (
          <DataTable
            caption={t('queue.caption')}
            columns={queueColumns({
              itemUrl,
              isChecked: (one) => checked.has(keyOf(one)),
              check,
              checkAll,
              allChecked: checked.size > 0 && checked.size >= Math.min(pages.total, 100),
            })}
            total={pages.total}
            rowAt={pages.rowAt}
            keyOf={keyOf}
            current={current}
            onCurrent={setCurrent}
            onOpen={(one) => go(itemUrl(one))}
            onRange={pages.onRange}
            isChecked={(one) => checked.has(keyOf(one))}
            stale={pages.stale}
          />
        )}
        {decisions.dialog}
        {bulk && (
          <BulkDialog
            collection={collection}
            kind={bulk}
            rows={[...checked.values()]}
            filter={filter}
            onClose={() => {
              setBulk(undefined);
              setChecked(new Map());
            }}
          />
        )}
      </MainSheet>
    </Sheets>
  );
}

/** How many submissions have come since the list was read; nothing moves under the pointer. */
function useNewArrivals(collection: string, shown: number, filter: ReturnType<typeof filterOf>): number {
  useEffect(() => {
    countWaiting(collection);
  }, [shown]);
  const isPlain = Object.values(filter).every((value) => value === undefined);
  const waiting = summary.value?.value.total ?? 0;
  return isPlain && shown > 0 ? Math.max(0, waiting - shown) : 0;
}
