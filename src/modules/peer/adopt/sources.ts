/** Reads the directory of an area when a store is adopted: record files, or the peer's table of records. */
import { existsSync, lstatSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { isJsonObject, parseJson } from '#linkml/json.ts';
import { yielder } from '../../../core/yield.ts';
import { type FileStamp, stampOf } from '../mirror/disk.ts';
import {
  type FoundRecord,
  filesOfArea,
  LONGEST_FILE,
  type Naming,
  orFault,
  RecordFileError,
  readRecordFile,
  recordOf,
  TOO_LONG,
} from '../mirror/record-files.ts';

/** The peer's table of records, and its name before release 1 of the peer. */
export const TABLE_FILE = '__sqlite-records.db';
const FORMER_TABLE_FILE = '.sqlite-records.db';

/** One file or row. */
export type SourceItem = {
  /** Where a reading that was interrupted goes on: behind this. */
  readonly at: string;
  /** Relative to the directory; rows are named `<file>#<id>`. */
  readonly path: string;
  readonly stamp: FileStamp;
  readonly digest: string;
  /** When it was changed last, in microseconds since 1970; undefined if that is not known. */
  readonly time: number | undefined;
  /** The record, or why there is none. */
  readonly found: FoundRecord | RecordFileError;
  /** The IRI under which it was stored, if that is known. */
  readonly iri?: string;
};

interface Source {
  readonly total: number;
  /** Every file or row after a place, always in the same order. */
  items(after: string): Iterable<SourceItem>;
  close(): void;
}

/**
 * A database of another program, which is left as it is.
 *
 * @param timeout how long to wait for a lock of the other program, in milliseconds; the thread is blocked meanwhile
 */
export function openForeign(file: string, timeout = 10_000): DatabaseSync {
  const database = new DatabaseSync(file, { readOnly: true, timeout });
  try {
    database.prepare('SELECT count(*) FROM sqlite_master').get();
    return database;
  } catch {
    database.close();
    // In a directory that cannot be written, SQLite cannot share the file with others.
    return new DatabaseSync(new URL(`${pathToFileURL(file)}?immutable=1`), { readOnly: true });
  }
}

/** The file of the peer's table in a directory, if there is one. */
export function tableFile(directory: string): string | undefined {
  return [TABLE_FILE, FORMER_TABLE_FILE]
    .map((name) => join(directory, name))
    .find((file) => existsSync(file));
}

/** Whether a table of the peer has records. Waits for no lock: the thread may serve requests. */
export function hasRows(table: string): boolean {
  const database = openForeign(table, 0);
  try {
    const isThere = database.prepare("SELECT 1 FROM sqlite_master WHERE name = 'thing'").get() !== undefined;
    return isThere && database.prepare('SELECT 1 FROM thing LIMIT 1').get() !== undefined;
  } finally {
    database.close();
  }
}

/** Opens the directory of an area. @param files whether it has files, and else a table */
export async function openSource(
  directory: string,
  files: boolean,
  naming: Naming,
  typed: boolean,
): Promise<Source> {
  if (files) return fileSource(directory, naming, typed);
  const table = tableFile(directory);
  return table === undefined ? { total: 0, items: () => [], close() {} } : tableSource(table, naming, typed);
}

/**
 * The record files of a directory, those first that were changed first: records get their revisions in this order. Folders of records
 * that are not read come before them, as faults.
 */
async function fileSource(directory: string, naming: Naming, typed: boolean): Promise<Source> {
  // A temporary database on disk: a million paths are sorted there, not in memory.
  const listed = new DatabaseSync('');
  listed.exec(
    `CREATE TABLE file (modified INTEGER, path TEXT, size INTEGER, inode INTEGER, fault TEXT, PRIMARY KEY (modified, path))
     WITHOUT ROWID; BEGIN`,
  );
  const insert = listed.prepare('INSERT INTO file VALUES (?, ?, ?, ?, ?)');
  let total = 0;
  const list = (path: string, { modified, size, inode }: FileStamp, fault: string | null) => {
    insert.run(modified, path, size, inode, fault);
    total += 1;
  };
  const isClass = (name: string) => naming.schemaTypeOf(name) !== undefined;
  const leaveOut = (path: string, fault: string) => {
    const [folder = ''] = path.split('/');
    if (isClass(folder)) list(path, NO_STAMP, fault);
  };
  const yieldIfDue = yielder();
  for (const path of filesOfArea(directory, isClass, (folder) => leaveOut(folder, PASSED_BY))) {
    await yieldIfDue();
    const stamp = stampOf(`${directory}/${path}`);
    if (stamp) list(path, stamp, stamp.size > LONGEST_FILE ? TOO_LONG : null);
    else if (lstatSync(`${directory}/${path}`, { throwIfNoEntry: false })) leaveOut(path, NO_FILE);
  }
  listed.exec('COMMIT');
  return {
    total,
    *items(after) {
      const [modified, path] = after === '' ? [-1, ''] : (JSON.parse(after) as [number, string]);
      const rows = listed
        .prepare('SELECT * FROM file WHERE (modified, path) > (?, ?) ORDER BY modified, path')
        .iterate(modified, path) as Iterable<
        FileStamp & { readonly path: string; readonly fault: string | null }
      >;
      for (const { path, fault, ...stamp } of rows) {
        const read =
          fault === null
            ? readRecordFile(directory, path, naming, typed)
            : { digest: '', found: new RecordFileError(fault) };
        if (read)
          yield { at: JSON.stringify([stamp.modified, path]), path, stamp, time: stamp.modified, ...read };
      }
    },
    close: () => listed.close(),
  };
}

const NO_STAMP: FileStamp = { size: 0, modified: 0, inode: 0 };
const PASSED_BY = 'it is a hidden or linked folder: records in it are not read';
const NO_FILE = 'it is not a file, or a link that leads to none';

type TableRow = [id: number, iri: string, className: string, object: string];

/** The rows of the peer's table, in the order in which they were made. */
function tableSource(file: string, naming: Naming, typed: boolean): Source {
  const database = openForeign(file);
  const has = database.prepare("SELECT 1 FROM sqlite_master WHERE name = 'thing'").get() !== undefined;
  const name = file.slice(file.lastIndexOf('/') + 1);
  return {
    total: has ? Number(database.prepare('SELECT count(*) AS total FROM thing').get()!.total) : 0,
    *items(after) {
      if (!has) return;
      const rows = database.prepare('SELECT id, iri, class_name, object FROM thing WHERE id > ? ORDER BY id');
      rows.setReturnArrays(true);
      for (const row of rows.iterate(Number(after)) as Iterable<unknown>) {
        const [id, iri, className, object] = row as TableRow;
        const found = orFault(() => recordOf(className, readObject(object), withFormer(naming, iri), typed));
        yield {
          at: String(id),
          path: `${name}#${id}`,
          iri,
          stamp: { size: object.length, modified: 0, inode: 0 },
          digest: '',
          time: undefined,
          found,
        };
      }
    },
    close: () => database.close(),
  };
}

/** A record whose prefix was removed from the schema keeps the IRI that it was stored under. */
function withFormer(naming: Naming, iri: string): Naming {
  return { ...naming, expand: (pid) => naming.expand(pid) ?? iri };
}

function readObject(text: string) {
  let value: unknown;
  try {
    value = parseJson(text);
  } catch (error) {
    throw new RecordFileError(`it is not JSON: ${(error as Error).message}`);
  }
  if (!isJsonObject(value)) throw new RecordFileError('it holds no object, and so no record');
  return value;
}
