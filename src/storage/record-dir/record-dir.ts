/**
 * The record_dir backend: one YAML file for each record, in a folder for each class, for people and git to work with.
 * Beside them, in a hidden folder, is a database with an index for reads, the entries and the ledger. The index is
 * rebuilt from the files if it is missing.
 */
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Jobs } from '../../jobs/jobs.ts';
import type { Memory } from '../../memory/memory.ts';
import { Crowd, closeInThread, makeInThread } from '../area-files.ts';
import { openDatabase, whenFree } from '../database.ts';
import type { StoreLog } from '../log.ts';
import { RecordTable } from '../record-table.ts';
import type { RecordStore } from '../store.ts';
import type { Naming, OpenedStore } from '../store-handles.ts';
import { layTables } from '../table-layout.ts';
import { tableStore } from '../table-store.ts';
import { beginReading } from './background-reading.ts';
import { allowSchemas, writeDirectoryConfig } from './directory-config.ts';
import type { MappingMethod } from './file-names.ts';
import { FileTable, faultMessage } from './file-table.ts';
import { PEER_INDEX, writePeerIndex } from './peer-index.ts';
import { Publisher, type RecordDirectory } from './publisher.ts';
import { type Background, Reconciler } from './reconcile.ts';
import { DirectoryWatch } from './watch.ts';

/** Our folder in an area; a .gitignore in it excludes it from git. */
export const OWN_FOLDER = '.accession';
export const AREA_FILE = 'area.db';
/** In it: files before they are moved into place. */
export const STAGING = 'staging';
/** Its name before there were entries in it. */
export const FORMER_AREA_FILE = 'index.db';

export type RecordDirOptions = Naming & {
  readonly schema?: string;
  readonly log: StoreLog;
  readonly jobs?: Jobs;
  readonly crowd?: Crowd;
  readonly memory?: Memory;
  /** Where a directory with many files is read; without it, before the store is open. */
  readonly background?: Jobs | undefined;
};

/** Opens the store of a directory that exists. */
export async function openRecordDir(
  directory: string,
  mapping: MappingMethod,
  options: RecordDirOptions,
): Promise<OpenedStore> {
  const own = join(directory, OWN_FOLDER);
  const staging = join(own, STAGING);
  mkdirSync(staging, { recursive: true });
  if (!existsSync(join(own, '.gitignore'))) writeFileSync(join(own, '.gitignore'), '*\n');
  if (options.schema !== undefined) writeDirectoryConfig(directory, mapping, options.schema);
  // It would be wrong after our first write. If it is missing, the peer rebuilds it, or we do when we close.
  rmSync(join(directory, PEER_INDEX), { force: true });

  const { threads } = options.jobs ?? {};
  const { crowd = new Crowd() } = options;
  const file = join(own, AREA_FILE);
  if (threads && !existsSync(join(own, FORMER_AREA_FILE)))
    await makeInThread(file, { threads, crowd, texts: false });
  const database = await whenFree(() => openIndex(own, options.log));
  options.memory?.connections.add(database);
  const table = new RecordTable(database);
  const files = await whenFree(() => new FileTable(database));
  const area: RecordDirectory = { directory, staging, mapping, database, table, files, log: options.log };
  const publisher = new Publisher(area);
  const reconciler = new Reconciler(area, options, publisher);

  await publisher.resume();
  removeLeftovers(staging);
  const watch = new DirectoryWatch(directory, reconciler);
  const read = async (background?: Background) => {
    // The watch comes first, so that nothing happens unseen between the two.
    await watch.begin();
    await reconciler.reconcileAll({ retryFaults: true }, background);
  };
  const reading = options.background && beginReading(area, read, options.background);
  if (!reading) await read();

  const store = tableStore(database, table, {
    matching: false,
    texts: options.jobs,
    memory: options.memory,
    participant: publisher,
    ...(threads && {
      long: { threads, place: { kind: 'record_dir', directory, mapping } },
      closeFile: () => closeInThread(file, database, { threads, crowd }),
    }),
    faults: async () =>
      files
        .faults()
        .map(({ path, reason, other_path }) => ({ path, message: faultMessage(reason, other_path) })),
    closing: async () => {
      await reading?.stop();
      watch.stop();
      await publisher.close();
      if (reconciler.holdsOtherAreas())
        await writePeerIndex(directory, options.log, async () => indexedRecords(files));
    },
  });
  const schemas: Pick<RecordStore, 'allowSchemas' | 'useSchema'> = {
    allowSchemas: async (addresses) => allowSchemas(directory, addresses),
    useSchema: async (address) => writeDirectoryConfig(directory, mapping, address),
  };
  return {
    store: { ...(reading?.around(store) ?? store), ...schemas },
    useNaming: (naming) => reconciler.useNaming(naming),
  };
}

function* indexedRecords(files: FileTable): Generator<{ iri: string; pid: string; path: string }> {
  for (const page of files.pages())
    for (const { iri, pid, path } of page) if (pid !== null) yield { iri, pid, path };
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

/**
 * The database of an area. If it is damaged, it is put aside and rebuilt from the files; its entries, revisions and
 * ledger are lost with it.
 */
export function openIndex(folder: string, log: StoreLog, wait?: number): DatabaseSync {
  const file = join(folder, AREA_FILE);
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
    moveFormerFile(join(folder, FORMER_AREA_FILE), file);
    return open();
  } catch (error) {
    const { errcode } = error as { errcode?: number };
    if (errcode !== SQLITE_CORRUPT && errcode !== SQLITE_NOTADB) throw error;
    const aside = `${file}.damaged-${new Date().toISOString().replaceAll(':', '')}`;
    log.warn(
      { file, aside, error },
      'the database of the area is damaged; it is put aside and rebuilt from the files',
    );
    if (existsSync(file)) renameSync(file, aside);
    for (const suffix of ['-wal', '-shm']) rmSync(file + suffix, { force: true });
    return open();
  }
}

function moveFormerFile(former: string, file: string): void {
  if (existsSync(file) || !existsSync(former)) return;
  try {
    // Everything is in the file itself when the last connection has closed it.
    const database = new DatabaseSync(former);
    database.exec('PRAGMA journal_mode = DELETE');
    database.close();
  } finally {
    renameSync(former, file);
  }
}

const SQLITE_CORRUPT = 11;
const SQLITE_NOTADB = 26;
