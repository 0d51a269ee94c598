/**
 * A store that is only read, of an area that cannot be opened otherwise since the disk is full: a database needs room
 * for its files even to be read.
 */
import { statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { diskFull } from './database.ts';
import { RecordTable } from './record-table.ts';
import type { RecordStore, Selection } from './store.ts';
import { tableStore } from './table-store.ts';

/**
 * Opens a database as it is in its file; writes, and searches with `matching`, throw `storage_full`. Undefined if the
 * file is not all of it: another process has it open, or did not close it.
 */
export function openFrozen(file: string): RecordStore | undefined {
  if ((statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0) return undefined;
  const address = pathToFileURL(file);
  address.searchParams.set('mode', 'ro');
  address.searchParams.set('immutable', '1');
  const database = new DatabaseSync(address, { readOnly: true });
  try {
    database.exec('PRAGMA temp_store = MEMORY');
    const store = tableStore(database, new RecordTable(database, 'read'), { matching: false });
    // A search needs room for its index.
    const searchable = (selection: Selection) => {
      if (selection.matching !== undefined) throw diskFull('Searching');
      return selection;
    };
    return {
      ...store,
      list: async (selection, range) => store.list(searchable(selection), range),
      count: async (selection) => store.count(searchable(selection)),
      rank: async (selection, pid) => store.rank(searchable(selection), pid),
      scan: (selection) => store.scan(searchable(selection)),
      write: async () => {
        throw diskFull('Writing');
      },
    };
  } catch (error) {
    database.close();
    throw error;
  }
}
