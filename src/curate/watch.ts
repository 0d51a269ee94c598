/** The job that keeps what is derived from the records of a collection up to date. */

import type { RecordStore } from '../storage/store.ts';
import type { JobHandle, Jobs } from '../work/jobs.ts';
import { discardAbandoned } from '../work/plans.ts';
import { followIdentifiers } from './duplicates.ts';
import { followFaults, forgetFaults } from './faults.ts';
import { followLinks } from './follow-links.ts';
import type { Turn } from './projections.ts';
import { areasOf, type CollectionStores } from './stores.ts';

/** Milliseconds between two runs: so long, changes of other programs may go unnoticed. */
const EVERY = 30_000;

/** Follows the areas that have changed since they were followed last. */
export function watchRecords(jobs: Jobs, stores: CollectionStores): JobHandle {
  /** By the number of the area, the revision that everything has come to. */
  const known = new Map<number, number>();
  const job = jobs.add({
    name: 'check records',
    collection: stores.name,
    every: EVERY,
    patient: true,
    run: async (turn) => {
      await discardAbandoned(stores);
      const areas = await areasOf(stores);
      if (known.size === 0) await forgetFaults(stores, areas);
      const behind: { readonly store: RecordStore; readonly revision: number }[] = [];
      for (const { store } of areas) {
        const revision = await store.revision();
        if (known.get(store.area.id) !== revision) behind.push({ store, revision });
      }
      const total = 2 * behind.reduce((sum, { revision }) => sum + revision, 0);
      let passed = 0;
      const part: Turn = {
        breathe: () => turn.breathe(),
        get stopping() {
          return turn.stopping;
        },
        reached: (revision) => turn.progress(passed + revision, total),
      };
      await followIdentifiers(stores, { turn });
      for (const { store, revision } of behind) {
        await followLinks(stores, store, { turn: part, threads: jobs.threads });
        passed += revision;
        await followFaults(stores, store, { turn: part, threads: jobs.threads });
        passed += revision;
        if (!turn.stopping) known.set(store.area.id, revision);
      }
    },
  });
  job.wake();
  return job;
}
