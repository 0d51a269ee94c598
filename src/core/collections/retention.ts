/** Bounds the growth of entries: those older than a number of days are removed, if no part of a module needs them. */
import { type CollectionConfig, UNKNOWN } from '../config/config.ts';
import { DAY } from '../durations.ts';
import { readCursor } from '../storage/cursors.ts';
import { VALUE_INDEX } from '../storage/search/value-index.ts';
import type { RecordStore } from '../storage/store.ts';
import { microsecondsOf, timeOf } from '../storage/times.ts';
import type { JobHandle, Jobs } from '../work/jobs.ts';
import { advance } from '../work/projections.ts';
import type { YieldIfDue } from '../yield.ts';
import type { Collection } from './collection.ts';

const HOUR = 3_600_000;

type PrunedCollection = Pick<Collection, 'name' | 'config' | 'database' | 'curated' | 'zones' | 'attached'>;

/** Removes old entries of the curated area and of the zones, every hour. */
export function pruneEntries(
  jobs: Jobs,
  { name, config, database, curated, zones, attached }: PrunedCollection,
  days: number,
): JobHandle {
  const job = jobs.add({
    name: 'prune entries',
    collection: name,
    every: HOUR,
    run: async ({ yieldIfDue }) => {
      const followed = await Promise.all([...attached.values()].flatMap((part) => part.followed?.() ?? []));
      if (!mayBeFollowed(config))
        await pruneArea(database, curated, days, Math.min(Number.MAX_SAFE_INTEGER, ...followed), yieldIfDue);
      for (const { path } of await zones.areas()) {
        await yieldIfDue();
        if (path !== curated.area.path)
          await pruneArea(database, await database.area(path), days, Number.MAX_SAFE_INTEGER, yieldIfDue);
      }
    },
  });
  job.wake();
  return job;
}

/** Whether a module that is absent is configured: it may need entries when it is back. */
function mayBeFollowed({ [UNKNOWN]: unknown = {} }: CollectionConfig): boolean {
  return Object.values(unknown).some((value) => !Array.isArray(value) || value.length > 0);
}

/**
 * Counts the days from the last change: a clock that is ahead makes no entry older than it is beside the others. The index of values
 * reads all entries, so it follows them first.
 */
async function pruneArea(
  database: PrunedCollection['database'],
  store: RecordStore,
  days: number,
  upTo: number,
  yieldIfDue: YieldIfDue,
): Promise<void> {
  const [last] = await store.entries({ newestFirst: true, limit: 1 });
  if (!last) return;
  const newest = microsecondsOf((await store.dates())(last));
  await advance(database, VALUE_INDEX, store, { yieldIfDue });
  const [indexed] = (await readCursor(database, VALUE_INDEX.name, store.area.id)) ?? [0];
  await store.prune(timeOf(Math.max(0, newest - days * DAY * 1000)), Math.min(upTo, indexed));
}
