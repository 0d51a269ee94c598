/** Runs the background work for the records of a collection. */
import type { Jobs } from '../work/jobs.ts';
import { discardAbandoned } from '../work/plans.ts';
import type { Pool } from '../work/pool.ts';
import type { Projector } from '../work/projector.ts';
import { identifierProjection } from './duplicates.ts';
import { faultProjection, forgetFaults } from './faults.ts';
import { linkProjection } from './link-projection.ts';
import { areasOf, type CollectionStores } from './stores.ts';

/** Milliseconds between two looks for abandoned plans. */
const EVERY = 30_000;

/** @returns what is to be stopped with the collection */
export function watchRecords(
  projector: Projector,
  jobs: Jobs,
  pool: Pool,
  stores: CollectionStores,
): { stop(): Promise<void> }[] {
  let isFirst = true;
  const tidy = jobs.add({
    name: 'tidy up',
    collection: stores.name,
    every: EVERY,
    run: async () => {
      await discardAbandoned(stores);
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
