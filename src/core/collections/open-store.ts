/** Opens the database of a service: in its store directory or on PostgreSQL, after a store of another program was adopted. */
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { PRIVATE_FOLDER } from '../config/paths.ts';
import { DATABASE_FILE, requireDatabase, temporaryDirectory } from '../config/store-directory.ts';
import type { Database } from '../storage/database.ts';
import { openPostgresqlDatabase } from '../storage/postgresql/postgresql.ts';
import { layTables, openSqliteDatabase } from '../storage/sqlite/sqlite.ts';
import type { TablesOfModules } from '../storage/tables.ts';
import type { Adoption, AdoptOptions, StoreAdoption } from './adoption.ts';

type StoreOptions = {
  /** The store directory. */
  readonly root: string;
  /** Whether the directory is the user's. An instance without one has no place for repositories and files. */
  readonly hasDirectory: boolean;
  readonly databaseUrl: string | undefined;
  readonly readOnly: boolean;
  readonly tables: TablesOfModules;
  readonly adoption: StoreAdoption;
  readonly adopting: AdoptOptions;
  /** Called if the thread that writes to the database ends by itself. */
  readonly lost: ((error: unknown) => void) | undefined;
  readonly log: Logger;
};

/** @throws ServiceError `store_incompatible` if another process owns the store */
export async function openStore(options: StoreOptions): Promise<Database> {
  const { root, hasDirectory, databaseUrl, readOnly, tables, adoption, adopting, lost, log } = options;
  if (readOnly && databaseUrl === undefined) return openToRead(options);
  if (!readOnly) mkdirSync(join(root, PRIVATE_FOLDER), { recursive: true, mode: 0o700 });
  if (databaseUrl === undefined) {
    const file = join(root, DATABASE_FILE);
    requireDatabase(root);
    noteAdoption(await adoption.intoSqlite(file, adopting), log);
    return openSqliteDatabase(file, { examine: true, tables, ...(lost && { lost }) });
  }
  const database = await openPostgresqlDatabase(databaseUrl, { log, readOnly, leads: hasDirectory, tables });
  if (!readOnly) noteAdoption(await adoption.intoPostgresql(database, adopting), log);
  return database;
}

/** A store that has no database is taken into a temporary one, as it is now. */
async function openToRead({ root, tables, adoption, adopting }: StoreOptions): Promise<Database> {
  const file = join(root, DATABASE_FILE);
  if (existsSync(file)) return openSqliteDatabase(file, { readOnly: true, tables });
  const own = temporaryDirectory('accession-read-');
  const copy = join(own.root, DATABASE_FILE);
  try {
    await adoption.intoSqlite(copy, adopting);
    layTables(copy, tables);
    const database = await openSqliteDatabase(copy, { readOnly: true, tables });
    return { ...database, close: () => database.close().finally(() => own.close()) };
  } catch (error) {
    await own.close();
    throw error;
  }
}

/** Once for a store, at the default level: without a terminal, an administrator sees nothing else of it. */
function noteAdoption(adoption: Adoption | undefined, log: Logger): void {
  if (adoption) log.warn(adoption, 'imported the store, the files that were read are left as they are');
}
