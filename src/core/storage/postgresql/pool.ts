/** A pool of connections to PostgreSQL: prepared statements, pieces of work on one connection. */
import pg from 'pg';
import { KEEP, TIMEOUT } from '../../durations.ts';
import type { StoreLog } from '../log.ts';
import { Primary } from './primary.ts';
import { requireDatabaseUrl } from './url.ts';

export type PoolOptions = {
  readonly log: StoreLog;
  /** The most connections that requests use; one more listens for notifications. Default 10. */
  readonly connections?: number;
  /** How long a request waits for a connection, in milliseconds. Default 5000. */
  readonly connectTimeout?: number;
  /** How long one statement may take, in milliseconds; 0 for no limit. Default 30,000. */
  readonly statementTimeout?: number;
  /** Whether a server that refuses writes is used. Default false. */
  readonly readOnly?: boolean;
};

/** Runs one statement; rows are arrays. With values, it is prepared once per connection. */
export type Run = (
  sql: string,
  values?: readonly unknown[],
) => Promise<{ readonly columns: readonly string[]; readonly rows: unknown[][]; readonly count: number }>;

export type Pool = {
  readonly url: string;
  readonly primary: Primary;
  readonly statementTimeout: number;
  /** Runs one statement on any connection. */
  readonly run: Run;
  /**
   * Runs a piece of work on one connection. What it sends without waiting travels together. `isCurrent` returns whether the
   * connection leads to the primary server, as far as is known by then.
   */
  connected<T>(work: (run: Run, isCurrent: () => boolean) => Promise<T>): Promise<T>;
  close(): Promise<void>;
};

/**
 * The planner knows nothing of a table that has just been filled, and a prepared plan outlives its statistics. These
 * settings make it follow the indexes, which fit every prepared statement here, at any size of the table.
 */
const SETTINGS = [
  'SET plan_cache_mode = force_generic_plan',
  'SET enable_seqscan = off',
  'SET enable_sort = off',
  'SET jit = off',
  // The pages that have a common word are a bitmap. Of a million records, it has some 10 MB; with less memory, all records of a page are read.
  "SELECT set_config('work_mem', '16MB', false) WHERE pg_size_bytes(current_setting('work_mem')) < pg_size_bytes('16MB')",
  'SET idle_in_transaction_session_timeout = 60000',
];

/**
 * When a machine is lost without a word, the server notices it by these: after 20 seconds, not after the 2 hours that are
 * usual. Other engines lack them.
 */
export const KEEPALIVES = [
  'SET tcp_keepalives_idle = 5',
  'SET tcp_keepalives_interval = 5',
  'SET tcp_keepalives_count = 3',
  'SET tcp_user_timeout = 20000',
];
/** The driver notices the loss of the server likewise. In milliseconds. */
export const KEEPALIVE = { keepAlive: true, keepAliveInitialDelayMillis: 5000 } as const;

/** 64-bit integers arrive as numbers: revisions and microseconds stay far below 2^53. */
const INT8 = 20;
const BOOL = 16;

/** Makes the pool; the first statement connects. @throws ServiceError `config_invalid` */
export function openPool(url: string, options: PoolOptions): Pool {
  requireDatabaseUrl(url);
  const { statementTimeout = 30_000, readOnly = false, log } = options;
  const primary = new Primary(readOnly, log);
  const types = new pg.TypeOverrides();
  types.setTypeParser(INT8, Number);
  // Truth values are 0 and 1, as on SQLite.
  types.setTypeParser(BOOL, (text) => (text === 't' ? 1 : 0) as unknown as boolean);
  const settings: pg.PoolConfig & {
    pipeline: boolean;
    onConnect(client: pg.ClientBase): Promise<void>;
  } = {
    connectionString: url,
    max: options.connections ?? 10,
    connectionTimeoutMillis: options.connectTimeout ?? 5000,
    // For a server that is gone without a word: the connection is given up.
    ...(statementTimeout > 0 && { query_timeout: statementTimeout + TIMEOUT.statementReserve }),
    application_name: 'accession',
    ...KEEPALIVE,
    // So a busy instance, too, notices that the URL leads to another server.
    maxLifetimeSeconds: KEEP.connection / 1000,
    types,
    // Statements that are sent without waiting travel together.
    pipeline: true,
    async onConnect(client) {
      // Between the moment at which the pool hands a connection out and the next turn, nothing else listens: without this,
      // a server that ends the connection just then would end the process. The next statement gets the error.
      client.on('error', () => {});
      // Other engines lack some of these settings and need none of them. Poolers refuse them as parameters of a connection.
      for (const setting of [...SETTINGS, ...KEEPALIVES, `SET statement_timeout = ${statementTimeout}`])
        client.query(setting).catch(() => {});
      await primary.admit(client);
    },
  };
  const pool = new pg.Pool(settings);
  // An idle connection that the server closes is replaced when the next one is needed.
  pool.on('error', (error) => log.warn({ err: error }, 'lost an idle database connection'));
  const nameOf = statementNames();

  async function currentClient(): Promise<pg.PoolClient> {
    for (;;) {
      const client = await pool.connect();
      if (primary.isCurrent(client)) return client;
      client.release(true);
    }
  }

  const connected: Pool['connected'] = async (work) => {
    const client = await currentClient();
    let broken: Error | boolean = false;
    const onError = (error: Error) => {
      broken = error;
    };
    client.on('error', onError);
    try {
      return await work(runOn(client, nameOf), () => primary.isCurrent(client));
    } catch (error) {
      // It may be inside of a transaction.
      broken ||= true;
      throw error;
    } finally {
      client.off('error', onError);
      client.release(broken);
    }
  };

  return {
    url,
    primary,
    statementTimeout,
    run: (sql, values) => connected((run) => run(sql, values)),
    connected,
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
export async function together<T>(sent: readonly Promise<T>[]): Promise<T[]> {
  const outcomes = await Promise.allSettled(sent);
  const errors = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []));
  if (errors.length > 0) throw errors.find(({ code }) => code !== ABORTED) ?? errors[0];
  return outcomes.map((outcome) => (outcome as PromiseFulfilledResult<T>).value);
}

function runOn(target: pg.PoolClient, nameOf: (sql: string) => string): Run {
  return async (sql, values) => {
    const config = values
      ? { text: sql, values: [...values], name: nameOf(sql), rowMode: 'array' as const }
      : { text: sql, rowMode: 'array' as const };
    const result: pg.QueryArrayResult = await target.query(config);
    return {
      columns: result.fields?.map(({ name }) => name) ?? [],
      rows: (result.rows ?? []) as unknown[][],
      count: result.rowCount ?? 0,
    };
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
