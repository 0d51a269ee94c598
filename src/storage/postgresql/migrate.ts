/** Brings a database to the layout of this release: numbered SQL files, each applied once, in order. */
import { readdirSync, readFileSync } from 'node:fs';
import { ServiceError } from '../../errors.ts';
import type { StoreLog } from '../log.ts';
import type { Database, Run } from './database.ts';

export type Migration = { readonly number: number; readonly name: string; readonly sql: string };

const DIRECTORY = new URL('./migrations/', import.meta.url);

/** The advisory lock that an instance holds while it migrates; any constant will do. */
const LOCK = 4_237_001;

/** The migrations of this release, in order. */
export function migrations(): Migration[] {
  return readdirSync(DIRECTORY)
    .filter((file) => /^\d{3}-.*\.sql$/.test(file))
    .sort()
    .map((file) => ({
      number: Number(file.slice(0, 3)),
      name: file.slice(4, -4),
      sql: readFileSync(new URL(file, DIRECTORY), 'utf8'),
    }));
}

/**
 * Applies the migrations that a database lacks, each in a transaction. Instances that start together wait for one
 * another.
 *
 * @throws ServiceError `store_incompatible` if a newer release has migrated the database, `storage_failed` if a
 *   migration fails; those before it stay applied
 */
export async function migrate(database: Database, log: StoreLog, known = migrations()): Promise<void> {
  await database.connected(async (run) => {
    await run(`SELECT pg_advisory_lock(${LOCK})`);
    try {
      const applied = await appliedNumber(run);
      const newest = known[known.length - 1]?.number ?? 0;
      if (applied > newest) {
        throw new ServiceError(
          'store_incompatible',
          `The database has layout ${applied}, and this release knows layouts up to ${newest}: a newer release has ` +
            'migrated it. Start that release or restore a backup.',
        );
      }
      for (const migration of known) if (migration.number > applied) await apply(run, migration, log);
    } finally {
      await run(`SELECT pg_advisory_unlock(${LOCK})`);
    }
  });
}

async function appliedNumber(run: Run): Promise<number> {
  await run(`CREATE TABLE IF NOT EXISTS accession_migration (
    number integer PRIMARY KEY, name text NOT NULL, applied timestamptz NOT NULL DEFAULT now())`);
  const [row] = await run<{ last: number | null }>('SELECT max(number) AS last FROM accession_migration');
  return row?.last ?? 0;
}

async function apply(run: Run, { number, name, sql }: Migration, log: StoreLog): Promise<void> {
  log.info({ number, name }, 'migrating the database');
  await run('BEGIN');
  try {
    await run(sql);
    await run('INSERT INTO accession_migration (number, name) VALUES ($1, $2)', [number, name]);
    await run('COMMIT');
  } catch (error) {
    await run('ROLLBACK');
    const message = `Migration ${number} (${name}) of the database failed and was rolled back: ${(error as Error).message}.`;
    throw new ServiceError('storage_failed', message, [], { cause: error });
  }
}
