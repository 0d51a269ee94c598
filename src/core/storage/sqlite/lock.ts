/** One process at a time owns a database, or a directory. */
import { DatabaseSync } from 'node:sqlite';
import { ServiceError } from '../../errors.ts';

export type Lock = { release(): void };

/**
 * Takes a lock that the operating system holds for this process, and that ends with it however it ends: there are no
 * stale locks. It is the lock of an empty SQLite database, which Node can take on every platform.
 *
 * @param what is owned, for the refusal
 * @throws ServiceError `store_incompatible` if another process has it
 */
export function takeLock(file: string, what: string): Lock {
  const database = new DatabaseSync(file, { timeout: 0 });
  try {
    database.exec('PRAGMA journal_mode = MEMORY; PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
  } catch (error) {
    database.close();
    if ((error as { errcode?: number }).errcode !== SQLITE_BUSY) throw error;
    throw new ServiceError('store_incompatible', `${what} is in use by another process.`);
  }
  return { release: () => database.close() };
}

const SQLITE_BUSY = 5;
