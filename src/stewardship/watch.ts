/** The job that keeps what is derived from the records of a collection up to date. */
import type { JobHandle, Jobs } from '../jobs/jobs.ts';
import type { Stewarded, Turn } from './areas.ts';
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
    patient: true,
    run: async (turn) => {
      const zones = stewarded.zones.opened().filter(({ isCurated }) => !isCurated);
      const stores = [stewarded.curated, ...zones.map((zone) => zone.store)];
      const revisions = await Promise.all(stores.map((store) => store.revision()));
      const total = 2 * revisions.reduce((sum, revision) => sum + revision, 0);
      let passed = 0;
      const part: Turn = {
        breathe: () => turn.breathe(),
        get stopping() {
          return turn.stopping;
        },
        reached: (revision) => turn.progress(passed + revision, total),
      };
      for (const [at, store] of stores.entries()) {
        await followLinks(stewarded.schema, store, { turn: part, threads: jobs.threads });
        passed += revisions[at]!;
        await followFaults(stewarded, store, { turn: part, threads: jobs.threads });
        passed += revisions[at]!;
      }
    },
  });
  job.wake();
  return job;
}
