/** What operators do to the directory of a store that no service has open. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { LONG_WAIT, openDatabase } from './database.ts';
import { timeOf } from './entry-table.ts';
import type { StoreLog } from './log.ts';
import { FileTable, faultMessage } from './record-dir/file-table.ts';
import { AREA_FILE, FORMER_AREA_FILE, OWN_FOLDER, openIndex } from './record-dir/record-dir.ts';
import { SQLITE_FILE } from './sqlite.ts';
import type { StoreFault } from './store.ts';
import { remakeTables } from './table-layout.ts';
import { TextIndex } from './text-index.ts';

/** How long one transaction of the text index takes, in milliseconds. */
const ROWS_PER_STEP = 2000;

/**
 * Rebuilds everything that an area keeps besides its records: of a sqlite database now; the files of a record
 * directory are all read again at its next opening. Revisions stay, as far as the index can be read.
 */
export function rebuildIndex(directory: string, log: StoreLog): void {
  const adopting = (rows: number) => log.info({ directory, rows }, 'rebuilding the index');
  const own = join(directory, OWN_FOLDER);
  if ([AREA_FILE, FORMER_AREA_FILE].some((name) => existsSync(join(own, name)))) {
    const index = openIndex(own, log, LONG_WAIT);
    try {
      remakeTables(index, adopting);
      new FileTable(index).distrust();
    } finally {
      index.close();
    }
  }
  if (!existsSync(join(directory, SQLITE_FILE))) return;
  const database = openDatabase(join(directory, SQLITE_FILE), LONG_WAIT);
  try {
    remakeTables(database, adopting);
  } finally {
    database.close();
  }
  completeTextIndex(directory, log);
}

/** Completes the text index; an open store does so in the background. */
export function completeTextIndex(directory: string, log: StoreLog): void {
  const database = openDatabase(join(directory, SQLITE_FILE), LONG_WAIT);
  try {
    const index = new TextIndex(database);
    while (!index.advance(ROWS_PER_STEP)) log.info({ directory, revision: index.revision }, 'indexing texts');
  } finally {
    database.close();
  }
}

/**
 * The faults of the area in a directory that can be found without its schema: damaged databases, an index
 * that contradicts its records, rows that are not records, and the record files that were left out at the last opening.
 */
export function checkStore(directory: string): StoreFault[] {
  const places = [SQLITE_FILE, join(OWN_FOLDER, AREA_FILE), join(OWN_FOLDER, FORMER_AREA_FILE)].filter(
    (file) => existsSync(join(directory, file)),
  );
  return places.flatMap((path) => {
    try {
      const database = new DatabaseSync(join(directory, path), { readOnly: true });
      try {
        return [...databaseFaults(database), ...recordFileFaults(database)].map(
          (fault): StoreFault => ({ path: fault.path ?? path, message: fault.message }),
        );
      } finally {
        database.close();
      }
    } catch (error) {
      return [{ path, message: `the database can't be read: ${(error as Error).message}` }];
    }
  });
}

/** The changes that the area in a directory has entries of, oldest first; also while a service runs on it. */
export function* storedEntries(directory: string): Generator<{ pid: string; time: string }> {
  const files = [SQLITE_FILE, join(OWN_FOLDER, AREA_FILE)].map((file) => join(directory, file));
  for (const file of files.filter(existsSync)) {
    const database = new DatabaseSync(file, { readOnly: true });
    try {
      const hasEntries = database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'accession_entry'").get();
      if (!hasEntries) continue;
      for (const row of database
        .prepare('SELECT pid, time FROM accession_entry ORDER BY revision')
        .iterate()) {
        yield { pid: String(row.pid), time: timeOf(Number(row.time)) };
      }
    } finally {
      database.close();
    }
  }
}

type Fault = { readonly path?: string; readonly message: string };

/** Statements of which every row is a fault, with its message. */
const CHECKS: readonly {
  readonly sql: string;
  readonly message: (row: Record<string, unknown>) => string;
}[] = [
  {
    sql: `SELECT quick_check AS problem FROM pragma_quick_check WHERE quick_check <> 'ok'`,
    message: ({ problem }) => `the database is damaged: ${problem}`,
  },
  {
    sql: 'SELECT iri FROM thing WHERE NOT json_valid(object)',
    message: ({ iri }) => `the record '${iri}' is not JSON`,
  },
  {
    sql: `SELECT iri FROM thing WHERE json_valid(object) AND json_extract(object, '$.pid') IS NOT sort_key`,
    message: ({ iri }) => `the record '${iri}' is sorted by something else than its pid`,
  },
  {
    sql: 'SELECT iri FROM thing t WHERE NOT EXISTS (SELECT 1 FROM accession_entry e WHERE e.iri = t.iri)',
    message: ({ iri }) => `the record '${iri}' has no revision: rebuild the index`,
  },
  {
    sql: `SELECT class_name, sum(records) AS records FROM (
            SELECT class_name, count(*) AS records FROM thing GROUP BY class_name
            UNION ALL SELECT class_name, -sum(records) FROM accession_block_count GROUP BY class_name
          ) GROUP BY class_name HAVING sum(records) <> 0`,
    message: ({ class_name }) => `the count of '${class_name}' records is wrong: rebuild the index`,
  },
];

function databaseFaults(database: DatabaseSync): Fault[] {
  const hasOwn = hasTable(database, 'accession_entry');
  return CHECKS.filter(({ sql }) => hasOwn || !sql.includes('accession_')).flatMap(({ sql, message }) =>
    database
      .prepare(sql)
      .all()
      .map((row) => ({ message: message(row) })),
  );
}

function recordFileFaults(database: DatabaseSync): Fault[] {
  if (!hasTable(database, 'accession_fault')) return [];
  const rows = database.prepare('SELECT * FROM accession_fault ORDER BY path').all();
  return (rows as RecordFileFault[]).map(({ path, message, reason, other_path }) => ({
    path,
    message: message ?? faultMessage(reason ?? '', other_path),
  }));
}

/** A row of the table; `message` in a directory that was last opened by version 0.1. */
type RecordFileFault = { path: string; message?: string; reason?: string; other_path?: string | null };

function hasTable(database: DatabaseSync, name: string): boolean {
  return database.prepare('SELECT 1 FROM sqlite_master WHERE name = ?').get(name) !== undefined;
}
