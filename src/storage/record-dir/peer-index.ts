/**
 * The peer's index of a record directory, for those that the peer cannot index itself. Where its index of the configuration
 * store is missing, it starts with an empty configuration. Where that of an area is missing that has other areas below
 * it, it takes their records for those of this one.
 */
import { renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { StoreLog } from '../log.ts';
import type { RecordKey, RecordStore } from '../store.ts';
import { filePath, type MappingMethod } from './file-names.ts';

export const PEER_INDEX = '.directory_dir_index.db';

type IndexedRecord = { readonly iri: string; readonly pid: string; readonly path: string };

/**
 * Wraps a store of few records: its index for the peer is right from the opening on, and after each write. A write is
 * done when the records are stored: an index that cannot be written is a matter for the log.
 */
export async function withPeerIndex(
  store: RecordStore,
  directory: string,
  mapping: MappingMethod,
  log: StoreLog,
): Promise<RecordStore> {
  const pathOf = ({ className, pid }: RecordKey) => filePath(mapping, className, pid);
  const update = () =>
    writePeerIndex(directory, log, async () => {
      const records = await store.list({}, { offset: 0, limit: Number.MAX_SAFE_INTEGER });
      return records.map((record) => ({ ...record, path: pathOf(record) }));
    });
  await update();
  return {
    ...store,
    async write(changes, by, ledger) {
      const results = await store.write(changes, by, ledger);
      await update();
      return results;
    },
  };
}

/**
 * Writes the index. Its content is in the files, too, so a failure is only logged.
 *
 * @param list returns all records, each with its file in the directory
 */
export async function writePeerIndex(
  directory: string,
  log: StoreLog,
  list: () => Promise<Iterable<IndexedRecord>>,
): Promise<void> {
  try {
    replaceIndex(directory, await list());
  } catch (error) {
    log.warn({ directory, error }, 'the index for the peer could not be written');
  }
}

/** Puts a new index in the place of the old one, in one step. */
function replaceIndex(directory: string, records: Iterable<IndexedRecord>): void {
  const file = join(directory, PEER_INDEX);
  const draft = `${file}.${process.pid}`;
  rmSync(draft, { force: true });
  const database = new DatabaseSync(draft);
  database.exec(`
    CREATE TABLE index_entry (
      id INTEGER NOT NULL, iri VARCHAR NOT NULL, class_name VARCHAR NOT NULL, path VARCHAR NOT NULL,
      sort_key VARCHAR NOT NULL, PRIMARY KEY (id)
    );
    CREATE UNIQUE INDEX ix_index_entry_iri ON index_entry (iri);
  `);
  const insert = database.prepare(
    'INSERT INTO index_entry (iri, class_name, path, sort_key) VALUES (?, ?, ?, ?)',
  );
  database.exec('BEGIN');
  for (const { iri, pid, path } of records) {
    insert.run(iri, path.slice(0, path.indexOf('/')), join(directory, path), pid);
  }
  database.exec('COMMIT');
  database.close();
  renameSync(draft, file);
}
