/**
 * A consistent copy of an area while a service writes to it: the database as of one moment, and the files that go with
 * it. A file that is written meanwhile is replaced by the text of its record at that moment.
 */
import { closeSync, existsSync, fstatSync, openSync, readdirSync, readSync, rmSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type JsonObject, parseJson } from '../json.ts';
import { writeYaml } from '../yaml/write.ts';
import { sameStamp } from './record-dir/disk.ts';
import { AREA_FILE, FORMER_AREA_FILE, OWN_FOLDER } from './record-dir/record-dir.ts';
import { isRecordPath } from './record-dir/record-files.ts';

/** A file of a copy: one on disk, or a string that replaces it. */
export type SnapshotFile = {
  /** Relative to the directory that is copied. */
  readonly path: string;
  readonly content: { readonly file: string } | { readonly text: string };
};

/** Copies a database as of one moment, also while other processes write to it. */
function copyDatabase(file: string, to: string): void {
  const database = new DatabaseSync(file, { readOnly: true, timeout: 10_000 });
  try {
    rmSync(to, { force: true });
    database.prepare('VACUUM INTO ?').run(to);
  } finally {
    database.close();
  }
}

const SQLITE_MAGIC = 'SQLite format 3\0';

/** Whether a file is a database, by its first bytes. */
function isDatabase(file: string): boolean {
  const handle = openSync(file, 'r');
  try {
    const bytes = Buffer.alloc(SQLITE_MAGIC.length);
    return (
      readSync(handle, bytes, 0, bytes.length, 0) === bytes.length &&
      bytes.toString('latin1') === SQLITE_MAGIC
    );
  } finally {
    closeSync(handle);
  }
}

/** What a service makes again, or what has no meaning without its process. */
function isTransient(name: string, folder: string): boolean {
  return /-(?:wal|shm|journal)$/.test(name) || (name === 'staging' && folder.endsWith(OWN_FOLDER));
}

/**
 * The files below a directory, databases as of the moment when they come up. Folders of git are listed with their
 * references before their objects, so that no reference leads to an object that was written later.
 *
 * @param scratch a folder for copies of databases; each is used until the next file is asked for
 * @param skip directories that are left out
 */
export function* snapshotTree(
  directory: string,
  scratch: string,
  skip: ReadonlySet<string> = new Set(),
  folder = directory,
): Generator<SnapshotFile> {
  const entries = directoryEntries(folder);
  const isGit = entries.some(({ name }) => name === 'objects') && entries.some(({ name }) => name === 'refs');
  const last = (name: string) => (isGit && name === 'objects' ? 1 : 0);
  entries.sort((a, b) => last(a.name) - last(b.name) || (a.name < b.name ? -1 : 1));
  for (const entry of entries) {
    const file = join(folder, entry.name);
    if (isTransient(entry.name, folder) || skip.has(file)) continue;
    if (entry.isDirectory()) yield* snapshotTree(directory, scratch, skip, file);
    else if (entry.isFile()) {
      const content = contentOf(file, scratch);
      if (content) yield { path: relative(directory, file), content };
    }
  }
}

function directoryEntries(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

/** Undefined for a file that has gone. */
function contentOf(file: string, scratch: string): SnapshotFile['content'] | undefined {
  try {
    if (!isDatabase(file)) return { file };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  const copy = join(scratch, 'copy.db');
  copyDatabase(file, copy);
  return { file: copy };
}

/**
 * The files of an area as of one moment.
 *
 * @param skip directories that are left out, such as zones below the curated area
 */
export function* snapshotArea(
  directory: string,
  scratch: string,
  skip: ReadonlySet<string>,
): Generator<SnapshotFile> {
  const began = Date.now();
  const own = join(directory, OWN_FOLDER);
  const name = [AREA_FILE, FORMER_AREA_FILE].find((one) => existsSync(join(own, one)));
  if (name === undefined) {
    yield* snapshotTree(directory, scratch, skip);
    return;
  }
  const copy = join(scratch, 'area.db');
  copyDatabase(join(own, name), copy);
  yield { path: join(OWN_FOLDER, name), content: { file: copy } };
  const index = openIndex(copy);
  try {
    const seen = new Set<string>();
    for (const file of snapshotTree(directory, scratch, new Set([...skip, join(own, name)]))) {
      const { path } = file;
      const row = index.get(path);
      if (row) {
        seen.add(path);
        yield isCurrent(join(directory, path), row, began) ? file : { path, content: { text: row.text() } };
      } else if (!isRecordPath(path) || changedAt(join(directory, path)) < began) {
        // A record that was stored later is left out; what the index does not know of is kept.
        yield file;
      }
    }
    for (const [path, row] of index.all()) if (!seen.has(path)) yield { path, content: { text: row.text() } };
  } finally {
    index.close();
  }
}

type IndexedFile = {
  readonly size: number;
  readonly modified: number;
  readonly inode: number;
  readonly isPending: boolean;
  text(): string;
};

/** The record files in the copy of an index. */
function openIndex(copy: string) {
  const database = new DatabaseSync(copy, { readOnly: true });
  const has = (table: string) =>
    database.prepare('SELECT 1 FROM sqlite_master WHERE name = ?').get(table) !== undefined;
  const pending = has('accession_pending')
    ? new Set(
        database
          .prepare('SELECT path FROM accession_pending')
          .all()
          .map(({ path }) => String(path)),
      )
    : new Set<string>();
  const sql =
    'SELECT f.path, f.size, f.modified, f.inode, t.object FROM accession_file f JOIN thing t ON t.iri = f.iri';
  const one = has('accession_file') ? database.prepare(`${sql} WHERE f.path = ?`) : undefined;
  const rowOf = (row: Record<string, unknown>): IndexedFile => ({
    size: Number(row.size),
    modified: Number(row.modified),
    inode: Number(row.inode),
    isPending: pending.has(String(row.path)),
    text: () => writeYaml(parseJson(String(row.object)) as JsonObject),
  });
  return {
    get(path: string): IndexedFile | undefined {
      const row = one?.get(path);
      return row && rowOf(row);
    },
    *all(): Generator<[string, IndexedFile]> {
      if (!has('accession_file')) return;
      for (const row of database.prepare(sql).iterate()) yield [String(row.path), rowOf(row)];
    },
    close: () => database.close(),
  };
}

/** Whether a file is what the index has, or was changed by another program before the copy began. */
function isCurrent(file: string, row: IndexedFile, began: number): boolean {
  if (row.isPending) return false;
  const stat = statSync(file, { throwIfNoEntry: false });
  if (!stat) return false;
  if (sameStamp({ size: stat.size, modified: stat.mtimeMs, inode: stat.ino }, row)) return true;
  return changedAt(file) < began;
}

function changedAt(file: string): number {
  const stat = statSync(file, { throwIfNoEntry: false });
  return stat ? Math.max(stat.mtimeMs, stat.ctimeMs) : 0;
}

/** The size of a file that is open: what is read is as long as that, whatever is appended meanwhile. */
export function sizeOf(handle: number): number {
  return fstatSync(handle).size;
}
