/** All decisions, newest first. */

import { useState } from 'preact/hooks';
import type { ViewProps } from '../../../../ui/shared/context.ts';
import { useKeys } from '../../../../ui/shared/keys.ts';
import { Bones, Empty, ErrorNote } from '../../../../ui/shared/notes.tsx';
import { usePages } from '../../../../ui/shared/pages.ts';
import { go, place, urlOf, withQuery } from '../../../../ui/shared/router.ts';
import { localPart } from '../../../../ui/shared/schema.ts';
import { SearchField } from '../../../../ui/shared/search-field.tsx';
import { lab } from '../../../../ui/shared/service.ts';
import { MainSheet, Sheets } from '../../../../ui/shared/sheet.tsx';
import { State, StateMark, stateWord } from '../../../../ui/shared/state.tsx';
import { useSteadyRow } from '../../../../ui/shared/steady-row.ts';
import { type Column, DataTable } from '../../../../ui/shared/table.tsx';
import { Tile, useTitles } from '../../../../ui/shared/tile.tsx';
import { fullTime, shortTime } from '../../../../ui/shared/time.ts';
import { UserName } from '../../../../ui/shared/user-name.tsx';
import { t } from '../../../../ui/texts/texts.ts';
import type { ListedDecision } from '../api-types.ts';
import { review } from '../client.ts';
import { tr } from './texts.ts';
import { noteUndone } from './undo.ts';
import { Refused, undo, undoLast } from './use-decisions.tsx';
import { DECIDED, decidedUrl } from './verdicts.ts';
import { summary, useChanges } from './waiting.ts';

const FILTERS = ['q', 'pid', 'label', 'class', 'reviewer', 'submitter', 'decision', 'group'] as const;

export function Decisions({ collection }: ViewProps) {
  const { query, key } = place.value;
  const reviewer = query.get('reviewer');
  const filter = Object.fromEntries(FILTERS.map((name) => [name, query.get(name) ?? undefined]));
  const isFiltered = Object.values(filter).some((one) => one !== undefined);
  const pages = usePages<ListedDecision>(
    key,
    ({ page, size }, signal) =>
      lab(collection, signal)
        .use(review)
        .decisions({ ...filter, page, size }),
    useChanges(summary.value),
  );
  const { index: current, moveTo } = useSteadyRow(key, pages, ({ id }) => id);
  const [range, setRange] = useState<[number, number]>([0, 40]);
  const rows = Array.from({ length: Math.max(0, range[1] - range[0]) }, (_, i) =>
    pages.rowAt(range[0] + i),
  ).filter((row) => row !== undefined);
  const titles = useTitles(collection, [...new Set(rows.map(({ pid }) => pid))]);
  // A record that was never curated is called as its submission is.
  const titleOf = ({ pid, title }: ListedDecision) => titles?.get(pid)?.title || title || localPart(pid);
  const takeBack = (row: ListedDecision) => {
    const { id, label, pid } = row;
    noteUndone(id);
    undo({ collection, decisions: [id], label, pid, title: titleOf(row) });
  };
  useKeys({ u: () => undoLast(collection) });
  const columns: Column<ListedDecision>[] = [
    {
      key: 'decision',
      class: 'w-state',
      optional: true,
      head: tr('decisions.decision'),
      cell: (row) => <State name={DECIDED[row.decision]} />,
    },
    {
      key: 'record',
      head: tr('decisions.record'),
      cell: (row) => (
        <>
          <div class="main">
            <span class="only-small">
              <StateMark name={DECIDED[row.decision]} />
            </span>
            <Tile name={row.class} />
            <a href={decidedUrl(collection, row)}>
              <bdi>{titleOf(row)}</bdi>
            </a>
            {row.undone && <span class="tag">{tr('decision.undone')}</span>}
          </div>
          <div class="under">
            <span>
              {stateWord(DECIDED[row.decision])} · {row.reason ?? shortTime(row.time)}
            </span>
          </div>
        </>
      ),
    },
    {
      key: 'reason',
      class: 'w-m',
      optional: true,
      head: tr('decisions.reason'),
      cell: (row) => <bdi class="muted">{row.reason ?? '–'}</bdi>,
    },
    {
      key: 'by',
      class: 'w-by',
      optional: true,
      head: tr('decisions.by'),
      cell: (row) =>
        row.reviewer ? (
          <a class="muted" href={withQuery({ reviewer: row.reviewer })}>
            <UserName collection={collection} id={row.reviewer} />
          </a>
        ) : (
          '–'
        ),
    },
    {
      key: 'time',
      class: 'w-when right',
      optional: true,
      head: tr('decisions.time'),
      cell: (row) => <span class="muted num">{fullTime(row.time)}</span>,
    },
    {
      key: 'undo',
      class: 'w-s right',
      head: <span class="vh">{t('action.undo')}</span>,
      cell: (row) =>
        !row.undone && (
          <button
            type="button"
            class="btn small"
            aria-label={tr('decisions.undo')}
            onClick={() => takeBack(row)}
          >
            {t('action.undo')}
          </button>
        ),
    },
  ];
  return (
    <Sheets>
      <MainSheet
        title={tr('decisions.title')}
        crumbs={[
          { text: collection, href: urlOf([collection, 'browse']) },
          { text: tr('rail.review'), href: urlOf([collection, 'review']) },
        ]}
        tools={
          <>
            <nav class="seg" aria-label={tr('decisions.decision')}>
              <a
                href={withQuery({ decision: null })}
                aria-current={query.get('decision') === null ? 'page' : undefined}
              >
                {tr('home.all')}
              </a>
              {(['accept', 'reject', 'defer'] as const).map((name) => (
                <a
                  key={name}
                  href={withQuery({ decision: name })}
                  aria-current={query.get('decision') === name ? 'page' : undefined}
                >
                  <State name={DECIDED[name]} />
                </a>
              ))}
              <a
                href={withQuery({ reviewer: reviewer === null ? 'me' : null })}
                aria-current={reviewer === null ? undefined : 'page'}
              >
                {reviewer === null || reviewer === 'me' ? (
                  tr('decisions.byMe')
                ) : (
                  <UserName collection={collection} id={reviewer} />
                )}
                {reviewer !== null && <span class="vh">, {tr('decisions.byAny')}</span>}
              </a>
            </nav>
            <span class="push" />
            <SearchField label={tr('decisions.search')} />
          </>
        }
      >
        <Refused />
        {pages.error && (
          <div class="page">
            <ErrorNote error={pages.error} retry={pages.reload} />
          </div>
        )}
        {!pages.loaded && !pages.error && <Bones rows={12} />}
        {pages.loaded && pages.total === 0 && (
          <div class="page">
            {isFiltered ? (
              <Empty title={tr('decisions.noMatch')}>
                <p class="btns">
                  <a class="btn" href={urlOf([collection, 'decisions'])}>
                    {t('action.clearFilter')}
                  </a>
                </p>
              </Empty>
            ) : (
              <Empty title={tr('decisions.none')}>
                <p>{tr('decisions.noneHelp')}</p>
                <p class="btns">
                  <a class="btn" href={urlOf([collection, 'review'])}>
                    {tr('rail.review')}
                  </a>
                </p>
              </Empty>
            )}
          </div>
        )}
        {pages.loaded && pages.total > 0 && (
          <DataTable
            caption={tr('decisions.title')}
            columns={columns}
            total={pages.total}
            rowAt={pages.rowAt}
            keyOf={({ id }) => id}
            current={current}
            onCurrent={moveTo}
            onOpen={(row) => go(decidedUrl(collection, row))}
            onRange={(from, to) => {
              pages.onRange(from, to);
              setRange([from, to]);
            }}
            stale={pages.stale}
          />
        )}
      </MainSheet>
    </Sheets>
  );
}
