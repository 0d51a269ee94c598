/**
 * The record_dir backend: one YAML file for each record, in a folder for each class, for people and git to work with.
 * Beside them, in a hidden folder, lies an index with everything that reads need; it is made from the files, and
 * again whenever it is missing.
 */
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { openDatabase, whenFree } from '../database.ts';
import type { StoreLog } from '../log.ts';
import { RecordTable } from '../record-table.ts';
import type { Naming, OpenedStore } from '../shared-handles.ts';
import { layTables } from '../table-layout.ts';
import { tableStore } from '../table-store.ts';
import { writeDirectoryConfig } from './directory-config.ts';
import type { MappingMethod } from './file-names.ts';
import { FileTable, faultMessage } from './file-table.ts';
import { PEER_INDEX, writePeerIndex } from './peer-index.ts';
import { type Area, Publisher } from './publisher.ts';
import { Reconciler } from './reconcile.ts';
import { DirectoryWatch } from './watch.ts';

/** The folder of ours in an area; git is told to leave it out. */
export const OWN_FOLDER = '.accession';
export const INDEX_FILE = 'index.db';

export type RecordDirOptions = Naming & { readonly schema?: string; readonly log: StoreLog };

/** Opens the store of a directory that exists. */
export async function openRecordDir(
  directory: string,
  mapping: MappingMethod,
  options: RecordDirOptions,
): Promise<OpenedStore> {
  const own = join(directory, OWN_FOLDER);
  const staging = join(own, 'staging');
  mkdirSync(staging, { recursive: true });
  if (!existsSync(join(own, '.gitignore'))) writeFileSync(join(own, '.gitignore'), '*\n');
  if (options.schema !== undefined) writeDirectoryConfig(directory, mapping, options.schema);
  // It would be wrong after our first write; the peer makes it anew where it is missing, or we do when we close.
  rmSync(join(directory, PEER_INDEX), { force: true });

  const database = await whenFree(() => openIndex(join(own, INDEX_FILE), options.log));
  const table = new RecordTable(database);
  const files = await whenFree(() => new FileTable(database));
  const area: Area = { directory, staging, mapping, database, table, files, log: options.log };
  const publisher = new Publisher(area);
  const reconciler = new Reconciler(area, options, publisher);

  await publisher.resume();
  removeLeftovers(staging);
  // The watch comes first, so that nothing happens unseen between the two.
  const watch = new DirectoryWatch(directory, reconciler);
  await reconciler.reconcileAll('faults too');

  const store = tableStore(database, table, {
    matching: false,
    companion: publisher,
    faults: async () =>
      files
        .faults()
        .map(({ path, reason, other_path }) => ({ path, message: faultMessage(reason, other_path) })),
    closing: async () => {
      watch.stop();
      await publisher.close();
      if (reconciler.holdsOtherAreas()) await writePeerIndex(directory, options.log, async () => files.all());
    },
  });
  return { store, rename: (naming) => reconciler.rename(naming) };
}

/** Temporary files begin with the id of the process that made them; those of processes that run are in use. */
function removeLeftovers(staging: string): void {
  for (const name of readdirSync(staging)) {
    const owner = Number.parseInt(name, 10);
    if (owner === process.pid || !isRunning(owner)) rmSync(join(staging, name), { force: true });
  }
}

function isRunning(processId: number): boolean {
  try {
    return process.kill(processId, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** The index, made anew where it can't be opened: it holds nothing that the files don't. */
export function openIndex(file: string, log: StoreLog, wait?: number): DatabaseSync {
  const open = () => {
    const database = openDatabase(file, wait);
    try {
      layTables(database, () => {});
      return database;
    } catch (error) {
      database.close();
      throw error;
    }
  };
  try {
    return open();
  } catch (error) {
    const { errcode } = error as { errcode?: number };
    if (errcode !== SQLITE_CORRUPT && errcode !== SQLITE_NOTADB) throw error;
    log.warn({ file, error }, 'the index is damaged and is made anew');
    for (const suffix of ['', '-wal', '-shm']) rmSync(file + suffix, { force: true });
    return open();
  }
}

const SQLITE_CORRUPT = 11;
const SQLITE_NOTADB = 26;
