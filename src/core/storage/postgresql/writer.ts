/**
 * Commits groups of transactions to PostgreSQL, one group at a time in all instances.
 *
 * Each group writes a random mark into a row of its instance. If the connection breaks during the commit, that row shows
 * whether the group was made. The number that the server gives a transaction does not: after a crash, it may give the
 * number of a transaction that it has lost to another one.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { KEEP, TIMEOUT } from '../../durations.ts';
import { isServiceError, isStorageFailure, ServiceError } from '../../errors.ts';
import type { Connection } from '../connection.ts';
import type { Transaction } from '../database.ts';
import { POSTGRESQL } from '../dialect.ts';
import { TransactionConflict } from '../write/apply.ts';
import { applyGroup, type Outcome } from '../write/group.ts';
import { isConnectionFailure } from './failures.ts';
import { type Pool, type Run, together } from './pool.ts';

/** The advisory lock of the writer; any constant will do. */
export const WRITER = 4_237_003;

/** Rows of instances that have ended without deleting theirs are kept up to this number. */
const MOST_INSTANCES = 100;
const MARK =
  'INSERT INTO accession_meta (key, value) VALUES ($1, $2) ON CONFLICT (key) DO UPDATE SET value = excluded.value';
/** The rows that were written the longest ago, but for those that are being written. */
const FORGET = `DELETE FROM accession_meta WHERE key IN (
  SELECT key FROM accession_meta WHERE key LIKE 'instance %' ORDER BY age(xmin) OFFSET ${2 * MOST_INSTANCES}
  FOR UPDATE SKIP LOCKED)`;

/** Without a limit of time: a commit that waits for a standby is confirmed by the server when the limit ends it. */
const COMMIT = 'SET LOCAL statement_timeout = 0; COMMIT';

/** The statements of this service on a connection. */
export function connectionOn(run: Run): Connection {
  return {
    dialect: POSTGRESQL,
    tuples: async <Row extends readonly unknown[]>(sql: string, values: readonly unknown[] = []) =>
      (await run(sql, values)).rows as unknown as Row[],
    run: async (sql, values = []) => (await run(sql, values)).count,
    each: async (statements) =>
      (await together(statements.map(({ sql, values }) => run(sql, values)))).map(({ count }) => count),
    many: async (sql, rows) => void (await together(rows.map((values) => run(sql, values)))),
  };
}

type Commit = 'made' | 'not made' | 'unknown';

export class Writer {
  readonly #pool: Pool;
  readonly #begin: string;
  /** The keys of two rows of this process. */
  readonly #mark: string;
  readonly #probed: string;
  #isKnown = false;
  #probing: Promise<void> | undefined;
  #accepted = Number.NEGATIVE_INFINITY;

  constructor(pool: Pool) {
    this.#pool = pool;
    const instance = randomUUID();
    this.#mark = `instance ${instance} commit`;
    this.#probed = `instance ${instance} probe`;
    // A store may wait for the group before its own one and then for the lock: together not longer than for a statement.
    const lockTimeout = Math.floor(pool.statementTimeout / 2);
    // The others do not wait long for an instance that is lost.
    this.#begin = `BEGIN; SET LOCAL idle_in_transaction_session_timeout = ${TIMEOUT.idleWriter}; SET LOCAL lock_timeout = ${lockTimeout}`;
  }

  commit(group: readonly Transaction[]): Promise<Outcome[]> {
    return this.#pool.connected(async (run, isCurrent) => {
      await this.#introduce(run);
      let mark = '';
      return applyGroup(
        {
          ...connectionOn(run),
          begin: async () => {
            mark = randomUUID();
            await together([
              run(this.#begin),
              run(`SELECT pg_advisory_xact_lock(${WRITER})`),
              run(MARK, [this.#mark, mark]),
            ]);
          },
          commit: async () => {
            const error: unknown = await run(COMMIT).then(
              () => undefined,
              (error) => error,
            );
            // The successor of a server may lack what the server confirms.
            if (error === undefined && isCurrent()) return;
            const isOpen = error === undefined || isConnectionFailure(error);
            const outcome = isOpen ? await this.#outcomeOf(mark) : 'not made';
            if (outcome === 'unknown') throw outcomeUnknown(error);
            if (outcome === 'not made') throw error ?? outcomeUnknown(error);
          },
          rollback: async () => {
            await run('ROLLBACK').catch(() => {});
          },
          // A statement that fails aborts the transaction; a refusal of this service does not.
          isUsable: (error) => isServiceError(error) || error instanceof TransactionConflict,
          // After a commit of unknown outcome, none of its transactions may be made again.
          isLost: (error) => isConnectionFailure(error) || isStorageFailure(error),
        },
        group,
      );
    });
  }

  /** See {@link Database.requireWritable}. */
  async probe(): Promise<void> {
    if (performance.now() - this.#accepted < KEEP.health) return;
    this.#probing ??= this.#write().finally(() => {
      this.#probing = undefined;
    });
    const late = pause(TIMEOUT.writeProbe, true, { ref: false });
    if ((await Promise.race([this.#probing, late])) !== true) return;
    const message = `Writing failed: the database did not commit a row within ${TIMEOUT.writeProbe / 1000} seconds.`;
    throw new ServiceError('storage_unavailable', message);
  }

  async #write(): Promise<void> {
    const at = performance.now();
    await this.#pool.connected(async (run) => {
      await together([run(this.#begin), run(MARK, [this.#probed, '']), run(COMMIT)]);
    });
    this.#accepted = at;
  }

  /** Makes the row before the first commit: if it is missing after a commit, another instance has removed it. */
  async #introduce(run: Run): Promise<void> {
    if (this.#isKnown) return;
    await run(FORGET);
    await run(MARK, [this.#mark, '']);
    this.#isKnown = true;
  }

  /** Finds the outcome of a commit whose connection broke. */
  async #outcomeOf(mark: string): Promise<Commit> {
    const end = performance.now() + TIMEOUT.outcome;
    const ask = async (): Promise<Commit> => {
      for (; performance.now() < end; await pause(100)) {
        const outcome = await this.#pool.connected((run) => this.#read(run, mark)).catch(() => undefined);
        if (outcome) return outcome;
      }
      return 'unknown';
    };
    return Promise.race([ask(), pause(TIMEOUT.outcome, 'unknown' as const, { ref: false })]);
  }

  /**
   * Writes the row as it is: that waits for a transaction that still has it, fails on a server that is not the primary, and what
   * it has read is as durable as its own commit when that has returned.
   */
  async #read(run: Run, mark: string): Promise<Commit> {
    const [, found] = await together([
      run(this.#begin),
      run('UPDATE accession_meta SET value = value WHERE key = $1 RETURNING value', [this.#mark]),
      run(COMMIT),
    ]);
    const [row] = found!.rows;
    if (!row) return 'unknown';
    return row[0] === mark ? 'made' : 'not made';
  }

  /** Deletes the rows of this process, if the database lets it. */
  async close(): Promise<void> {
    if (!this.#isKnown && this.#accepted < 0) return;
    const sql = 'DELETE FROM accession_meta WHERE key IN ($1, $2)';
    await this.#pool.run(sql, [this.#mark, this.#probed]).catch(() => {});
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
