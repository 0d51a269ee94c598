/**
 * The peer's index of a record directory. The peer makes it where it is missing, but not in every case: without that of the
 * configuration store it starts with an empty configuration, without that of an area with other areas below, it takes
 * their records for those of this one, and it refuses an area with two files of one record, or a file without a good pid.
 */
import { renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { classFolder } from './record-files.ts';

export const PEER_INDEX = '.directory_dir_index.db';

/** Puts a new index in the place of the old one, in one step. Paths are relative to the directory. */
export function writePeerIndex(
  directory: string,
  records: Iterable<{ readonly iri: string; readonly pid: string; readonly path: string }>,
): void {
  const file = join(directory, PEER_INDEX);
  const draft = `${file}.new`;
  rmSync(draft, { force: true });
  const database = new DatabaseSync(draft);
  database.exec(`
    CREATE TABLE index_entry (
      id INTEGER NOT NULL, iri VARCHAR NOT NULL, class_name VARCHAR NOT NULL, path VARCHAR NOT NULL,
      sort_key VARCHAR NOT NULL, PRIMARY KEY (id)
    );
    CREATE UNIQUE INDEX ix_index_entry_iri ON index_entry (iri);
    BEGIN;
  `);
  const insert = database.prepare(
    'INSERT INTO index_entry (iri, class_name, path, sort_key) VALUES (?, ?, ?, ?)',
  );
  for (const { iri, pid, path } of records) insert.run(iri, classFolder(path), join(directory, path), pid);
  database.exec('COMMIT');
  database.close();
  renameSync(draft, file);
}
