/** A store that is only read, of an area that a service in another process owns and writes. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { ServiceError } from '../errors.ts';
import type { Jobs } from '../jobs/jobs.ts';
import type { Memory } from '../memory/memory.ts';
import { whenFree } from './database.ts';
import { FollowedTable, requireLayout } from './followed-table.ts';
import { RecordTable } from './record-table.ts';
import type { RecordStore } from './store.ts';
import { hasRecords, layTables } from './table-layout.ts';
import { type TableStoreOptions, tableStore } from './table-store.ts';

export type FollowOptions = {
  /** Whether `matching` is honored. */
  readonly matching: boolean;
  /** Where long records are matched. */
  readonly texts: Jobs;
  readonly memory: Memory;
  /** The store of all areas that are missing, made when it is first needed. */
  readonly missing: () => RecordStore;
};

/** Readers wait for the owner only while it opens or closes the database, in milliseconds. */
const WAIT = 100;

/**
 * Opens the database of an area. Every read sees the last commit of its owner; writes throw `read_only`. A missing area
 * is empty.
 *
 * @param file the path of the database in the directory
 * @throws ServiceError `storage_unavailable` for a database of another release, and for records without one
 */
export async function openFollowed(
  directory: string,
  file: string,
  { missing, ...options }: FollowOptions,
): Promise<RecordStore> {
  const path = join(directory, file);
  const database = existsSync(path) ? await whenFree(() => openToRead(path)) : undefined;
  if (!database) {
    if (hasUnknownRecords(directory)) throw notOpened();
    return missing();
  }
  options.memory.connections.add(database);
  return followed(database, new FollowedTable(database, path), { ...options, follows: true }, 'present');
}

/** Undefined if the owner is about to make it. */
function openToRead(path: string): DatabaseSync | undefined {
  const database = new DatabaseSync(path, { readOnly: true, timeout: WAIT });
  try {
    database.exec('PRAGMA temp_store = MEMORY');
    if (hasRecords(database)) {
      requireLayout(database);
      return database;
    }
  } catch (error) {
    database.close();
    throw error;
  }
  database.close();
  return undefined;
}

/** What an area is that its owner has not made yet; it needs no closing. */
export function missingArea(): RecordStore {
  const database = new DatabaseSync(':memory:');
  layTables(database, () => {});
  const store = followed(database, new RecordTable(database), { matching: false }, 'missing');
  return { ...store, close: async () => {} };
}

function followed(
  database: DatabaseSync,
  table: RecordTable,
  options: TableStoreOptions,
  state: RecordStore['followed'] & string,
): RecordStore {
  const store = tableStore(database, table, options);
  const refuse = async () => {
    throw readOnly();
  };
  return {
    ...store,
    followed: state,
    write: refuse,
    restore: refuse,
    prune: refuse,
    links: { ...store.links, fill: refuse },
  };
}

/** Whether a directory has records that no service of this release has opened: files, or a database of the peer. */
function hasUnknownRecords(directory: string): boolean {
  const isOurs = (name: string) => name.startsWith('.') && name !== '.sqlite-records.db';
  return existsSync(directory) && readdirSync(directory).some((name) => !isOurs(name));
}

/** The refusal of a process that only reads. */
export function readOnly(): ServiceError {
  return new ServiceError(
    'read_only',
    'This process only reads the store. Send changes to the service that owns the store.',
  );
}

function notOpened(): ServiceError {
  return new ServiceError(
    'storage_unavailable',
    'The service that owns the store has not opened this area yet.',
  );
}
