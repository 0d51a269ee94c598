/** The place of a submission in the queue that it was opened from: its filter, its order, the rows around it. */

import { useRef } from 'preact/hooks';
import { useLoad } from '../../../../ui/shared/load.ts';
import { written } from '../../../../ui/shared/schema.ts';
import { lab } from '../../../../ui/shared/service.ts';
import type { Submission } from '../api-types.ts';
import { review } from '../client.ts';
import type { QueueFilter } from './queue-filters.tsx';
import { summary, useChanges } from './waiting.ts';

/** Rows that are read around the submission: the service begins a few rows before it. */
const AROUND = 20;

type Neighbors = {
  /** Rows of the queue, the submission among them if it is still in the filter. */
  readonly rows: readonly Submission[];
  readonly total: number;
  /** How many rows are before the submission; undefined if it is not in the filter. */
  readonly index: number | undefined;
  readonly previous: Submission | undefined;
  /** The row behind the submission, or behind where it was. */
  readonly next: Submission | undefined;
  readonly reload: () => void;
};

export function useNeighbors(
  collection: string,
  filter: QueueFilter & { readonly sort?: string | undefined },
  { label, pid }: { readonly label: string; readonly pid: string },
): Neighbors {
  const changes = useChanges(summary.value);
  const { value, reload } = useLoad(
    JSON.stringify([collection, filter, label, pid]),
    (signal) => {
      const around = { around_label: label, around_pid: pid, size: AROUND };
      return lab(collection, signal)
        .use(review)
        .list({ ...filter, ...around });
    },
    `${written.value}/${changes}`,
  );
  const rows = value?.items ?? [];
  const offset = value?.offset ?? 0;
  const at = rows.findIndex((row) => row.pid === pid && row.label === label);
  // A submission that has left the queue keeps its place, so that the next one is the one behind it.
  const place = useRef<{ name: string; index: number }>({ name: '', index: 0 }).current;
  const name = `${label}\n${pid}`;
  if (at >= 0) Object.assign(place, { name, index: offset + at });
  const gone = place.name === name ? place.index - offset : 0;
  return {
    rows,
    total: value?.total ?? 0,
    index: at >= 0 ? offset + at : undefined,
    previous: at >= 0 ? rows[at - 1] : rows[gone - 1],
    next: at >= 0 ? rows[at + 1] : rows[gone],
    reload,
  };
}
