/** SQLite as this room uses it: durable, shared with other processes, and with errors in terms of storage. */
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import { isDiskFull, ServiceError } from '../errors.ts';

/** How long a statement waits for another process, in milliseconds: all requests of this process wait with it. */
const SHORT_WAIT = 5;
/** How long a program that serves no requests waits, in milliseconds. */
export const LONG_WAIT = 10_000;
/** How long {@link whenFree} retries, in milliseconds, and the longest pause between two attempts. */
const LOCK_PATIENCE = 10_000;
const LONGEST_PAUSE = 25;
/**
 * Memory for pages, in KiB, used as far as an area needs it: the upper pages of the trees. Below them, the system keeps the
 * pages. With a million records, 8 MB made no statement cheaper.
 */
export const PAGE_CACHE = 2_000;

/**
 * A limit that is a parameter. SQLite plans with the value of a bare `LIMIT ?`, so it would prepare the statement again
 * for each call.
 */
export const LIMIT = 'LIMIT CAST(? AS INTEGER)';

/** The same with an offset, which is the second parameter. */
export const LIMIT_OFFSET = `${LIMIT} OFFSET CAST(? AS INTEGER)`;

/**
 * Opens, or creates, a database whose commits are on disk when they return.
 *
 * @param wait how long each statement waits for another process, in milliseconds
 */
export function openDatabase(file: string, wait = SHORT_WAIT): DatabaseSync {
  const database = new DatabaseSync(file, { timeout: wait });
  try {
    database.exec(
      `PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA cache_size = -${PAGE_CACHE}; PRAGMA temp_store = MEMORY`,
    );
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Prepares statements once, on first use. */
export function statements(database: DatabaseSync): (sql: string) => StatementSync {
  const prepared = new Map<string, StatementSync>();
  return (sql) => {
    let statement = prepared.get(sql);
    if (!statement) {
      statement = database.prepare(sql);
      prepared.set(sql, statement);
    }
    return statement;
  };
}

/** The same for statements whose rows are arrays of columns, which cost much less than objects. */
export function arrayStatements(database: DatabaseSync): (sql: string) => StatementSync {
  const prepared = statements(database);
  const known = new Set<string>();
  return (sql) => {
    const statement = prepared(sql);
    if (!known.has(sql)) {
      statement.setReturnArrays(true);
      known.add(sql);
    }
    return statement;
  };
}

/** Runs a piece of work in a transaction: all of it is on disk afterwards, or nothing. */
export function transaction<T>(database: DatabaseSync, work: () => T): T {
  database.exec('BEGIN IMMEDIATE');
  try {
    const result = work();
    database.exec('COMMIT');
    return result;
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK');
    throw error;
  }
}

/**
 * The same for what can be made again after a power failure: the disk is not waited for. The end of the process takes
 * nothing back.
 */
export function relaxedTransaction<T>(database: DatabaseSync, work: () => T): T {
  database.exec('PRAGMA synchronous = NORMAL');
  try {
    return transaction(database, work);
  } finally {
    database.exec('PRAGMA synchronous = FULL');
  }
}

/**
 * Repeats work that fails because another process has locked the database, while other requests get their turns.
 * Anything else that the work throws passes; the work must leave nothing behind when it throws.
 *
 * @throws the last failure when the database stays locked for 10 seconds
 */
export async function whenFree<T>(work: () => T, patience = LOCK_PATIENCE): Promise<T> {
  const end = performance.now() + patience;
  for (;;) {
    try {
      return work();
    } catch (error) {
      if (!isBusy(error) || performance.now() > end) throw error;
    }
    // At random: a process that commits without a pause leaves the lock free only for moments.
    await delay(1 + Math.random() * LONGEST_PAUSE);
  }
}

/** Whether an error says that another process, or another connection, has locked the database. */
export function isBusy(error: unknown): boolean {
  const { errcode } = error as { errcode?: number };
  return errcode !== undefined && (errcode & 0xff) === SQLITE_BUSY;
}

/** Turns a failure of the disk, or of SQLite, into an error of the service; errors of the service pass. */
export function storageFailure(error: unknown, doing: string): ServiceError {
  if (error instanceof ServiceError) return error;
  if (isDiskFull(error)) return diskFull(doing, error);
  const reason = isBusy(error) ? 'another process has locked the database' : 'the medium reported a failure';
  return new ServiceError('storage_failed', `${doing} failed, and nothing was changed: ${reason}.`, [], {
    cause: error,
  });
}

/** There is no room on the disk. */
export function diskFull(doing: string, cause?: unknown): ServiceError {
  const message = `${doing} failed, and nothing was changed: the disk of the store is full.`;
  return new ServiceError('storage_full', message, [], { cause });
}

const SQLITE_BUSY = 5;
