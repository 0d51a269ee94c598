/** The titles of the records that a submission names. */

import { useMemo } from 'preact/hooks';
import { referencesIn } from '../../../../ui/shared/difference.tsx';
import { useLoad } from '../../../../ui/shared/load.ts';
import { MOST_TITLES, type Title } from '../../../../ui/shared/schema.ts';
import { lab } from '../../../../ui/shared/service.ts';
import { useTitles } from '../../../../ui/shared/tile.tsx';
import type { ReviewItem } from '../api-types.ts';
import { review } from '../client.ts';

/** One that was decided meanwhile has no title here. */
const gone = () => undefined;
/** Records that wait themselves, and are not curated yet. */
const MOST_WAITING = 20;

export function useItemTitles(collection: string, item: ReviewItem): ReadonlyMap<string, Title | null> {
  const pids = useMemo(
    () =>
      [...item.duplicates, ...referencesIn(item.differences), ...item.references.map((one) => one.pid)].slice(
        0,
        MOST_TITLES,
      ),
    [item],
  );
  const read = useTitles(collection, pids);
  const fresh = item.references
    .filter((one) => one.in === 'zone' && one.state === 'new')
    .slice(0, MOST_WAITING)
    .map((one) => one.pid);
  const { value: waiting } = useLoad(
    fresh.length > 0 ? JSON.stringify([collection, item.label, fresh]) : undefined,
    (signal) =>
      Promise.all(fresh.map((pid) => lab(collection, signal).use(review).item(item.label, pid).catch(gone))),
  );
  const titles = new Map<string, Title | null>(read);
  for (const one of waiting ?? [])
    if (one) titles.set(one.pid, { title: one.title, class: one.class, in: 'zone' });
  return titles;
}
