/** What waits for the disk several times with databases of areas, in a thread. */
import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { LONG_WAIT, openDatabase } from '../storage/database.ts';
import { layTables } from '../storage/table-layout.ts';
import { TextIndex } from '../storage/text-index.ts';

/** Makes the database of an area that does not exist yet, with all tables. */
export async function* makeArea({ file, texts }: { readonly file: string; readonly texts: boolean }) {
  mkdirSync(dirname(file), { recursive: true });
  const database = openDatabase(file, LONG_WAIT);
  try {
    layTables(database, () => {});
    if (texts) new TextIndex(database).layTables();
  } finally {
    database.close();
  }
  yield;
}

/**
 * Opens a connection, and closes it when it is asked to go on: the last connection copies what was written from the log
 * to the database file.
 */
export async function* closeArea(file: string) {
  const database = new DatabaseSync(file, { timeout: LONG_WAIT });
  try {
    // Without a read, the connection takes no part.
    database.prepare('SELECT count(*) AS n FROM sqlite_master').get();
    yield;
  } finally {
    database.close();
  }
}

/**
 * Copies what was written from the log to the database file, so that the next write begins the log again. Most of it while
 * other connections go on; only the rest, which they have written meanwhile, keeps their writes waiting.
 */
export async function* checkpointArea(file: string) {
  const database = new DatabaseSync(file, { timeout: LONG_WAIT });
  try {
    database.exec('PRAGMA wal_checkpoint(PASSIVE); PRAGMA wal_checkpoint(FULL)');
  } finally {
    database.close();
  }
  yield;
}
