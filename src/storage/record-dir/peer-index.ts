/**
 * The peer's index of a record directory, for the one directory that the peer does not index anew: where its index of
 * the configuration store is missing, it starts with an empty configuration.
 */
import { renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { StoreLog } from '../log.ts';
import type { RecordStore, StoredRecord } from '../store.ts';
import { filePath, type MappingMethod } from './file-names.ts';

export const PEER_INDEX = '.directory_dir_index.db';

/**
 * Wraps a store of few records: its index for the peer is right from the opening on, and after each write. A write is
 * done when the records are stored: an index that can't be written is a matter for the log.
 */
export async function withPeerIndex(
  store: RecordStore,
  directory: string,
  mapping: MappingMethod,
  log: StoreLog,
): Promise<RecordStore> {
  const update = async () => {
    try {
      writeIndex(directory, mapping, await store.list({}, { offset: 0, limit: Number.MAX_SAFE_INTEGER }));
    } catch (error) {
      log.warn({ directory, error }, 'the index for the peer could not be written');
    }
  };
  await update();
  return {
    ...store,
    async write(changes) {
      const results = await store.write(changes);
      await update();
      return results;
    },
  };
}

/** Puts a new index in the place of the old one, in one step. */
function writeIndex(directory: string, mapping: MappingMethod, records: readonly StoredRecord[]): void {
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
  for (const { iri, className, pid } of records) {
    insert.run(iri, className, join(directory, filePath(mapping, className, pid)), pid);
  }
  database.close();
  renameSync(draft, file);
}
