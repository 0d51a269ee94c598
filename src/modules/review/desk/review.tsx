/** A submission of the queue: it is read, shown and decided on; then the next one. */

import { useEffect, useState } from 'preact/hooks';
import { useContext, type ViewProps } from '../../../../ui/shared/context.ts';
import { Icon } from '../../../../ui/shared/icons.tsx';
import { useKeys } from '../../../../ui/shared/keys.ts';
import { useLoad } from '../../../../ui/shared/load.ts';
import { Bones, ErrorNote } from '../../../../ui/shared/notes.tsx';
import { useOthers } from '../../../../ui/shared/others.tsx';
import { go, place, urlOf } from '../../../../ui/shared/router.ts';
import {
  type ClassDescription,
  localPart,
  readClass,
  readingOrder,
  written,
} from '../../../../ui/shared/schema.ts';
import { lab } from '../../../../ui/shared/service.ts';
import { MainSheet, Sheets } from '../../../../ui/shared/sheet.tsx';
import { rememberRow } from '../../../../ui/shared/table.tsx';
import type { SubmissionDifference } from '../../../client/client.ts';
import type { ReviewItem as Item, Submission } from '../api-types.ts';
import { review } from '../client.ts';
import { Gone } from './gone.tsx';
import { useNeighbors } from './neighbors.ts';
import { NextList } from './next-list.tsx';
import { titleOf } from './queue-columns.tsx';
import { filterOf, queueQuery } from './queue-filters.tsx';
import { ReviewItem } from './review-item.tsx';
import { tr } from './texts.ts';
import type { Step } from './undo.ts';
import { undoLast } from './use-decisions.tsx';
import { summary, useChanges } from './waiting.ts';

type ReviewData = { item: Item; description: ClassDescription };

async function readItem(
  collection: string,
  label: string,
  pid: string,
  signal?: AbortSignal,
): Promise<ReviewData> {
  const value = await lab(collection, signal).use(review).item(label, pid);
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
  const kept = queueQuery(query);
  const filter = { ...filterOf(query), sort: query.get('sort') ?? undefined };
  const { rows, total, index, previous, next, reload } = useNeighbors(collection, filter, { label, pid });
  const changes = useChanges(summary.value);
  const name = `${collection}/${label}/${pid}`;
  const others = useOthers(collection, { pid });
  const loaded = useLoad(
    name,
    (signal) => readItem(collection, label, pid, signal),
    `${written.value}/${changes}/${others.length}`,
  );
  /** What is being typed about a submission stays, and no letter of it is a key, though a colleague has decided. */
  const [isTyping, setTyping] = useState(false);
  const isGone = loaded.error?.status === 404 && !isTyping;
  const queueUrl = urlOf([collection, 'review'], kept);
  const urlOfItem = (itsLabel: string, itsPid: string) =>
    urlOf([collection, 'review', 'item'], { ...kept, label: itsLabel, pid: itsPid });
  const urlFor = (row: Submission | undefined) => (row ? urlOfItem(row.label, row.pid) : queueUrl);
  useEffect(() => {
    if (index !== undefined) rememberRow(queueUrl, index);
  }, [index, queueUrl]);
  useContext(
    <NextList rows={rows} current={`${label}\n${pid}`} urlFor={urlFor} />,
    `${label}/${pid}/${rows.map((row) => row.pid).join()}`,
  );
  const step = (to: Submission | undefined) => () => (to ? go(urlFor(to)) : false);
  const onUndone = (step: Step) => go(urlOfItem(step.label, step.pid));
  // Here, not where a submission is shown: the next one is not there yet if the key comes at once.
  useKeys({
    n: step(next),
    p: step(previous),
    u: () => undoLast(collection, onUndone),
    Escape: () => go(queueUrl),
  });
  const value =
    loaded.value?.item.pid === pid && loaded.value.item.label === label ? loaded.value : undefined;
  const crumbs = [{ text: tr('rail.review'), href: queueUrl }];
  const position = index === undefined ? undefined : tr('review.place', { n: index + 1, total });
  if (!value || isGone) {
    // The heading names a submission when there is something to read of it, and keys that decide.
    return (
      <Sheets>
        <MainSheet title={position ?? (loaded.error ? localPart(pid) : tr('rail.review'))} crumbs={crumbs}>
          {loaded.error ? (
            <div class="page">
              {loaded.error.status === 404 ? (
                <Gone collection={collection} pid={pid} urlNext={urlFor(next)} />
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
        aria-label={tr('review.previous')}
        title="P"
        disabled={!previous}
        onClick={step(previous)}
      >
        <Icon name="up" />
      </button>
      <button
        type="button"
        class="icon"
        aria-label={tr('review.next')}
        title="N"
        disabled={!next}
        onClick={step(next)}
      >
        <Icon name="down" />
      </button>
    </>
  );
  return (
    <ReviewItem
      key={name}
      collection={collection}
      {...value}
      crumbs={crumbs}
      nav={nav}
      position={position ?? titleOf(value.item)}
      goOn={() => go(urlFor(next))}
      reload={() => {
        loaded.reload();
        reload();
      }}
      others={others}
      onTyping={setTyping}
      onUndone={onUndone}
    />
  );
}
