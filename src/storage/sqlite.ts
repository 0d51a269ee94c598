/** The sqlite backend: the table of records is authoritative, in the file where the peer looks for it. */
import { copyFileSync, existsSync, mkdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import type { Jobs } from '../jobs/jobs.ts';
import { closeInThread, makeInThread } from './area-files.ts';
import { openDatabase, whenFree } from './database.ts';
import type { StoreLog } from './log.ts';
import { RecordTable } from './record-table.ts';
import { resolvePids } from './resolve-pids.ts';
import type { StoreFault } from './store.ts';
import { type Naming, type OpenedStore, StoreHandles } from './store-handles.ts';
import { layTables } from './table-layout.ts';
import { tableStore } from './table-store.ts';

export const SQLITE_FILE = '__sqlite-records.db';

/** What the peer called the file before its release 1; it is moved as the peer moves it, with a copy left behind. */
const FORMER_FILE = '.sqlite-records.db';

/** Opens the store of a directory that exists or is made. */
export async function openSqliteStore(
  directory: string,
  naming: Naming,
  log: StoreLog,
  jobs: Jobs,
  { crowd, memory }: Pick<StoreHandles, 'crowd' | 'memory'> = new StoreHandles(),
): Promise<OpenedStore> {
  mkdirSync(directory, { recursive: true });
  const file = join(directory, SQLITE_FILE);
  moveFormerFile(directory, file, log);
  const { threads } = jobs;
  await makeInThread(file, { threads, crowd, texts: true });
  const database = await whenFree(() => {
    const opened = openDatabase(file);
    try {
      layTables(opened, (rows) => log.info({ directory, rows }, 'adopting a database without an index'));
      return opened;
    } catch (error) {
      opened.close();
      throw error;
    }
  });
  memory.connections.add(database);
  const table = new RecordTable(database);
  let current: Naming | undefined;
  let faults: readonly StoreFault[] = [];
  const useNaming = async (next: Naming) => {
    if (next.expand === current?.expand) return;
    faults = await resolvePids(database, table, next, SQLITE_FILE);
    current = next;
    for (const { message } of faults) log.warn({ directory, message }, 'could not resolve a pid again');
  };
  try {
    await useNaming(naming);
  } catch (error) {
    database.close();
    throw error;
  }
  const store = tableStore(database, table, {
    matching: true,
    texts: jobs,
    long: { threads, place: { kind: 'sqlite', file } },
    closeFile: () => closeInThread(file, database, { threads, crowd }),
    faults: async () => faults,
    memory,
  });
  return { store, useNaming };
}

function moveFormerFile(directory: string, file: string, log: StoreLog): void {
  const former = join(directory, FORMER_FILE);
  if (!existsSync(former)) return;
  if (existsSync(file)) {
    log.warn({ directory, ignored: FORMER_FILE, used: SQLITE_FILE }, 'ignoring the former database');
    return;
  }
  copyFileSync(former, `${former}.backup`);
  renameSync(former, file);
}
