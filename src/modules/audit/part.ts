/** The part of a collection: the logs of its curated area. */
import type { Collection } from '../../core/collections/collection.ts';
import { type CollectionPart, partKey } from '../../core/collections/part.ts';
import { locate } from '../../core/config/paths.ts';
import type { Gauges } from '../../core/metrics/metrics.ts';
import type { AuditLog } from './audit-log.ts';
import { positionOf } from './git/export.ts';
import type { AuditLogs } from './logs.ts';

type AuditPart = CollectionPart & {
  /** Those that are open; none in a process that only reads. */
  readonly logs: readonly AuditLog[];
};

export const audit = partKey<AuditPart>('audit');

export const gauges = {
  accession_audit_backlog: {
    help: 'Changes that the audit log does not have yet, by collection.',
    labels: ['collection'],
  },
} satisfies Gauges;

/** @param root the store directory */
export function attachAudit(collection: Collection, logs: AuditLogs, root: string): AuditPart {
  const { name, config, database, curated } = collection;
  const { audit_backends: backends = [] } = config;
  const source = { database, store: curated };
  const open: AuditLog[] = [];
  const positions = () => Promise.all(backends.map(({ path }) => positionOf(path, source)));
  return {
    logs: open,
    async open({ isAdopted }) {
      const located = backends.map((backend) => ({
        backend,
        path: locate(root, backend.path, 'audit_backends'),
      }));
      for (const { path } of located) await logs.check(path);
      for (const { backend, path } of located)
        open.push(await logs.open(backend, path, name, { ...source, isAdopted }));
    },
    followed: async () => Math.min(Number.POSITIVE_INFINITY, ...(await positions())),
    faults: () => open.flatMap((log) => log.faults()),
    health: async () => (open.some((log) => log.faults().length > 0) ? [ENTRIES_MISSING] : []),
    async samples() {
      const revision = await curated.revision();
      const behind = (await positions()).map((position) => revision - position);
      return [
        { name: 'accession_audit_backlog', labels: { collection: name }, value: Math.max(0, ...behind) },
      ];
    },
    async close() {
      for (const log of open) await log.close();
    },
  };
}

const ENTRIES_MISSING = 'audit entries are missing in the repository; the log of the service has the reason';
