/**
 * Keeps the files of a record directory in step with the index, so that a write is all there or not at all.
 *
 * Before the commit each new file is written aside, where a full disk turns the write down. The commit of the index,
 * which holds the record and the paths that are pending, makes the write durable. After it files are moved into
 * place, and somewhat later flushed to disk and taken off the list of pending paths. Whatever a crash leaves on that
 * list is carried out at the next start.
 */
import { mkdirSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { type JsonObject, parseJson } from '../../json.ts';
import { writeYaml } from '../../yaml/write.ts';
import { transaction } from '../database.ts';
import type { StoreLog } from '../log.ts';
import type { RecordTable } from '../record-table.ts';
import type { Change } from '../store.ts';
import type { Companion } from '../table-store.ts';
import { type FileStamp, flushIfThere, flushNow, sameStamp, stampOf, writeWhole } from './disk.ts';
import { filePath, type MappingMethod, spareFilePath } from './file-names.ts';
import type { FileTable } from './file-table.ts';

/**
 * What is to be done to a file after the commit: `temporary` is moved there, without it the file is removed. `since` is
 * when its path was put on the list of pending ones.
 */
type Action = { readonly path: string; readonly temporary?: string; readonly since: number };

/** How long files wait for being flushed, so that one flush does for several changes, in milliseconds. */
const FLUSH_DELAY = 1000;

/** How long another process may take to put its files in place, in milliseconds; then it has died on the way. */
const PATIENCE = 10_000;
/** Flushes at the same time cost the medium hardly more than one. */
const FLUSHED_AT_ONCE = 64;

export type Area = {
  readonly directory: string;
  /** Where files are written before they are moved into place; on the same medium. */
  readonly staging: string;
  readonly mapping: MappingMethod;
  readonly database: DatabaseSync;
  readonly table: RecordTable;
  readonly files: FileTable;
  readonly log: StoreLog;
};

/** There is one for each open record directory. */
export class Publisher implements Companion {
  readonly #area: Area;
  /** Of the write at hand, and of the writes of the transaction that are kept. */
  #staged: Action[] = [];
  #kept: Action[] = [];
  /** Paths that this process has put on the list of pending ones, and since when; of these, those not in place yet. */
  readonly #own = new Map<string, number>();
  readonly #unplaced = new Set<string>();
  #serial = 0;
  #timer: NodeJS.Timeout | undefined;
  #flushing: Promise<void> | undefined;
  #closed = false;

  constructor(area: Area) {
    this.#area = area;
  }

  stage(change: Change): void {
    const { files } = this.#area;
    const iri = 'put' in change ? change.put.iri : change.delete;
    const former = files.ofIri(iri);
    let path: string | undefined;
    if ('put' in change) {
      path = this.#pathFor(change.put);
      const since = files.setPending(path);
      const { temporary, stamp } = this.#writeAside(path, change.put.json);
      this.#staged.push({ path, temporary, since });
      files.set(path, iri, stamp);
    }
    if (former && former.path !== path) {
      if (files.ofPath(former.path)?.iri === iri) files.remove(former.path);
      this.#staged.push({ path: former.path, since: files.setPending(former.path) });
    }
  }

  keep(): void {
    this.#kept.push(...this.#staged);
    this.#staged = [];
  }

  drop(): void {
    discard(this.#staged);
    this.#staged = [];
  }

  rolledBack(): void {
    discard([...this.#kept, ...this.#staged]);
    this.#kept = [];
    this.#staged = [];
  }

  committed(): void {
    for (const action of this.#kept) {
      this.#own.set(action.path, action.since);
      try {
        this.#carryOut(action);
        this.#unplaced.delete(action.path);
      } catch (error) {
        this.#unplaced.add(action.path);
        this.#area.log.warn(
          { path: action.path, error },
          'a file could not be put in place yet; it will be tried again',
        );
      }
    }
    this.#kept = [];
    if (this.#own.size > 0) this.#flushSoon();
  }

  /**
   * Carries out what a crash has left undone, except where somebody has changed the file since.
   *
   * @param ofAge leaves what is younger, in milliseconds, to the process that put it on the list.
   */
  resume(ofAge = Number.NEGATIVE_INFINITY): void {
    for (const { path, since } of this.#area.files.pending()) {
      if (this.#own.has(path) || Date.now() - since < ofAge) continue;
      if (!this.#isCarriedOut(path) && !this.#isChangedSince(path, since)) this.#makeAnew(path);
      this.#own.set(path, since);
    }
    if (this.#own.size > 0) this.#flushSoon();
  }

  /** Whether a file is still to be put in place or removed, so that the index is ahead of it. */
  isExpected(path: string): boolean {
    if (this.#unplaced.has(path)) return true;
    const since = this.#own.has(path) ? undefined : this.#area.files.pendingSince(path);
    return since !== undefined && Math.abs(Date.now() - since) < PATIENCE;
  }

  /** Flushes for the last time; what can't be flushed is left for the next opening. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.flush();
  }

  /** Flushes the files that this process has put in place, and takes them off the list of pending ones. */
  flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#flushing = (this.#flushing ?? Promise.resolve()).then(() => this.#flush());
    return this.#flushing;
  }

  #flushSoon(delay = FLUSH_DELAY): void {
    if (!this.#closed) this.#timer ??= setTimeout(() => void this.flush(), delay).unref();
  }

  async #flush(): Promise<void> {
    const { directory, files, database, log } = this.#area;
    try {
      this.resume(PATIENCE);
      for (const path of this.#unplaced) this.#makeAnew(path);
      this.#unplaced.clear();
      const pending = [...this.#own];
      if (pending.length === 0) return;
      const paths = pending.map(([path]) => path);
      const folders = new Set(paths.flatMap(foldersOf));
      for (const group of [paths.filter((path) => files.ofPath(path)), [...folders]]) {
        for (let start = 0; start < group.length; start += FLUSHED_AT_ONCE) {
          const some = group.slice(start, start + FLUSHED_AT_ONCE);
          await Promise.all(some.map((path) => flushIfThere(join(directory, path))));
        }
      }
      transaction(database, () => {
        for (const [path, since] of pending) files.settle(path, since);
      });
      for (const [path, since] of pending) if (this.#own.get(path) === since) this.#own.delete(path);
    } catch (error) {
      log.warn({ directory, error }, 'files could not be flushed to disk yet; it will be tried again');
      this.#flushSoon(5 * FLUSH_DELAY);
    }
  }

  /** Where a record goes: its mapped name, or the spare one if that name belongs to another record. */
  #pathFor({ className, pid, iri }: { className: string; pid: string; iri: string }): string {
    const path = filePath(this.#area.mapping, className, pid);
    const occupant = this.#area.files.ofPath(path);
    return !occupant || occupant.iri === iri ? path : spareFilePath(className, pid);
  }

  /** Writes a record's text to a temporary file, and makes the folders for its real one. */
  #writeAside(path: string, json: string): { temporary: string; stamp: FileStamp } {
    const { directory, staging } = this.#area;
    mkdirSync(dirname(join(directory, path)), { recursive: true });
    this.#serial += 1;
    const temporary = join(staging, `${process.pid}-${this.#serial}`);
    try {
      return { temporary, stamp: writeWhole(temporary, writeYaml(parseJson(json) as JsonObject)) };
    } catch (error) {
      rmSync(temporary, { force: true });
      throw error;
    }
  }

  #carryOut({ path, temporary }: Omit<Action, 'since'>): void {
    const file = join(this.#area.directory, path);
    if (temporary === undefined) rmSync(file, { force: true });
    else renameSync(temporary, file);
  }

  /** Whether a file is what the index says it is: there as it was written, or not there. */
  #isCarriedOut(path: string): boolean {
    const row = this.#area.files.ofPath(path);
    const stamp = stampOf(join(this.#area.directory, path));
    return row && stamp ? sameStamp(row, stamp) : row === stamp;
  }

  #isChangedSince(path: string, since: number): boolean {
    const stamp = stampOf(join(this.#area.directory, path));
    return stamp !== undefined && stamp.size > 0 && stamp.modified > since;
  }

  /** Makes a file, or removes it, from what the index holds. */
  #makeAnew(path: string): void {
    const { files, table, database } = this.#area;
    const row = files.ofPath(path);
    const record = row && table.get(row.iri);
    if (!record) {
      this.#carryOut({ path });
      return;
    }
    const { temporary, stamp } = this.#writeAside(path, record.json);
    transaction(database, () => files.set(path, record.iri, stamp));
    this.#carryOut({ path, temporary });
    flushNow(join(this.#area.directory, path));
  }
}

function discard(actions: readonly Action[]): void {
  for (const { temporary } of actions) if (temporary) rmSync(temporary, { force: true });
}

/** The folders that a path goes through, from the area's own on. */
function foldersOf(path: string): string[] {
  const folder = dirname(path);
  return folder === '.' ? [folder] : [folder, ...foldersOf(folder)];
}
