/** The queue of review: filters with counts, the submissions, decisions on one or many. */

import { useEffect, useState } from 'preact/hooks';
import { useContext, type ViewProps } from '../../../../ui/shared/context.ts';
import { Icon } from '../../../../ui/shared/icons.tsx';
import { useKeys } from '../../../../ui/shared/keys.ts';
import { useLoad } from '../../../../ui/shared/load.ts';
import { Bones, Empty, ErrorNote } from '../../../../ui/shared/notes.tsx';
import { usePages } from '../../../../ui/shared/pages.ts';
import { go, place, urlOf, withQuery } from '../../../../ui/shared/router.ts';
import { written } from '../../../../ui/shared/schema.ts';
import { SearchField } from '../../../../ui/shared/search-field.tsx';
import { useSelection } from '../../../../ui/shared/selection.ts';
import { SelectionBar } from '../../../../ui/shared/selection-bar.tsx';
import { lab } from '../../../../ui/shared/service.ts';
import { MainSheet, Sheets } from '../../../../ui/shared/sheet.tsx';
import { useSteadyRow } from '../../../../ui/shared/steady-row.ts';
import { DataTable } from '../../../../ui/shared/table.tsx';
import { announcement } from '../../../../ui/shared/toast.tsx';
import { keyNames, t } from '../../../../ui/texts/texts.ts';
import type { Submission } from '../api-types.ts';
import { review } from '../client.ts';
import { AssignDialog } from './assign.tsx';
import { BulkDialog, type BulkKind } from './bulk-dialog.tsx';
import { queueColumns, titleOf } from './queue-columns.tsx';
import { filterOf, QueueFilters, queueQuery, StateTabs } from './queue-filters.tsx';
import { QueueFoot, QueueTools } from './queue-tools.tsx';
import { tr } from './texts.ts';
import { useUnseen } from './unseen.ts';
import { useDecisions } from './use-decisions.tsx';
import { summary, useChanges } from './waiting.ts';

const keyOf = (row: Pick<Submission, 'label' | 'pid'>) => `${row.label}\n${row.pid}`;

export function Queue({ collection }: ViewProps) {
  const { query } = place.value;
  // Links of earlier releases name the zone by its label, which the URL of a submission has.
  const label = query.get('label');
  useEffect(() => {
    if (label !== null) go(withQuery({ zone: label, label: null }), { replace: true });
  }, [label]);
  const filter = filterOf(query);
  const sort = query.get('sort') ?? undefined;
  const list = JSON.stringify([collection, filter, sort]);
  const changes = useChanges(summary.value);
  const pages = usePages<Submission>(
    list,
    ({ page, size }, signal) =>
      lab(collection, signal)
        .use(review)
        .list({ ...filter, sort, page, size }),
    changes,
  );
  const version = `${written.value}/${changes}`;
  const isFiltered = Object.values(filter).some((one) => one !== undefined);
  const { value: filtered } = useLoad(
    isFiltered ? list : undefined,
    (signal) => lab(collection, signal).use(review).summary(filter),
    version,
  );
  // Without a filter, the rail has read the counts already.
  const whole = summary.value?.collection === collection ? summary.value.value : undefined;
  const counts = isFiltered ? filtered : whole;
  const mayAcceptAll = filter.standing === undefined && (filter.state ?? 'new') === 'new';
  const selected = { ...filter, state: 'new', valid: true };
  const { value: fresh } = useLoad(
    mayAcceptAll ? list : undefined,
    (signal) => lab(collection, signal).use(review).summary(selected),
    version,
  );
  const valid = mayAcceptAll ? (fresh?.total ?? 0) : 0;
  const { index: current, row, isLost, moveTo, leave } = useSteadyRow(list, pages, keyOf);
  const selection = useSelection(list, pages, keyOf);
  const isUnseen = useUnseen(
    collection,
    'review',
    whole && [whole.as_of, ...pages.loadedRows().map((one) => one.commented_at)],
  );
  const [bulk, setBulk] = useState<BulkKind>();
  const [assigning, setAssigning] = useState<Submission>();
  useContext(
    <QueueFilters collection={collection} counts={counts} filter={filter} />,
    `${list} ${JSON.stringify(counts)}`,
  );
  const decisions = useDecisions(collection, {
    onDecided: (decided, { decision }) => {
      leave(decided);
      // What is approved waits for another curator.
      if (decision === 'approve') return pages.reload();
      return pages.drop((one) => keyOf(one) === keyOf(decided));
    },
    onRefused: pages.reload,
  });
  const itemUrl = (one: Submission) =>
    urlOf([collection, 'review', 'item'], { ...queueQuery(query), label: one.label, pid: one.pid });
  const onRows = (verdict: 'accept' | 'reject' | 'defer') => () => {
    if (selection.size > 0) return setBulk(verdict);
    if (isLost) {
      // A colleague has decided on the row that was looked at: the first key looks at the next one.
      moveTo(current);
      const next = pages.rowAt(current);
      announcement.value = next ? titleOf(next) : '';
      return true;
    }
    if (!row) return false;
    if (verdict !== 'accept') return decisions.askReason(row, verdict);
    return row.state === 'diverged' || row.conflicts > 0 ? go(itemUrl(row)) : decisions.accept(row);
  };
  useKeys({
    a: onRows('accept'),
    r: onRows('reject'),
    d: onRows('defer'),
    q: () => (selection.size > 0 ? setBulk('ask') : false),
    w: () => {
      if (selection.size > 0) return setBulk('assign');
      return row && !isLost ? setAssigning(row) : false;
    },
    'shift+a': () => (valid > 0 ? setBulk('valid') : false),
    u: decisions.undoLast,
    x: () => (row ? selection.toggle(current) : false),
    'shift+x': () => selection.extendTo(current),
    'ctrl+a': (event) =>
      (event.target as Element).closest('input[type=search], textarea') ? false : selection.selectMore(),
    f: () => document.querySelector<HTMLElement>('.context a')?.focus(),
    Escape: () => (selection.size > 0 ? selection.clear() : false),
  });
  const first = pages.rowAt(0);
  return (
    <Sheets>
      <MainSheet
        title={tr('rail.review')}
        crumbs={[{ text: collection, href: urlOf([collection, 'browse']) }]}
        actions={
          <>
            <a class="btn quiet" href={urlOf([collection, 'decisions'])}>
              <Icon name="history" />
              <span class="not-small">{tr('decisions.title')}</span>
              <span class="vh only-small">{tr('decisions.title')}</span>
            </a>
            {first && (
              <a class="btn primary" href={itemUrl(row ?? first)}>
                {tr('queue.start')} <kbd>{keyNames('Enter')}</kbd>
              </a>
            )}
          </>
        }
        tools={
          <>
            <StateTabs counts={counts} filter={filter} />
            <span class="push" />
            <SearchField label={tr('queue.search')} />
            <QueueTools selected={selection.size} valid={valid} onBulk={setBulk} />
          </>
        }
        foot={
          <QueueFoot
            selected={selection.size}
            total={pages.loaded ? pages.total : undefined}
            pending={counts?.zones_pending ?? 0}
          />
        }
      >
        {decisions.notice}
        <SelectionBar selection={selection} pages={pages} />
        {isLost && !bulk && (
          <p class="banner" role="status">
            {tr('queue.decidedElsewhere')}
          </p>
        )}
        {pages.error && (
          <div class="page">
            <ErrorNote error={pages.error} retry={pages.reload} />
          </div>
        )}
        {!pages.loaded && !pages.error && <Bones rows={12} />}
        {pages.loaded && pages.total === 0 && (
          <EmptyQueue collection={collection} isFiltered={query.size > 0} />
        )}
        {pages.loaded && pages.total > 0 && (
          <DataTable
            key={list}
            caption={tr('queue.caption')}
            columns={queueColumns({
              collection,
              itemUrl,
              selection,
              isNew: (one) =>
                isUnseen(one.submitted_at) ||
                (one.commented_by === 'submitter' && isUnseen(one.commented_at)),
            })}
            total={pages.total}
            rowAt={pages.rowAt}
            keyOf={keyOf}
            current={current}
            marked={!isLost}
            onCurrent={moveTo}
            onOpen={(one) => go(itemUrl(one))}
            onRange={pages.onRange}
            isChecked={selection.has}
            stale={pages.stale}
          />
        )}
        {decisions.dialog}
        {assigning && (
          <AssignDialog
            collection={collection}
            title={tr('assign.title', { title: titleOf(assigning) })}
            assignee={assigning.assignee}
            send={(chosen) =>
              lab(collection)
                .use(review)
                .assign({ label: assigning.label, pid: assigning.pid, ...chosen })
            }
            onClose={() => setAssigning(undefined)}
          />
        )}
        {bulk && (
          <BulkDialog
            collection={collection}
            kind={bulk}
            rows={selection.rows}
            isWhole={selection.isWhole}
            filter={filter}
            onDecided={(made) => {
              if (row && made.some((one) => keyOf(one) === keyOf(row))) leave(row);
            }}
            onClose={() => {
              setBulk(undefined);
              selection.clear();
            }}
          />
        )}
      </MainSheet>
    </Sheets>
  );
}

function EmptyQueue({ collection, isFiltered }: { collection: string; isFiltered: boolean }) {
  return (
    <div class="page">
      {isFiltered ? (
        <Empty title={tr('queue.noMatch')} mark="same">
          <p class="btns">
            <a class="btn" href={urlOf([collection, 'review'])}>
              {t('action.clearFilter')}
            </a>
          </p>
        </Empty>
      ) : (
        <Empty title={tr('queue.empty')} mark="accepted">
          <p>{tr('queue.emptyHelp')}</p>
        </Empty>
      )}
    </div>
  );
}
