/**
 * The record table of a database that another process writes. A commit of that process may fall between any two
 * statements, so what takes several of them is read in one transaction.
 */
import { statSync } from 'node:fs';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { ServiceError } from '../errors.ts';
import type { ClassSet } from './block-order.ts';
import { RecordTable } from './record-table.ts';
import type { ListedRecord, Range, StoredRecord } from './store.ts';
import { foreignLayout } from './table-layout.ts';

/** How often reads look whether the file is still the one that was opened, in milliseconds. */
const CHECK_MS = 500;

export class FollowedTable extends RecordTable {
  readonly #database: DatabaseSync;
  readonly #file: string;
  readonly #inode: number | undefined;
  readonly #begin: StatementSync;
  readonly #end: StatementSync;
  #checked = performance.now();

  /** @param file the path of the database */
  constructor(database: DatabaseSync, file: string) {
    super(database, 'read');
    this.#database = database;
    this.#file = file;
    this.#inode = inodeOf(file);
    this.#begin = database.prepare('BEGIN');
    this.#end = database.prepare('COMMIT');
  }

  override get(iri: string): StoredRecord | undefined {
    this.#check();
    return super.get(iri);
  }

  override revision(): number {
    this.#check();
    return super.revision();
  }

  override count(classes: ClassSet): number {
    return this.#atOnce(() => super.count(classes));
  }

  override rank(classes: ClassSet, pid: string): number {
    return this.#atOnce(() => super.rank(classes, pid));
  }

  override list(classes: ClassSet, range: Range): ListedRecord[] {
    return this.#atOnce(() => super.list(classes, range));
  }

  #atOnce<T>(read: () => T): T {
    this.#check();
    this.#begin.run();
    try {
      return read();
    } finally {
      this.#end.run();
    }
  }

  /** @throws ServiceError `storage_unavailable` if the file was replaced, or written by another release */
  #check(): void {
    const now = performance.now();
    if (now - this.#checked < CHECK_MS) return;
    if (inodeOf(this.#file) !== this.#inode) throw notFollowed('was replaced');
    requireLayout(this.#database);
    this.#checked = now;
  }
}

/** @throws ServiceError `storage_unavailable` for a database that another release of the service has written */
export function requireLayout(database: DatabaseSync): void {
  const layout = foreignLayout(database);
  if (layout !== undefined) throw notFollowed(`has ${layout}, which this release does not read`);
}

function inodeOf(file: string): number | undefined {
  return statSync(file, { throwIfNoEntry: false })?.ino;
}

/** Clients read it, so it has no path. */
function notFollowed(why: string): ServiceError {
  return new ServiceError(
    'storage_unavailable',
    `A database of the store ${why}. Start this process again, with the release of the service that owns the store.`,
  );
}
