/** Runs the background work for the records of a collection. */

import { identifierProjection } from '../curate/duplicates.ts';
import { faultProjection, forgetFaults } from '../curate/faults.ts';
import { EVERY } from '../durations.ts';
import type { Jobs } from '../work/jobs.ts';
import { discardAbandoned } from '../work/patches.ts';
import type { Pool } from '../work/pool.ts';
import type { Projector } from '../work/projector.ts';
import { linkProjection } from './link-projection.ts';
import { areasOf, type CollectionStores } from './stores.ts';

/** @returns the jobs to stop with the collection */
export function watchRecords(
  projector: Projector,
  jobs: Jobs,
  pool: Pool,
  stores: CollectionStores,
): { stop(): Promise<void> }[] {
  let isFirst = true;
  const staged = new Map<string, number>();
  const tidy = jobs.add({
    name: 'tidy up',
    collection: stores.name,
    every: EVERY.plans,
    run: async () => {
      await discardAbandoned(stores.database, stores.curated.area, staged);
      if (isFirst) await forgetFaults(stores, await areasOf(stores));
      isFirst = false;
    },
  });
  tidy.wake();
  const projections = [
    linkProjection(stores, pool),
    faultProjection(stores, pool),
    identifierProjection(stores),
  ];
  return [tidy, ...projections.map((projection) => projector.add(projection))];
}
