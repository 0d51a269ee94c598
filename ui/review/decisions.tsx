/** All decisions, newest first. */

import { useState } from 'preact/hooks';
import type { ListedDecision } from '../../src/modules/review/api-types.ts';
import { review } from '../../src/modules/review/client.ts';
import type { ViewProps } from '../shared/context.ts';
import { useKeys } from '../shared/keys.ts';
import { Bones, Empty, ErrorNote } from '../shared/notes.tsx';
import { usePages } from '../shared/pages.ts';
import { DECIDED, decidedUrl } from '../shared/review.ts';
import { go, place, urlOf, withQuery } from '../shared/router.ts';
import { localPart } from '../shared/schema.ts';
import { SearchField } from '../shared/search-field.tsx';
import { lab } from '../shared/service.ts';
import { MainSheet, Sheets } from '../shared/sheet.tsx';
import { State } from '../shared/state.tsx';
import { useSteadyRow } from '../shared/steady-row.ts';
import { type Column, DataTable } from '../shared/table.tsx';
import { Tile, useTitles } from '../shared/tile.tsx';
import { fullTime } from '../shared/time.ts';
import { summary, useChanges } from '../shared/waiting.ts';
import { t } from '../texts/texts.ts';
import { noteUndone } from './undo.ts';
import { Refused, undo, undoLast } from './use-decisions.tsx';

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
      head: t('decisions.decision'),
      cell: (row) => <State name={DECIDED[row.decision]} />,
    },
    {
      key: 'record',
      head: t('decisions.record'),
      cell: (row) => (
        <>
          <div class="main">
            <span class="only-small">
              <State name={DECIDED[row.decision]} />
            </span>
            <Tile name={row.class} />
            <a href={decidedUrl(collection, row)}>
              <bdi>{titleOf(row)}</bdi>
            </a>
            {row.undone && <span class="tag">{t('decision.undone')}</span>}
          </div>
          <div class="under">
            <span>{row.reason ?? fullTime(row.time)}</span>
          </div>
        </>
      ),
    },
    {
      key: 'reason',
      class: 'w-m',
      optional: true,
      head: t('decisions.reason'),
      cell: (row) => <bdi class="muted">{row.reason ?? '–'}</bdi>,
    },
    {
      key: 'by',
      class: 'w-by',
      optional: true,
      head: t('decisions.by'),
      cell: (row) =>
        row.reviewer ? (
          <a class="muted" href={withQuery({ reviewer: row.reviewer })}>
            <bdi>{row.reviewer}</bdi>
          </a>
        ) : (
          '–'
        ),
    },
    {
      key: 'time',
      class: 'w-when right',
      optional: true,
      head: t('decisions.time'),
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
            aria-label={t('decisions.undo')}
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
        title={t('decisions.title')}
        crumbs={[
          { text: collection, href: urlOf([collection, 'browse']) },
          { text: t('rail.review'), href: urlOf([collection, 'review']) },
        ]}
        tools={
          <>
            <nav class="seg" aria-label={t('decisions.decision')}>
              <a
                href={withQuery({ decision: null })}
                aria-current={query.get('decision') === null ? 'page' : undefined}
              >
                {t('home.all')}
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
                {reviewer === null || reviewer === 'me' ? t('decisions.byMe') : <bdi>{reviewer}</bdi>}
                {reviewer !== null && <span class="vh">, {t('decisions.byAny')}</span>}
              </a>
            </nav>
            <span class="push" />
            <SearchField label={t('decisions.search')} />
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
            <Empty title={t(isFiltered ? 'decisions.noMatch' : 'decisions.none')} />
          </div>
        )}
        {pages.loaded && pages.total > 0 && (
          <DataTable
            caption={t('decisions.title')}
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
