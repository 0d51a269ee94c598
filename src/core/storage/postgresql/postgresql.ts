/** The database in PostgreSQL. Several instances share it: one writes at a time, and one leads. */
import { ServiceError } from '../../errors.ts';
import type { Connection } from '../connection.ts';
import type { Database } from '../database.ts';
import { POSTGRESQL } from '../dialect.ts';
import type { Engine } from '../engine.ts';
import { ddl, GENERATION, LAYOUT, newGeneration, requirePresentLayout, stepsFrom } from '../layout.ts';
import { SILENT_LOG, type StoreLog } from '../log.ts';
import { databaseOn } from '../open-database.ts';
import { missingTables, requireTables, type TablesOfModules } from '../tables.ts';
import { coordinate } from './coordination.ts';
import { databaseFailure } from './failures.ts';
import { GroupQueue } from './group-queue.ts';
import { openPool, type Pool, type PoolOptions, type Run } from './pool.ts';
import { connectionOn, WRITER, Writer } from './writer.ts';

type PostgresqlOptions = Omit<PoolOptions, 'log'> & {
  readonly log?: StoreLog;
  /** Whether this instance may lead. Default true. */
  readonly leads?: boolean;
  /** Whether every write is refused. */
  readonly readOnly?: boolean;
  /** The tables of modules, which are made if they are missing. */
  readonly tables?: TablesOfModules;
};

/** The advisory lock of instances that lay the tables; any constant will do. */
const LAYING = 4_237_001;

/**
 * Opens a database and lays its tables if it has none.
 *
 * @param url `postgresql://user:password@host:port/database?…`
 * @throws ServiceError `storage_unavailable` if the server does not answer or is not the primary, `store_incompatible` for the layout of another
 *   release, `config_invalid` for a URL that the driver would misread
 */
export async function openPostgresqlDatabase(
  url: string,
  options: PostgresqlOptions = {},
): Promise<Database> {
  const { log = SILENT_LOG, leads = true, readOnly = false, tables } = options;
  const pool = openPool(url, { ...options, log, readOnly });
  try {
    await pool.connected((run) => layTables(run, tables, readOnly));
  } catch (error) {
    await pool.close();
    throw databaseFailure(error, 'Opening the database');
  }
  return databaseOn(engineOn(pool, { log, leads, readOnly }));
}

const FORMER_TABLES =
  'The database has the tables of release 0.2. Copy it to a store directory with `accession copy-store` of that release, ' +
  'and start this release with that directory and an empty database.';

async function layTables(run: Run, modules?: TablesOfModules, readOnly = false): Promise<void> {
  await run('BEGIN');
  // Instances that start together wait for one another.
  await run(`SELECT pg_advisory_xact_lock(${LAYING})`);
  const { rows } = await run("SELECT to_regclass('accession_meta') IS NOT NULL");
  if (rows[0]?.[0]) {
    const known = await run("SELECT value FROM accession_meta WHERE key = 'layout'");
    const layout = Number(known.rows[0]?.[0]);
    if (readOnly) requirePresentLayout(layout, 'The database');
    else await upgrade(run, layout);
  } else {
    const former = await run("SELECT to_regclass('accession_migration') IS NOT NULL");
    if (former.rows[0]?.[0]) throw new ServiceError('store_incompatible', FORMER_TABLES);
    await run(ddl(POSTGRESQL));
    const insert = 'INSERT INTO accession_meta VALUES ($1, $2)';
    await run(insert, ['layout', String(LAYOUT)]);
    await run(insert, [GENERATION, newGeneration()]);
  }
  const stored = await run('SELECT key, value FROM accession_meta');
  const meta = new Map(stored.rows as unknown as [string, string][]);
  if (readOnly) requireTables(modules ?? {}, meta);
  else await layModuleTables(run, modules, meta);
  await run('COMMIT');
}

/** Leads a former layout to the present one; none of its rows is rewritten. */
async function upgrade(run: Run, layout: number): Promise<void> {
  const steps = stepsFrom(layout, 'The database', POSTGRESQL);
  if (steps.length === 0) return;
  await run('SET LOCAL statement_timeout = 0');
  for (const sql of steps) await run(sql);
  await run("UPDATE accession_meta SET value = $1 WHERE key = 'layout'", [String(LAYOUT)]);
}

async function layModuleTables(
  run: Run,
  modules: TablesOfModules | undefined,
  stored: ReadonlyMap<string, string>,
): Promise<void> {
  const existing = await run("SELECT relname FROM pg_class WHERE relkind = 'r' AND pg_table_is_visible(oid)");
  const names = new Set(existing.rows.map(([name]) => name));
  const { statements, meta } = missingTables(modules, {
    meta: stored,
    has: (table) => names.has(table),
    dialect: POSTGRESQL,
  });
  // Rows of a module that is absent may be many.
  if (statements.length > 0) await run('SET LOCAL statement_timeout = 0');
  for (const statement of statements) await run(statement);
  for (const row of meta)
    await run(
      'INSERT INTO accession_meta VALUES ($1, $2) ON CONFLICT (key) DO UPDATE SET value = excluded.value',
      [...row],
    );
}

function engineOn(
  pool: Pool,
  { log, leads, readOnly }: Required<Pick<PostgresqlOptions, 'log' | 'leads' | 'readOnly'>>,
): Engine {
  const coordination = coordinate(pool, { leads: leads && !readOnly, readOnly, log });
  const writer = new Writer(pool);
  const queue = new GroupQueue((group) => writer.commit(group));
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
    commit: (transaction) => queue.commit(transaction),
    failure: databaseFailure,
    // The server examines its files.
    problem: async () => undefined,
    probe: async () => {
      if (!readOnly) await writer.probe();
    },
    announce(areas) {
      for (const area of areas) coordination.announce(area);
    },
    onForeignChange: (callback) => coordination.onChange(callback),
    leadership: coordination.leadership,
    async size() {
      const sql = 'SELECT pg_database_size(current_database())';
      const { rows } = await pool.run(sql).catch(() => ({ rows: [] as unknown[][] }));
      return { bytes: rows[0] ? Number(rows[0][0]) : null, log: null };
    },
    logSize: async () => null,
    async close() {
      await coordination.close();
      await writer.close();
      await pool.close();
    },
  };
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
    await pool.connected((run) => layTables(run));
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
