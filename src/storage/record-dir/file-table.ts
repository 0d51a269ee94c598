/**
 * What the index of a record directory knows about its files, in the same database and the same transactions as the
 * records themselves. Paths are relative to the area, so that a directory can be moved.
 */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { statements } from '../database.ts';
import type { FileStamp } from './disk.ts';

type FileRow = FileStamp & { readonly path: string; readonly iri: string };

type FaultRow = FileStamp & { readonly path: string; readonly message: string };

const TABLES = `
CREATE TABLE IF NOT EXISTS accession_file (
  path TEXT PRIMARY KEY, iri TEXT NOT NULL UNIQUE, size INTEGER NOT NULL, modified REAL NOT NULL, inode REAL NOT NULL
) WITHOUT ROWID;
-- Files that a committed write has to make, replace or remove, until that is on disk. This is what makes writes durable
-- before each single file is: what is missing after a crash is made from the records in the index.
CREATE TABLE IF NOT EXISTS accession_pending (path TEXT PRIMARY KEY, since REAL NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS accession_fault (
  path TEXT PRIMARY KEY, message TEXT NOT NULL, size INTEGER NOT NULL, modified REAL NOT NULL, inode REAL NOT NULL
) WITHOUT ROWID;
`;

export class FileTable {
  readonly #sql: (sql: string) => StatementSync;
  #lastSince = 0;

  constructor(database: DatabaseSync) {
    database.exec(TABLES);
    this.#sql = statements(database);
  }

  ofPath(path: string): FileRow | undefined {
    return this.#sql('SELECT * FROM accession_file WHERE path = ?').get(path) as FileRow | undefined;
  }

  ofIri(iri: string): FileRow | undefined {
    return this.#sql('SELECT * FROM accession_file WHERE iri = ?').get(iri) as FileRow | undefined;
  }

  /** Every file, with the pid of its record. */
  all(): (FileRow & { pid: string })[] {
    return this.#sql(
      'SELECT f.*, t.sort_key AS pid FROM accession_file f JOIN thing t ON t.iri = f.iri',
    ).all() as (FileRow & { pid: string })[];
  }

  set(path: string, iri: string, stamp: FileStamp): void {
    this.#sql('DELETE FROM accession_file WHERE iri = ?').run(iri);
    this.#sql('INSERT OR REPLACE INTO accession_file VALUES (?, ?, ?, ?, ?)').run(
      path,
      iri,
      stamp.size,
      stamp.modified,
      stamp.inode,
    );
    this.clearFault(path);
  }

  /** Forgets by which stamps files are known, so that all of them are read again. */
  distrust(): void {
    this.#sql('UPDATE accession_file SET size = -1').run();
    this.#sql('DELETE FROM accession_fault').run();
  }

  remove(path: string): void {
    this.#sql('DELETE FROM accession_file WHERE path = ?').run(path);
  }

  /** Puts a path on the list of pending ones. Returns since when, which no two entries have in common. */
  setPending(path: string): number {
    this.#lastSince = Math.max(Date.now(), this.#lastSince + 0.001);
    this.#sql('INSERT OR REPLACE INTO accession_pending VALUES (?, ?)').run(path, this.#lastSince);
    return this.#lastSince;
  }

  /** Since when a file has been on the list, in milliseconds of the epoch. */
  pendingSince(path: string): number | undefined {
    const row = this.#sql('SELECT since FROM accession_pending WHERE path = ?').get(path);
    return row?.since as number | undefined;
  }

  pending(): { path: string; since: number }[] {
    return this.#sql('SELECT * FROM accession_pending').all() as { path: string; since: number }[];
  }

  /** Takes a path off the list, unless it was put there anew. */
  settle(path: string, since: number): void {
    this.#sql('DELETE FROM accession_pending WHERE path = ? AND since = ?').run(path, since);
  }

  faults(): FaultRow[] {
    return this.#sql('SELECT * FROM accession_fault ORDER BY path').all() as FaultRow[];
  }

  faultOf(path: string): FaultRow | undefined {
    return this.#sql('SELECT * FROM accession_fault WHERE path = ?').get(path) as FaultRow | undefined;
  }

  setFault(path: string, message: string, stamp: FileStamp): void {
    this.#sql('INSERT OR REPLACE INTO accession_fault VALUES (?, ?, ?, ?, ?)').run(
      path,
      message,
      stamp.size,
      stamp.modified,
      stamp.inode,
    );
  }

  clearFault(path: string): void {
    this.#sql('DELETE FROM accession_fault WHERE path = ?').run(path);
  }
}
