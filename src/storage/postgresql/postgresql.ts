/** The database in PostgreSQL. Several instances share it: one writes at a time, and one leads. */
import { setTimeout as pause } from 'node:timers/promises';
import { TIMEOUT } from '../../durations.ts';
import { isStorageFailure, ServiceError } from '../../errors.ts';
import { Outdated } from '../apply.ts';
import type { Connection } from '../connection.ts';
import type { Database, Transaction } from '../database.ts';
import { POSTGRESQL } from '../dialect.ts';
import type { Engine } from '../engine.ts';
import { applyGroup, type Outcome } from '../group.ts';
import { ddl, GENERATION, LAYOUT, newGeneration } from '../layout.ts';
import { SILENT_LOG, type StoreLog } from '../log.ts';
import { databaseOn } from '../open-database.ts';
import { requireKnownLayout } from '../sqlite/sqlite.ts';
import { coordinate } from './coordination.ts';
import { databaseFailure, isConnectionFailure } from './failures.ts';
import { openPool, type Pool, type PoolOptions, type Run, together } from './pool.ts';

export type PostgresqlOptions = Omit<PoolOptions, 'log'> & {
  readonly log?: StoreLog;
  /** Whether this instance may lead. Default true. */
  readonly leads?: boolean;
  /** Whether every write is refused. */
  readonly readOnly?: boolean;
};

/** The advisory locks of this service; any constants will do. */
export const WRITER = 4_237_003;
const LAYING = 4_237_001;

/**
 * Opens a database and lays its tables if it has none.
 *
 * @param url `postgresql://user:password@host:port/database?…`
 * @throws ServiceError `storage_unavailable` if the server does not answer, `store_incompatible` for the layout of another
 *   release, `config_invalid` for a URL without a scheme
 */
export async function openPostgresqlDatabase(
  url: string,
  options: PostgresqlOptions = {},
): Promise<Database> {
  // The driver takes any other string for a name in a host that does not exist, which would be waited for.
  if (!/^(postgres(ql)?|socket):|^\//.test(url))
    throw new ServiceError(
      'config_invalid',
      'The database URL has no scheme, expected postgresql://USER@HOST/DATABASE.',
    );
  const { log = SILENT_LOG, leads = true, readOnly = false } = options;
  const pool = openPool(url, { ...options, log });
  try {
    await pool.connected(layTables);
  } catch (error) {
    await pool.close();
    throw databaseFailure(error, 'Opening the database');
  }
  return databaseOn(engineOn(pool, { log, leads, readOnly }));
}

const FORMER_TABLES =
  'The database has the tables of release 0.2. Copy it to a store directory with `accession copy-store` of that release, ' +
  'and start this release with that directory and an empty database.';

async function layTables(run: Run): Promise<void> {
  await run('BEGIN');
  // Instances that start together wait for one another.
  await run(`SELECT pg_advisory_xact_lock(${LAYING})`);
  const { rows } = await run("SELECT to_regclass('accession_meta') IS NOT NULL");
  if (rows[0]?.[0]) {
    const known = await run("SELECT value FROM accession_meta WHERE key = 'layout'");
    requireKnownLayout(Number(known.rows[0]?.[0]), 'The database');
  } else {
    const former = await run("SELECT to_regclass('accession_migration') IS NOT NULL");
    if (former.rows[0]?.[0]) throw new ServiceError('store_incompatible', FORMER_TABLES);
    await run(ddl(POSTGRESQL));
    const insert = 'INSERT INTO accession_meta VALUES ($1, $2)';
    await run(insert, ['layout', String(LAYOUT)]);
    await run(insert, [GENERATION, newGeneration()]);
  }
  await run('COMMIT');
}

function engineOn(
  pool: Pool,
  { log, leads, readOnly }: Required<Pick<PostgresqlOptions, 'log' | 'leads' | 'readOnly'>>,
): Engine {
  const coordination = coordinate(pool, leads && !readOnly, log);
  const writer = new Writer(pool);
  return {
    dialect: POSTGRESQL,
    readOnly,
    query: (sql, values) => pool.run(sql, values),
    snapshot: (work) =>
      pool.connected(async (run) => {
        await run('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
        const result = await work((sql, values) => run(sql, values));
        await run('COMMIT');
        return result;
      }),
    commit: (group) => writer.commit(group),
    failure: databaseFailure,
    // The server examines its files.
    problem: async () => undefined,
    announce(areas) {
      for (const area of areas) coordination.announce(area);
    },
    onForeignChange: (callback) => coordination.onChange(callback),
    leadership: coordination.leadership,
    async size() {
      const sql = 'SELECT pg_database_size(current_database())';
      const { rows } = await pool.run(sql).catch(() => ({ rows: [] as unknown[][] }));
      return rows[0] ? Number(rows[0][0]) : null;
    },
    async close() {
      await coordination.close();
      await pool.close();
    },
  };
}

/** The statements of this service on a connection. */
function connectionOn(run: Run): Connection {
  return {
    dialect: POSTGRESQL,
    tuples: async <Row extends readonly unknown[]>(sql: string, values: readonly unknown[] = []) =>
      (await run(sql, values)).rows as unknown as Row[],
    run: async (sql, values = []) => (await run(sql, values)).count,
    many: async (sql, rows) => void (await together(rows.map((values) => run(sql, values)))),
  };
}

/** Commits groups of transactions. */
class Writer {
  readonly #pool: Pool;

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  commit(group: readonly Transaction[]): Promise<Outcome[]> {
    return this.#pool.connected(async (run) => {
      let xid = '';
      return applyGroup(
        {
          ...connectionOn(run),
          begin: async () => {
            const [, , id] = await together([
              run('BEGIN'),
              run(`SELECT pg_advisory_xact_lock(${WRITER})`),
              run('SELECT CAST(pg_current_xact_id() AS text)'),
            ]);
            xid = String(id!.rows[0]![0]);
          },
          commit: async () => {
            await run('COMMIT').catch(async (error) => {
              const outcome = isConnectionFailure(error) ? await this.#outcomeOf(xid) : 'aborted';
              if (outcome === 'unknown') throw outcomeUnknown(error);
              if (outcome === 'aborted') throw error;
            });
          },
          rollback: async () => {
            await run('ROLLBACK').catch(() => {});
          },
          // A statement that fails aborts the transaction; a refusal of this service does not.
          isUsable: (error) => error instanceof ServiceError || error instanceof Outdated,
          // After a commit of unknown outcome, none of its transactions may be made again.
          isLost: (error) => isConnectionFailure(error) || isStorageFailure(error),
        },
        group,
      );
    });
  }

  /** Finds the outcome of a commit whose connection broke. */
  async #outcomeOf(xid: string): Promise<'committed' | 'aborted' | 'unknown'> {
    for (const end = Date.now() + TIMEOUT.outcome; Date.now() < end; await pause(100)) {
      const found = await this.#pool
        .run('SELECT pg_xact_status(CAST($1 AS xid8))', [xid])
        .catch(() => undefined);
      const status = found?.rows[0]?.[0];
      if (status === 'committed' || status === 'aborted') return status;
    }
    return 'unknown';
  }
}

function outcomeUnknown(cause: unknown): ServiceError {
  return new ServiceError(
    'storage_unavailable',
    'The connection to the database broke during a commit. It is unknown whether the change was made.',
    [],
    { cause },
  );
}

/**
 * Fills an empty database in one transaction.
 *
 * @throws ServiceError `store_incompatible` if it has records
 */
export async function copyIntoPostgresql(
  url: string,
  copy: (target: Connection) => Promise<void>,
): Promise<void> {
  const pool = openPool(url, { log: SILENT_LOG, connections: 1, statementTimeout: 0 });
  try {
    await pool.connected(layTables);
    await pool.connected(async (run) => {
      await run('BEGIN');
      await run(`SELECT pg_advisory_xact_lock(${WRITER})`);
      const { rows } = await run('SELECT count(*) FROM accession_area');
      if (rows[0]?.[0] !== 0)
        throw new ServiceError(
          'store_incompatible',
          'The database has a store already, expected an empty one.',
        );
      await copy(connectionOn(run));
      await run('COMMIT');
    });
  } catch (error) {
    throw databaseFailure(error, 'Copying into the database');
  } finally {
    await pool.close();
  }
}
