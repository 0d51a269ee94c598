/** A PostgreSQL database as this room uses it: a pool of connections, prepared statements, transactions. */
import pg from 'pg';
import { ServiceError } from '../../errors.ts';
import type { StoreLog } from '../log.ts';
import { databaseFailure } from './failures.ts';
import { migrate } from './migrate.ts';

export type DatabaseOptions = {
  readonly log: StoreLog;
  /** The most connections that requests use; one more listens for notifications. Default 10. */
  readonly connections?: number;
  /** How long a request waits for a connection, in milliseconds. Default 5000. */
  readonly connectTimeout?: number;
  /** How long one statement may take, in milliseconds; 0 for no limit. Default 30,000. */
  readonly statementTimeout?: number;
};

/** Runs one statement. Statements are prepared once per connection unless they are marked `planned`. */
export type Run = <Row>(sql: string, values?: readonly unknown[], options?: RunOptions) => Promise<Row[]>;

/** `planned`: plan the statement for its values each time, which pays off if the best plan depends on them. */
type RunOptions = { readonly planned?: boolean };

export type Database = {
  readonly url: string;
  /** Runs one statement on any connection. */
  readonly query: Run;
  /** Runs a piece of work on one connection. What it sends without waiting travels together. */
  connected<T>(work: (run: Run) => Promise<T>): Promise<T>;
  /** Runs a piece of work in a transaction that only reads and sees one state of the database. */
  snapshot<T>(work: (run: Run) => Promise<T>): Promise<T>;
  close(): Promise<void>;
};

/**
 * The planner knows nothing of a table that has just been filled, and a prepared plan outlives its statistics. These
 * settings make it follow the indexes, which fit every prepared statement here, at any size of the table.
 */
const SETTINGS = [
  'SET plan_cache_mode = force_generic_plan',
  'SET enable_seqscan = off',
  'SET enable_bitmapscan = off',
  'SET enable_sort = off',
  'SET jit = off',
  'SET idle_in_transaction_session_timeout = 60000',
];

/** How much longer than the server the driver waits for a statement to end, in milliseconds. */
const GRACE = 5000;

/** 64-bit integers arrive as numbers: revisions and microseconds stay far below 2^53. */
const INT8 = 20;

/**
 * Opens a database and applies the migrations that it lacks.
 *
 * @throws ServiceError `storage_unavailable` if the server does not answer, `store_incompatible` if a newer release
 *   has migrated the database, `storage_failed` if a migration fails, `config_invalid` for a URL without a scheme
 */
export async function openPostgresql(url: string, options: DatabaseOptions): Promise<Database> {
  // The driver takes any other string for a name in a host that does not exist, which would be waited for.
  if (!/^(postgres(ql)?|socket):|^\//.test(url))
    throw new ServiceError(
      'config_invalid',
      'The database URL has no scheme, expected postgresql://USER@HOST/DATABASE.',
    );
  // Migrations of large tables take as long as they take.
  const migrated = connect(url, { ...options, connections: 1, statementTimeout: 0 });
  try {
    await migrate(migrated, options.log);
  } catch (error) {
    throw databaseFailure(error, 'Opening the database');
  } finally {
    await migrated.close();
  }
  return connect(url, options);
}

/** Makes the pool; the first statement connects. */
function connect(url: string, options: DatabaseOptions): Database {
  const { statementTimeout = 30_000 } = options;
  const types = new pg.TypeOverrides();
  types.setTypeParser(INT8, Number);
  const settings: pg.PoolConfig & { pipeline: boolean } = {
    connectionString: url,
    max: options.connections ?? 10,
    connectionTimeoutMillis: options.connectTimeout ?? 5000,
    // For a server that is gone without a word: the connection is given up.
    ...(statementTimeout > 0 && { query_timeout: statementTimeout + GRACE }),
    application_name: 'accession',
    keepAlive: true,
    types,
    // What is sent without waiting travels together.
    pipeline: true,
  };
  const pool = new pg.Pool(settings);
  // An idle connection that the server closes is replaced when the next one is needed.
  pool.on('error', (error) => options.log.warn({ err: error }, 'lost an idle database connection'));
  pool.on('connect', (client) => {
    // Between the moment at which the pool hands a connection out and the next turn, nothing else listens: without this,
    // a server that ends the connection just then would end the process. The next statement gets the error.
    client.on('error', () => {});
    // Other engines lack some of these settings and need none of them. Poolers refuse them as parameters of a connection.
    for (const setting of [...SETTINGS, `SET statement_timeout = ${statementTimeout}`])
      client.query(setting).catch(() => {});
  });

  const nameOf = statementNames();
  const connected = async <T>(work: (run: Run) => Promise<T>): Promise<T> => {
    const client = await pool.connect();
    let broken: Error | boolean = false;
    const onError = (error: Error) => {
      broken = error;
    };
    client.on('error', onError);
    try {
      return await work(runOn(client, nameOf));
    } finally {
      client.off('error', onError);
      // A connection that is left inside a transaction is not given to the next one.
      client.release(broken || transactionStatus(client) !== 'I');
    }
  };

  return {
    url,
    query: runOn(pool, nameOf),
    connected,
    snapshot: (work) =>
      connected(async (run) => {
        const begun = run('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
        begun.catch(() => {});
        const result = await work(run);
        await begun;
        await run('COMMIT');
        return result;
      }),
    close: async () => {
      if (!pool.ending) await pool.end();
    },
  };
}

/** After an error, the server refuses the rest of a transaction with this code. */
const ABORTED = '25P02';

/**
 * Waits for statements that were sent together.
 *
 * @throws the error of the statement that failed, not one of those that failed because of it
 */
export async function together<T extends readonly unknown[]>(
  sent: readonly [...T],
): Promise<{ -readonly [index in keyof T]: Awaited<T[index]> }> {
  const outcomes = await Promise.allSettled(sent);
  const errors = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []));
  if (errors.length > 0) throw errors.find(({ code }) => code !== ABORTED) ?? errors[0];
  return outcomes.map((outcome) => (outcome as PromiseFulfilledResult<unknown>).value) as never;
}

function runOn(target: pg.Pool | pg.PoolClient, nameOf: (sql: string) => string): Run {
  return async <Row>(sql: string, values?: readonly unknown[], options?: RunOptions) => {
    if (!values) return (await target.query(sql)).rows as Row[];
    const prepared = options?.planned ? undefined : nameOf(sql);
    const { rows } = await target.query({
      text: sql,
      values: [...values],
      ...(prepared && { name: prepared }),
    });
    return rows as Row[];
  };
}

/** Names for statements, by which the connections of a pool know them as prepared: each has one. */
function statementNames(): (sql: string) => string {
  const names = new Map<string, string>();
  return (sql) => {
    let name = names.get(sql);
    if (name === undefined) {
      name = `accession_${names.size + 1}`;
      names.set(sql, name);
    }
    return name;
  };
}

/** The driver keeps it and its types lack it: `I` outside of transactions. */
function transactionStatus(client: pg.PoolClient): string {
  return (client as unknown as { getTransactionStatus(): string }).getTransactionStatus();
}
