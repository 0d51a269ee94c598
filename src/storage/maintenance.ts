/** What operators do to the directory of a store that no service has open. */
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { openDatabase } from './database.ts';
import type { StoreLog } from './log.ts';
import { OWN_FOLDER } from './record-dir/record-dir.ts';
import { SQLITE_FILE } from './sqlite.ts';
import { dropOwn, layTables } from './table-layout.ts';
import { TextIndex } from './text-index.ts';

/** How long one transaction of the text index takes, in milliseconds. */
const STEP = 2000;

/**
 * Makes everything anew that an area holds besides its records: of a sqlite database now, of a record directory at its
 * next opening. Revisions begin anew as well.
 */
export function rebuildIndex(directory: string, log: StoreLog): void {
  rmSync(join(directory, OWN_FOLDER), { recursive: true, force: true });
  const file = join(directory, SQLITE_FILE);
  if (!existsSync(file)) return;
  const database = openDatabase(file);
  try {
    dropOwn(database);
    layTables(database, (rows) => log.info({ directory, rows }, 'rebuilding the index'));
  } finally {
    database.close();
  }
  completeTextIndex(directory, log);
}

/** Takes everything into the text index that is not yet in it; an open store does so by and by. */
export function completeTextIndex(directory: string, log: StoreLog): void {
  const database = openDatabase(join(directory, SQLITE_FILE));
  try {
    const index = new TextIndex(database);
    while (!index.advance(STEP)) log.info({ directory, revision: index.revision }, 'indexing texts');
  } finally {
    database.close();
  }
}
