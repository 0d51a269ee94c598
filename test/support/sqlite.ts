/** A connection of a test's own to a file of SQLite, beside that of a service. */
import { DatabaseSync, type DatabaseSyncOptions } from 'node:sqlite';

/**
 * Waits as the service does while the other one writes: without it a statement fails with `database is locked` at the
 * moments at which a service that looks idle stores what it found.
 */
export function sqliteAt(file: string, options?: Pick<DatabaseSyncOptions, 'readOnly'>): DatabaseSync {
  return new DatabaseSync(file, { timeout: 10_000, ...options });
}
