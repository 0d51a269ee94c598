/**
 * Removes the text index of version 0.2.0, whose strings still had their accents. To drop it at once would keep requests
 * waiting, so its largest table is emptied in small steps first.
 */
import type { DatabaseSync } from 'node:sqlite';
import { transaction } from './database.ts';

/** Rows of about 4 KiB that one step deletes. */
const ROWS_REMOVED_AT_ONCE = 200;
/** FTS5 needs these rows to know what the table is. */
const FIRST_SEGMENT = 11;

/** Does one step. @returns whether nothing is left */
export function removeFormerIndex(database: DatabaseSync): boolean {
  const names = database
    .prepare(`SELECT name FROM sqlite_master WHERE name IN ('accession_text', 'accession_long_text')`)
    .all();
  if (names.length === 0) return true;
  // SQLite protects the tables of FTS5 from everyone else.
  database.enableDefensive(false);
  try {
    return transaction(database, () =>
      removeSome(
        database,
        names.map(({ name }) => name),
      ),
    );
  } finally {
    database.enableDefensive(true);
  }
}

function removeSome(database: DatabaseSync, names: readonly unknown[]): boolean {
  if (names.includes('accession_text')) {
    const rows = `SELECT id FROM accession_text_data WHERE id >= ${FIRST_SEGMENT} LIMIT ${ROWS_REMOVED_AT_ONCE}`;
    const { changes } = database.prepare(`DELETE FROM accession_text_data WHERE id IN (${rows})`).run();
    if (changes > 0) return false;
    database.exec('DROP TABLE accession_text');
  }
  database.exec(
    `DROP TABLE IF EXISTS accession_long_text; DELETE FROM accession_meta WHERE name = 'text_revision'`,
  );
  return true;
}
