/** Bounds the growth of entries: those older than a number of days are removed, if the audit logs have them. */

import type { AuditLog } from '../audit/audit-log.ts';
import { DAY } from '../durations.ts';
import type { Database } from '../storage/database.ts';
import type { RecordStore } from '../storage/store.ts';
import { microsecondsOf, timeOf } from '../storage/times.ts';
import type { JobHandle, Jobs } from '../work/jobs.ts';
import type { Zones } from './zones.ts';

const HOUR = 3_600_000;

type PrunedCollection = {
  readonly name: string;
  readonly database: Database;
  readonly curated: RecordStore;
  readonly zones: Zones;
  readonly audits: readonly AuditLog[];
};

/** Removes old entries of the curated area and of the zones, every hour. */
export function pruneEntries(
  jobs: Jobs,
  { name, database, curated, zones, audits }: PrunedCollection,
  days: number,
): JobHandle {
  const job = jobs.add({
    name: 'prune entries',
    collection: name,
    every: HOUR,
    run: async ({ yieldIfDue }) => {
      const positions = await Promise.all(audits.map((log) => log.position()));
      await pruneArea(curated, days, Math.min(Number.MAX_SAFE_INTEGER, ...positions));
      for (const { path } of await zones.areas()) {
        await yieldIfDue();
        if (path !== curated.area.path)
          await pruneArea(await database.area(path), days, Number.MAX_SAFE_INTEGER);
      }
    },
  });
  job.wake();
  return job;
}

/** Counts the days from the last change: a clock that is ahead makes no entry older than it is beside the others. */
async function pruneArea(store: RecordStore, days: number, upTo: number): Promise<void> {
  const [last] = await store.entries({ newestFirst: true, limit: 1 });
  if (!last) return;
  const newest = microsecondsOf((await store.dates())(last));
  await store.prune(timeOf(Math.max(0, newest - days * DAY * 1000)), upTo);
}
