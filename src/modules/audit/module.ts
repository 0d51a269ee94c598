/** Audit logs: copies of the changes of curated areas and of the configuration in git, in the format of the peer. See README.md. */
import type { Module } from '../../module.ts';
import { areaLogs } from './area-logs.ts';
import { codes } from './codes.ts';
import { configuration } from './configuration.ts';
import { openConfigurationLog } from './configuration-log.ts';
import { AuditLogs } from './logs.ts';
import { attachAudit, gauges } from './part.ts';

export const audit: Module = {
  name: 'audit',
  codes,
  configuration,
  gauges,
  provides: { logs: areaLogs },
  open: (core) => openConfigurationLog(new AuditLogs(core), core),
  attach(core) {
    const logs = new AuditLogs(core);
    return (collection) => attachAudit(collection, logs, core.root);
  },
};
