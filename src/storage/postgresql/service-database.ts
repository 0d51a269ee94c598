/** The database of a service with all that belongs to it. */
import type { Jobs } from '../../jobs/jobs.ts';
import type { StoreLog } from '../log.ts';
import { type Coordination, coordinate } from './coordination.ts';
import { openPostgresql } from './database.ts';
import { type PostgresqlStores, postgresqlStores } from './stores.ts';

export type ServiceDatabase = {
  readonly stores: PostgresqlStores;
  readonly coordination: Coordination;
  /** The bytes of the database; null while it does not say. */
  size(): Promise<number | null>;
  close(): Promise<void>;
};

export type ServiceDatabaseOptions = {
  /** The store directory, whose relative paths name the areas. */
  readonly root: string;
  /** Whether this instance may lead. */
  readonly leads: boolean;
  readonly log: StoreLog;
  readonly jobs: Jobs;
};

/**
 * @param url `postgresql://user:password@host:port/database?…`
 * @throws ServiceError `storage_unavailable`, `store_incompatible`, `storage_failed`
 */
export async function openServiceDatabase(
  url: string,
  { root, leads, log, jobs }: ServiceDatabaseOptions,
): Promise<ServiceDatabase> {
  const database = await openPostgresql(url, { log });
  const coordination = coordinate(database, leads, log);
  return {
    stores: postgresqlStores(database, root, { onCommit: coordination.announce, jobs }),
    coordination,
    async size() {
      const sql = 'SELECT pg_database_size(current_database())::text AS bytes';
      const rows = await database.query<{ bytes: string }>(sql).catch(() => []);
      return rows[0] ? Number(rows[0].bytes) : null;
    },
    async close() {
      await coordination.close();
      await database.close();
    },
  };
}
