/** The job that keeps what is derived from the records of a collection up to date. */
import type { JobHandle, Jobs } from '../jobs/jobs.ts';
import type { Stewarded } from './areas.ts';
import { followFaults } from './faults.ts';
import { followLinks } from './follow.ts';

/** Milliseconds between two runs: so long, changes of other programs may go unnoticed. */
const EVERY = 30_000;

/** Follows the curated area and the zones that are open; the others are followed when they are asked about. */
export function watchRecords(jobs: Jobs, stewarded: Stewarded): JobHandle {
  const job = jobs.add({
    name: 'check records',
    collection: stewarded.name,
    every: EVERY,
    run: async (turn) => {
      const zones = (await stewarded.zones.opened()).filter(({ isCurated }) => !isCurated);
      for (const store of [stewarded.curated, ...zones.map((zone) => zone.store)]) {
        await followLinks(stewarded.schema, store, { turn });
        await followFaults(stewarded, store, { turn, threads: jobs.threads });
      }
    },
  });
  job.wake();
  return job;
}
