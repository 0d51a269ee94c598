/** The log of the configuration of the service, which stores of the peer have, too. */
import { join } from 'node:path';
import { PRIVATE_FOLDER } from '../../core/config/paths.ts';
import { CONFIGURATION_AREA, CONFIGURATION_PID } from '../../core/config/record.ts';
import { CONFIGURATION_LOG } from '../../core/config/store-directory.ts';
import type { Core } from '../../module.ts';
import type { AuditLog } from './audit-log.ts';
import type { AuditLogs } from './logs.ts';

/** Opens it before the configuration is read: a new store is logged from its first configuration on. */
export async function openConfigurationLog(
  logs: AuditLogs,
  { database, root }: Pick<Core, 'database' | 'root'>,
): Promise<AuditLog> {
  const backend = { type: 'gitaudit', path: CONFIGURATION_LOG, auto_flush_timeout: 60 } as const;
  return logs.open(backend, join(root, PRIVATE_FOLDER, CONFIGURATION_LOG), PRIVATE_FOLDER, {
    database,
    store: await database.area(CONFIGURATION_AREA),
    select: (entry) => (entry.pid === CONFIGURATION_PID ? entry : undefined),
  });
}
