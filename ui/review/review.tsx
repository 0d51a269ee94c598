import type { ReviewItem as Item, Submission, SubmissionDifference } from '../../src/client/client.ts';
import { useContext, type ViewProps } from '../shared/context.ts';
import { Icon } from '../shared/icons.tsx';
import { useKeys } from '../shared/keys.ts';
import { useLoad } from '../shared/load.ts';
import { Bones, Empty, ErrorNote } from '../shared/notes.tsx';
import { go, place, urlOf } from '../shared/router.ts';
import { type ClassDescription, readClass, readingOrder, written } from '../shared/schema.ts';
import { lab } from '../shared/service.ts';
import { MainSheet, Sheets } from '../shared/sheet.tsx';
import { t } from '../texts/texts.ts';
import { NextList } from './next-list.tsx';
import { titleOf } from './queue-columns.tsx';
import { filterOf } from './queue-filters.tsx';
import { ReviewItem } from './review-item.tsx';

type Loaded = { item: Item; description: ClassDescription };
const AHEAD = 50;

async function readItem(
  collection: string,
  label: string,
  pid: string,
  signal?: AbortSignal,
): Promise<Loaded> {
  const value = await lab(collection, signal).review.item(label, pid);
  const description = await readClass(collection, value.class);
  const order = readingOrder(description).map(({ name }) => name);
  const rank = ({ slot }: SubmissionDifference) => (slot === null ? -1 : order.indexOf(slot));
  const differences = value.differences.toSorted((a, b) => rank(a) - rank(b));
  return { item: { ...value, differences }, description };
}

export function Review({ collection }: ViewProps) {
  const { query } = place.value;
  const label = query.get('label') ?? '';
  const pid = query.get('pid') ?? '';
  const filters = { ...filterOf(query), sort: query.get('sort') ?? undefined };
  const filterKey = JSON.stringify({ ...filters, label: undefined });
  const queue = useLoad(`${collection}/${filterKey}/${written.value}`, (signal) =>
    lab(collection, signal).review.list({ ...filters, label: undefined, size: AHEAD }),
  );
  const rows = queue.value?.items ?? [];
  const at = rows.findIndex((row) => row.pid === pid && row.label === label);
  const loaded = useLoad(`${collection}/${label}/${pid}/${written.value}`, (signal) =>
    readItem(collection, label, pid, signal),
  );
  const urlFor = (row: Submission | undefined) =>
    row
      ? urlOf([collection, 'review', 'item'], { ...filters, label: row.label, pid: row.pid })
      : urlOf([collection, 'review'], { ...filters, label: undefined });
  useContext(
    <NextList
      rows={rows.slice(Math.max(0, at - 3), Math.max(0, at - 3) + 14)}
      current={`${label}\n${pid}`}
      urlFor={urlFor}
    />,
    `${label}/${pid}/${rows.length}/${rows[0]?.pid}`,
  );
  const total = queue.value?.total ?? 0;
  const step = (by: number) => {
    const next = at < 0 ? rows[0] : rows[at + by];
    if (next) go(urlFor(next));
    return next !== undefined;
  };
  const after =
    rows.find((row, index) => index > at && !(row.pid === pid && row.label === label)) ??
    rows.find((row) => row.pid !== pid || row.label !== label);
  useKeys({ n: () => step(1), p: () => step(-1), Escape: () => go(urlFor(undefined)) });
  const value =
    loaded.value?.item.pid === pid && loaded.value.item.label === label ? loaded.value : undefined;
  const crumbs = [{ text: t('rail.review'), href: urlFor(undefined) }];
  if (!value) {
    return (
      <Sheets second="side">
        <MainSheet
          title={at >= 0 ? t('review.place', { n: at + 1, total }) : t('rail.review')}
          crumbs={crumbs}
        >
          {loaded.error ? (
            <div class="page">
              {loaded.error.status === 404 ? (
                <Gone urlNext={urlFor(after)} />
              ) : (
                <ErrorNote error={loaded.error} retry={loaded.reload} />
              )}
            </div>
          ) : (
            <Bones />
          )}
        </MainSheet>
      </Sheets>
    );
  }
  const nav = (
    <>
      <button
        type="button"
        class="icon"
        aria-label={t('review.previous')}
        title="P"
        disabled={at <= 0}
        onClick={() => step(-1)}
      >
        <Icon name="up" />
      </button>
      <button
        type="button"
        class="icon"
        aria-label={t('review.next')}
        title="N"
        disabled={at >= rows.length - 1}
        onClick={() => step(1)}
      >
        <Icon name="down" />
      </button>
    </>
  );
  return (
    <ReviewItem
      key={`${label}/${pid}`}
      collection={collection}
      {...value}
      crumbs={crumbs}
      nav={nav}
      position={at >= 0 ? t('review.place', { n: at + 1, total }) : titleOf(value.item)}
      neighbors={rows}
      goOn={() => go(urlFor(after))}
      reload={() => {
        loaded.reload();
        queue.reload();
      }}
      back={urlFor({ label, pid } as Submission)}
    />
  );
}

function Gone({ urlNext }: { urlNext: string }) {
  return (
    <Empty title={t('review.goneTitle')}>
      <p>{t('review.goneHelp')}</p>
      <p class="btns">
        <a class="btn primary" href={urlNext}>
          {t('review.next')}
        </a>
      </p>
    </Empty>
  );
}
