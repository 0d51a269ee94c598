/** Bounds the growth of entries: those older than a number of days are removed, if the audit logs have them. */

import type { AuditLog } from '../audit/audit-log.ts';
import { DAY } from '../durations.ts';
import type { Database } from '../storage/database.ts';
import type { RecordStore } from '../storage/store.ts';
import { timeOf } from '../storage/times.ts';
import type { JobHandle, Jobs } from '../work/jobs.ts';
import type { Zones } from './zones.ts';

const HOUR = 3_600_000;

type Pruned = {
  readonly name: string;
  readonly database: Database;
  readonly curated: RecordStore;
  readonly zones: Zones;
  readonly audits: readonly AuditLog[];
};

/** Removes old entries of the curated area and of the zones, every hour. */
export function pruneEntries(
  jobs: Jobs,
  { name, database, curated, zones, audits }: Pruned,
  days: number,
): JobHandle {
  const job = jobs.add({
    name: 'prune entries',
    collection: name,
    every: HOUR,
    run: async ({ yieldIfDue }) => {
      const before = timeOf((Date.now() - days * DAY) * 1000);
      const positions = await Promise.all(audits.map((log) => log.position()));
      await curated.prune(before, Math.min(Number.MAX_SAFE_INTEGER, ...positions));
      for (const { path } of await zones.areas()) {
        await yieldIfDue();
        if (path !== curated.area.path)
          await (await database.area(path)).prune(before, Number.MAX_SAFE_INTEGER);
      }
    },
  });
  job.wake();
  return job;
}
