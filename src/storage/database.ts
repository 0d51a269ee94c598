/** SQLite as this room uses it: durable, shared with other processes, and with errors that speak of storage. */
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { ServiceError } from '../errors.ts';

/** How long another process may keep the database to itself before an operation gives up, in milliseconds. */
const BUSY_TIMEOUT = 10_000;
/**
 * Memory for pages, in KiB, used as far as an area needs it: the upper pages of the trees of a million records. Below
 * them, the system keeps the pages.
 */
const CACHE = 8_000;

/** Opens, or makes, a database whose commits are on disk when they return. */
export function openDatabase(file: string): DatabaseSync {
  const database = new DatabaseSync(file, { timeout: BUSY_TIMEOUT });
  database.exec(
    `PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA cache_size = -${CACHE}; PRAGMA temp_store = MEMORY`,
  );
  return database;
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

/** What a failure of the medium, or of SQLite, is to the rest of the service; its own errors pass. */
export function storageFailure(error: unknown, doing: string): ServiceError {
  if (error instanceof ServiceError) return error;
  const { code, errcode } = error as { code?: string; errcode?: number };
  const full = code === 'ENOSPC' || code === 'EDQUOT' || errcode === SQLITE_FULL;
  const reason = full ? 'there is no room left on the medium' : 'the medium reported a failure';
  return new ServiceError('storage_failed', `${doing} failed, and nothing was changed: ${reason}.`, [], {
    cause: error,
  });
}

const SQLITE_FULL = 13;
