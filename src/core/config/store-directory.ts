/** The directory of a store, as it is found before it is opened. */
import { accessSync, constants, existsSync, mkdtempSync, realpathSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ServiceError } from '../errors.ts';
import { noteFile, readNote, removeNote, writeNote } from './notes.ts';
import { PRIVATE_FOLDER } from './paths.ts';
import { CONFIGURATION_AREA } from './record.ts';

/** The database of a service without `--database-url`, in its store directory. */
export const DATABASE_FILE = 'accession.db';

/** The folder of the log of the configuration, in the private folder. */
export const CONFIGURATION_LOG = 'config_audit';

/** A directory, and what ends its use. */
type Directory = { readonly root: string; close(): Promise<void> };

/** Where a service has its data. */
type Where = { readonly store?: string; readonly databaseUrl?: string };

/** The store directory; a service that has all in its database gets an empty one for its run. */
export function rootDirectory({ store, databaseUrl }: Where): Directory {
  if (store !== undefined) return { root: storeDirectory(store), close: async () => {} };
  if (databaseUrl === undefined) {
    throw new ServiceError('config_invalid', 'The service needs a store directory or a database.');
  }
  return temporaryDirectory('accession-');
}

export function temporaryDirectory(prefix: string): Directory {
  const root = realpathSync(mkdtempSync(join(tmpdir(), prefix)));
  return { root, close: async () => rmSync(root, { recursive: true, force: true }) };
}

/** @throws ServiceError `config_invalid` if the directory does not exist, or may not be read */
export function storeDirectory(path: string): string {
  const found = statSync(path, { throwIfNoEntry: false });
  if (!found) throw new ServiceError('config_invalid', `The store directory ${path} does not exist.`);
  if (!found.isDirectory())
    throw new ServiceError('config_invalid', `The store ${path} is a file, expected a directory.`);
  requireReadable(path);
  return realpathSync(path);
}

/**
 * Refuses a store that was used and has lost its database: with a new one, all but the files of records would be gone.
 *
 * @throws ServiceError `storage_failed`
 */
export function requireDatabase(root: string): void {
  const file = join(root, DATABASE_FILE);
  requireReadable(file);
  const has = (path: string) => existsSync(join(root, path));
  const isAdopted = has(`${DATABASE_FILE}.lock`) || !has(CONFIGURATION_AREA);
  const wasUsed =
    isAdopted && has(join(PRIVATE_FOLDER, CONFIGURATION_LOG)) && !has(`${DATABASE_FILE}.adopting`);
  const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  if (!wasUsed || size > 0) return;
  const moved = movedStore(root);
  if (moved !== undefined) throw new ServiceError('storage_failed', moved);
  throw new ServiceError(
    'storage_failed',
    `The store ${root} was used, and its database ${DATABASE_FILE} is ${existsSync(file) ? 'empty' : 'missing'}. ` +
      'Put it back, or restore the last backup: see docs/how-to/back-up.md.',
  );
}

/** Explains that the service of a store directory used a PostgreSQL database last; undefined if that is not so. */
export function movedStore(store: string): string | undefined {
  const note = readNote(store, 'database');
  if (note === undefined) return undefined;
  const isThere = existsSync(join(store, DATABASE_FILE));
  return (
    `The service of the store ${store} has used a PostgreSQL database since ${note.since}. To go on with it, set DATABASE_URL or ` +
    `--database-url; back it up with the tools of PostgreSQL (docs/how-to/back-up.md). ` +
    `The ${DATABASE_FILE} of the directory is ${isThere ? 'there, and does not have what was changed since.' : 'not there.'}`
  );
}

/** The service that runs on a store; undefined if there is none, also after a crash. */
export function runningService(store: string) {
  const note = readNote(store, 'service');
  return note && isRunning(note.process) ? note : undefined;
}

function isRunning(id: number): boolean {
  try {
    return process.kill(id, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Explains that the last service on a store has crashed and the log of its database is gone; undefined if that is not so. */
export function lostLog(store: string): string | undefined {
  const hasDatabase =
    existsSync(join(store, DATABASE_FILE)) && !existsSync(join(store, `${DATABASE_FILE}-wal`));
  if (!hasDatabase || !existsSync(join(store, noteFile('service'))) || runningService(store))
    return undefined;
  return `The last service did not stop by itself, and ${DATABASE_FILE}-wal is missing: its last changes may be lost.`;
}

/**
 * Notes in a store directory that its service has the configuration in a database, or no longer does. What else is in
 * the directory is then of an earlier time, and has to be taken for that.
 */
export function noteDatabase(store: string, isUsed: boolean): void {
  if (!isUsed) removeNote(store, 'database');
  else if (!readNote(store, 'database')) writeNote(store, 'database', { since: new Date().toISOString() });
}

/** For another user, a store looks as if it was missing or damaged. @throws ServiceError `config_invalid` */
function requireReadable(path: string): void {
  try {
    accessSync(path, constants.R_OK);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EACCES') return;
    const message = `${path} may not be read by the user ${process.getuid?.()}. Run the command as the owner of the store.`;
    throw new ServiceError('config_invalid', message);
  }
}
