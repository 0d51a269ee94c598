/** Bounds the growth of entries: those older than a number of days are removed, if the audit logs have them. */
import type { AuditLog } from '../audit/audit-log.ts';
import type { JobHandle, Jobs } from '../jobs/jobs.ts';
import type { RecordStore } from '../storage/store.ts';
import type { Zones } from './zones.ts';

const HOUR = 3_600_000;
const DAY_MS = 24 * HOUR;

export type Pruned = {
  readonly name: string;
  readonly curated: RecordStore;
  readonly zones: Zones;
  readonly audits: readonly AuditLog[];
};

/** Removes old entries of the curated area and of the zones that are open, every hour. */
export function pruneEntries(jobs: Jobs, { name, curated, zones, audits }: Pruned, days: number): JobHandle {
  const job = jobs.add({
    name: 'prune entries',
    collection: name,
    every: HOUR,
    run: async ({ breathe }) => {
      const before = `${new Date(Date.now() - days * DAY_MS).toISOString().slice(0, -1)}000+00:00`;
      await curated.prune(before, Math.min(Number.MAX_SAFE_INTEGER, ...audits.map((log) => log.position())));
      for (const { store, isCurated } of zones.opened()) {
        await breathe();
        if (!isCurated) await store.prune(before, Number.MAX_SAFE_INTEGER);
      }
    },
  });
  job.wake();
  return job;
}
