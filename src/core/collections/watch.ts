/** Runs the background work for the records of a collection: the index of words, references that writes did not bring, and plans that were abandoned. */

import { EVERY } from '../durations.ts';
import type { Jobs } from '../work/jobs.ts';
import { discardAbandoned } from '../work/patches.ts';
import type { Pool } from '../work/pool.ts';
import type { Projection } from '../work/projections.ts';
import type { Projector } from '../work/projector.ts';
import { linkProjection } from './link-projection.ts';
import type { CollectionStores, ReadStores } from './stores.ts';
import { wordProjection } from './word-projection.ts';

/** @returns the jobs to stop with the collection */
export function watchRecords(
  projector: Projector,
  jobs: Jobs,
  pool: Pool,
  stores: CollectionStores,
): { stop(): Promise<void> }[] {
  const staged = new Map<string, number>();
  const tidy = jobs.add({
    name: 'tidy up',
    collection: stores.name,
    every: EVERY.plans,
    run: () => discardAbandoned(stores.database, stores.curated.area, staged),
  });
  tidy.wake();
  return [tidy, ...projectionsOf(stores, pool).map((one) => projector.add(one))];
}

/** The projections of the core that follow the records of a collection. */
export function projectionsOf(stores: ReadStores, pool: Pool): Projection[] {
  return [linkProjection(stores, pool), wordProjection(stores)];
}
