/** The sqlite backend: the table of records is the truth, in the file where the peer looks for it. */
import { copyFileSync, existsSync, mkdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import type { Jobs } from '../jobs/jobs.ts';
import { openDatabase } from './database.ts';
import type { StoreLog } from './log.ts';
import { RecordTable } from './record-table.ts';
import type { RecordStore } from './store.ts';
import { layTables } from './table-layout.ts';
import { tableStore } from './table-store.ts';

export const SQLITE_FILE = '__sqlite-records.db';

/** What the peer called the file before its release 1; it is moved as the peer moves it, with a copy left behind. */
const FORMER_FILE = '.sqlite-records.db';

/** Opens the store of a directory that exists or is made. */
export async function openSqliteStore(directory: string, log: StoreLog, jobs: Jobs): Promise<RecordStore> {
  mkdirSync(directory, { recursive: true });
  const file = join(directory, SQLITE_FILE);
  moveFormerFile(directory, file, log);
  const database = openDatabase(file);
  layTables(database, (rows) => log.info({ directory, rows }, 'taking in a database that has no index yet'));
  return tableStore(database, new RecordTable(database), { matching: jobs });
}

function moveFormerFile(directory: string, file: string, log: StoreLog): void {
  const former = join(directory, FORMER_FILE);
  if (!existsSync(former)) return;
  if (existsSync(file)) {
    log.warn({ directory }, `'${FORMER_FILE}' is left alone, since '${SQLITE_FILE}' exists`);
    return;
  }
  copyFileSync(former, `${former}.backup`);
  renameSync(former, file);
}
