/**
 * The files of a record directory as its index has them, in the same database and the same transactions as the
 * records. Paths are relative to the area, so that a directory can be moved.
 */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { LIMIT, LIMIT_OFFSET, statements, transaction } from '../database.ts';
import type { FileStamp } from './disk.ts';

/** A file that the index has a record of. */
export type FileRow = FileStamp & { readonly path: string; readonly iri: string };

/** The same with the pid of the record; null if the index has lost the record. */
export type KnownFile = FileRow & { readonly pid: string | null };

/** A file that was left out. */
export type KnownFault = FileStamp & {
  readonly path: string;
  /** Whether it was a duplicate of a file that is gone. */
  readonly isFree: 0 | 1;
};

/** A file that a committed write creates, replaces or removes, until that is flushed to disk. */
export type PendingFile = {
  readonly path: string;
  /** In milliseconds of the epoch, later than any state of the file that the index knew; unique to this write. */
  readonly since: number;
  /** The name of the new file in the staging folder, until it is moved into place; null if the file is removed. */
  readonly temporary: string | null;
};

/** Why a file is left out of the index. */
export type FileFault = {
  readonly reason: string;
  /** The file that has the same record, for a duplicate. */
  readonly otherPath?: string;
};

type FaultRow = FileStamp & {
  readonly path: string;
  readonly reason: string;
  readonly other_path: string | null;
};

const FILE_TABLES = `
CREATE TABLE IF NOT EXISTS accession_file (
  path TEXT PRIMARY KEY, iri TEXT NOT NULL UNIQUE, size INTEGER NOT NULL, modified REAL NOT NULL, inode REAL NOT NULL
) WITHOUT ROWID;
-- Makes writes durable before each single file is: a file that is missing after a crash is made from its record.
CREATE TABLE IF NOT EXISTS accession_pending (path TEXT PRIMARY KEY, since REAL NOT NULL, temporary TEXT) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS accession_fault (
  path TEXT PRIMARY KEY, reason TEXT NOT NULL, other_path TEXT,
  size INTEGER NOT NULL, modified REAL NOT NULL, inode REAL NOT NULL
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS accession_fault_other ON accession_fault (other_path) WHERE other_path IS NOT NULL;
`;

/** So many rows are read at a time. */
const ROWS_OF_PAGE = 500;

/** Which lists are known to be empty. */
const NONE_KNOWN = { pending: false, faults: false };

export class FileTable {
  readonly #sql: (sql: string) => StatementSync;
  #lastSince = 0;
  #empty = NONE_KNOWN;
  /** Files whose duplicates may have their records now. */
  readonly #removed = new Set<string>();

  constructor(database: DatabaseSync) {
    layFileTables(database);
    this.#sql = statements(database);
  }

  ofPath(path: string): FileRow | undefined {
    return this.#sql('SELECT * FROM accession_file WHERE path = ?').get(path) as FileRow | undefined;
  }

  ofIri(iri: string): FileRow | undefined {
    return this.#sql('SELECT * FROM accession_file WHERE iri = ?').get(iri) as FileRow | undefined;
  }

  /** Every file, with the pid of its record, in the order of paths. The table may be changed between two pages. */
  pages(): Generator<KnownFile[]> {
    return this.#pages(
      `SELECT f.path, f.iri, f.size, f.modified, f.inode, t.sort_key AS pid
       FROM accession_file f LEFT JOIN thing t ON t.iri = f.iri WHERE f.path > ? ORDER BY f.path ${LIMIT}`,
    );
  }

  /** Every file that was left out, in the same way. */
  faultPages(): Generator<KnownFault[]> {
    return this.#pages(
      `SELECT path, size, modified, inode,
         other_path IS NOT NULL AND other_path NOT IN (SELECT path FROM accession_file) AS isFree
       FROM accession_fault WHERE path > ? ORDER BY path ${LIMIT}`,
    );
  }

  *#pages<Row extends { readonly path: string }>(sql: string): Generator<Row[]> {
    for (let after = ''; ; ) {
      const rows = this.#sql(sql).all(after, ROWS_OF_PAGE) as unknown as Row[];
      yield rows;
      if (rows.length < ROWS_OF_PAGE) return;
      after = rows.at(-1)!.path;
    }
  }

  /** Of some paths, those that are neither of files with a record nor of files that were left out. */
  unknownAmong(paths: readonly string[]): string[] {
    const rows = this.#sql(
      `SELECT value FROM json_each(?) WHERE value NOT IN (SELECT path FROM accession_file)
       AND value NOT IN (SELECT path FROM accession_fault)`,
    ).all(JSON.stringify(paths)) as { value: string }[];
    return rows.map(({ value }) => value);
  }

  /** Whether there are more files than this. */
  exceeds(count: number): boolean {
    return this.#sql(`SELECT 1 FROM accession_file ${LIMIT_OFFSET}`).get(1, count) !== undefined;
  }

  set(path: string, iri: string, stamp: FileStamp): void {
    const former = this.ofIri(iri);
    if (former?.path === path) {
      this.restamp(path, stamp);
    } else {
      if (former) this.remove(former.path);
      this.add(path, iri, stamp);
    }
  }

  /** Notes another stamp of a file whose record is the same. */
  restamp(path: string, { size, modified, inode }: FileStamp): void {
    this.#sql('UPDATE accession_file SET size = ?, modified = ?, inode = ? WHERE path = ?').run(
      ...[size, modified, inode, path],
    );
    this.clearFault(path);
  }

  /** Adds a file, unless one of this path or of this record is known. Returns whether it was added. */
  addNew(path: string, iri: string, { size, modified, inode }: FileStamp): boolean {
    const { changes } = this.#sql(
      'INSERT INTO accession_file VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING',
    ).run(path, iri, size, modified, inode);
    if (changes === 0) return false;
    this.clearFault(path);
    return true;
  }

  /** The same for a record of which no other file is known. */
  add(path: string, iri: string, stamp: FileStamp): void {
    this.#sql('INSERT OR REPLACE INTO accession_file VALUES (?, ?, ?, ?, ?)').run(
      path,
      iri,
      stamp.size,
      stamp.modified,
      stamp.inode,
    );
    this.clearFault(path);
  }

  /** Whether the files of the directory were never all read. */
  get isNew(): boolean {
    const known = this.#sql(`SELECT value FROM accession_meta WHERE name = 'files_read'`).get();
    if (known) return known.value === 0;
    return this.#sql('SELECT 1 FROM accession_file LIMIT 1').get() === undefined;
  }

  /** Notes whether all files of the directory were read. */
  setRead(all: boolean): void {
    this.#sql(`INSERT OR REPLACE INTO accession_meta VALUES ('files_read', ?)`).run(all ? 1 : 0);
  }

  /** Forgets by which stamps files are known, so that all of them are read again. */
  distrust(): void {
    this.#sql('UPDATE accession_file SET size = -1').run();
    this.#sql('DELETE FROM accession_fault').run();
  }

  remove(path: string): void {
    this.#sql('DELETE FROM accession_file WHERE path = ?').run(path);
    if (this.#empty.faults) return;
    const isRepeated = this.#sql('SELECT 1 FROM accession_fault WHERE other_path = ?').get(path);
    if (isRepeated) this.#removed.add(path);
  }

  /**
   * Puts a file on the list of pending ones, in place of an earlier entry. To be called before the index has the new
   * state of the file: `since` is later than the time of the old one, also if the clock has been set back.
   */
  setPending(path: string, temporary: string | null): PendingFile {
    const earlier = this.#sql(
      `SELECT max(coalesce((SELECT since FROM accession_pending WHERE path = ?1), 0),
                  coalesce((SELECT modified FROM accession_file WHERE path = ?1), 0)) AS time`,
    ).get(path) as { time: number };
    // One more, since the clock is read in whole milliseconds and files have finer times.
    const since = Math.max(Date.now() + 1, this.#lastSince + TIME_STEP, earlier.time + TIME_STEP);
    this.#lastSince = since;
    this.#sql('INSERT OR REPLACE INTO accession_pending (path, since, temporary) VALUES (?, ?, ?)').run(
      path,
      since,
      temporary,
    );
    return { path, since, temporary };
  }

  pendingOf(path: string): PendingFile | undefined {
    if (this.#empty.pending) return undefined;
    return this.#sql('SELECT * FROM accession_pending WHERE path = ?').get(path) as PendingFile | undefined;
  }

  /** @param until the latest `since` */
  pending(until: number): PendingFile[] {
    return this.#sql('SELECT * FROM accession_pending WHERE since <= ?').all(until) as PendingFile[];
  }

  /** Takes a file off the list, unless a later write has put it there again. */
  settle({ path, since }: Pick<PendingFile, 'path' | 'since'>): void {
    this.#sql('DELETE FROM accession_pending WHERE path = ? AND since = ?').run(path, since);
  }

  faults(): FaultRow[] {
    return this.#sql('SELECT * FROM accession_fault ORDER BY path').all() as FaultRow[];
  }

  faultOf(path: string): FaultRow | undefined {
    return this.#sql('SELECT * FROM accession_fault WHERE path = ?').get(path) as FaultRow | undefined;
  }

  /** The files that were left out as duplicates of a file that was removed since the last call. */
  formerDuplicates(): string[] {
    const removed = [...this.#removed];
    this.#removed.clear();
    const duplicates = this.#sql('SELECT path FROM accession_fault WHERE other_path = ?');
    return removed.flatMap((path) => (duplicates.all(path) as { path: string }[]).map((row) => row.path));
  }

  /** Runs work on many files inside a transaction: lists that are empty when it begins are not searched for each of them. */
  forMany<T>(work: () => T): T {
    const isEmpty = (table: string) => !this.#sql(`SELECT 1 FROM ${table} LIMIT 1`).get();
    this.#empty = { pending: isEmpty('accession_pending'), faults: isEmpty('accession_fault') };
    try {
      return work();
    } finally {
      this.#empty = NONE_KNOWN;
    }
  }

  setFault(path: string, { reason, otherPath }: FileFault, stamp: FileStamp): void {
    this.#empty = { ...this.#empty, faults: false };
    this.#sql('INSERT OR REPLACE INTO accession_fault VALUES (?, ?, ?, ?, ?, ?)').run(
      path,
      reason,
      otherPath ?? null,
      stamp.size,
      stamp.modified,
      stamp.inode,
    );
  }

  clearFault(path: string): void {
    if (this.#empty.faults) return;
    this.#sql('DELETE FROM accession_fault WHERE path = ?').run(path);
  }
}

/** The smallest difference between two times of the list that survives as a number of milliseconds of the epoch. */
const TIME_STEP = 0.001;

/** A fault as a sentence for operators. */
export function faultMessage(reason: string, otherPath: string | null | undefined): string {
  return otherPath == null ? reason : `${reason} '${otherPath}'`;
}

/** Creates the tables that are missing, and brings those of version 0.1 up to date. */
function layFileTables(database: DatabaseSync): void {
  const has = (table: string, column: string) =>
    database.prepare('SELECT 1 FROM pragma_table_info(?) WHERE name = ?').get(table, column) !== undefined;
  const current = () => has('accession_fault', 'reason') && has('accession_pending', 'temporary');
  if (current()) return;
  transaction(database, () => {
    if (current()) return;
    // Faults are found again at each opening.
    if (has('accession_fault', 'message')) database.exec('DROP TABLE accession_fault');
    if (has('accession_pending', 'path') && !has('accession_pending', 'temporary'))
      database.exec('ALTER TABLE accession_pending ADD COLUMN temporary TEXT');
    database.exec(FILE_TABLES);
  });
}
