/**
 * Keeps the files of a record directory in step with the index, so that a write is complete or has no effect.
 *
 *     staged ──────commit──────▶ committed ─────move─────▶ placed ─────flush─────▶ settled
 *       │                            │
 *       │ rollback                   │ a later write of the same path
 *       ▼                            ▼
 *     discarded                  superseded
 *
 * - *staged*: the new file is in the staging folder, so a full disk refuses the write. The record and the pending file
 *   are in the transaction.
 * - *committed*: the write is durable, since the index has the record. The file is moved into place next.
 * - *placed*: the file is in place, but may not survive a loss of power.
 * - *settled*: the file and its folders are flushed, and it is no longer on the list of pending files.
 *
 * Several processes may have a directory open, and each may be killed at any moment. Therefore a file is moved only
 * inside a transaction, which no two processes are in at the same time, and only if it is still on the list as this
 * write put it there. A process completes a pending file before it compares it with the index.
 */
import { randomUUID } from 'node:crypto';
import { mkdirSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type JsonObject, parseJson } from '../../json.ts';
import { writeYaml } from '../../yaml/write.ts';
import { isBusy, transaction, whenFree } from '../database.ts';
import type { StoreLog } from '../log.ts';
import type { RecordTable } from '../record-table.ts';
import type { Change } from '../store.ts';
import type { WriteParticipant } from '../table-store.ts';
import { type FileStamp, flushIfThere, flushNow, sameStamp, stampOf, writeWhole } from './disk.ts';
import { filePath, type MappingMethod, spareFilePath } from './file-names.ts';
import type { FileTable, PendingFile } from './file-table.ts';

/** How long files wait for a flush, so that one flush serves several changes, in milliseconds. */
const FLUSH_DELAY = 1000;
/** How long before a move is tried again, in milliseconds: if another process has the lock, and if it failed. */
const LOCK_PAUSE = 20;
const FAILURE_PAUSE = 1000;
/** Age at which a pending file of another process is flushed here, in milliseconds: that process was killed. */
const ABANDONED = 10_000;
/** Parallel flushes cost the disk hardly more than one. */
const FLUSHED_AT_ONCE = 64;
/** Folders that are remembered. */
const MOST_FOLDERS = 10_000;
/** How long files are handled in one go before requests get a turn, in milliseconds. */
const PUBLISH_SLICE_MS = 10;

export type RecordDirectory = {
  readonly directory: string;
  /** Where files are written before they are moved into place; on the same file system. */
  readonly staging: string;
  readonly mapping: MappingMethod;
  readonly database: DatabaseSync;
  readonly table: RecordTable;
  readonly files: FileTable;
  readonly log: StoreLog;
};

type Staged = { readonly temporary: string; readonly stamp: FileStamp };

/** There is one for each open record directory, and one for each long write. */
export class Publisher implements WriteParticipant {
  readonly #area: RecordDirectory;
  /** Files that were written before the transaction of their change. */
  readonly #prepared = new Map<Change, Staged>();
  /** Staged by the current write, and by the committed writes of the transaction. */
  #staged: PendingFile[] = [];
  #kept: PendingFile[] = [];
  /** By path: files that this process has committed, and those that it has placed. */
  readonly #committed = new Map<string, PendingFile>();
  readonly #placed = new Map<string, PendingFile>();
  /** Folders that have been made. */
  readonly #folders = new Set<string>();
  #placing: NodeJS.Timeout | undefined;
  #timer: NodeJS.Timeout | undefined;
  #flushing: Promise<void> | undefined;
  #closed = false;

  constructor(area: RecordDirectory) {
    this.#area = area;
  }

  /** Writes the files of changes aside, so that the transaction is short; other requests get their turns meanwhile. */
  async prepare(changes: readonly Change[]): Promise<void> {
    let turn = performance.now();
    for (const change of changes) {
      if (!('put' in change)) continue;
      if (performance.now() - turn > PUBLISH_SLICE_MS) {
        await nextTurn();
        turn = performance.now();
      }
      try {
        this.#prepared.set(change, this.#writeAside(change.put.json));
      } catch {
        // Staging the change fails as well, and refuses the one write that it belongs to.
        return;
      }
    }
  }

  stage(change: Change): void {
    const { directory, files } = this.#area;
    const iri = 'put' in change ? change.put.iri : change.delete;
    const former = files.ofIri(iri);
    let path: string | undefined;
    if ('put' in change) {
      path = this.#pathFor(change.put);
      this.#makeFolder(dirname(join(directory, path)));
      const { temporary, stamp } = this.#prepared.get(change) ?? this.#writeAside(change.put.json);
      this.#prepared.delete(change);
      this.#staged.push(files.setPending(path, temporary));
      files.set(path, iri, stamp);
    }
    if (former && former.path !== path) {
      this.#staged.push(files.setPending(former.path, null));
      if (files.ofPath(former.path)?.iri === iri) files.remove(former.path);
    }
  }

  keep(): void {
    for (const file of this.#staged) this.#kept.push(file);
    this.#staged = [];
  }

  /** The kept files, which another publisher of the area adopts. */
  handOver(): PendingFile[] {
    const kept = this.#kept;
    this.#kept = [];
    this.#discardPrepared();
    return kept;
  }

  adopt(kept: readonly PendingFile[]): void {
    for (const file of kept) this.#kept.push(file);
  }

  drop(): void {
    for (const file of this.#staged) this.#discard(file);
    this.#staged = [];
  }

  rolledBack(): void {
    for (const file of [...this.#kept, ...this.#staged]) this.#discard(file);
    this.#kept = [];
    this.#staged = [];
    this.#discardPrepared();
  }

  /** Moves files into place; if there are too many for one go, the rest follows between other requests. */
  committed(): void {
    for (const file of this.#kept) {
      const earlier = this.#committed.get(file.path);
      if (earlier) this.#discard(earlier);
      this.#committed.set(file.path, file);
    }
    this.#kept = [];
    this.#discardPrepared();
    if (this.#placing === undefined) this.#placeSome();
  }

  /**
   * Completes the files on the list that a crash has left there.
   *
   * @param age leaves younger ones, in milliseconds, to the process that put them on the list
   */
  async resume(age = Number.NEGATIVE_INFINITY): Promise<void> {
    const { database, files, log } = this.#area;
    const own = ({ path, since }: PendingFile) =>
      this.#committed.get(path)?.since === since || this.#placed.get(path)?.since === since;
    const left = files.pending(Date.now() - age).filter((file) => !own(file));
    while (left.length > 0) {
      await whenFree(() =>
        transaction(database, () => {
          for (
            const end = performance.now() + PUBLISH_SLICE_MS;
            left.length > 0 && performance.now() < end;
          ) {
            const { path, since } = left.pop()!;
            const file = files.pendingOf(path);
            if (file?.since !== since) continue;
            try {
              this.#complete(file);
              this.#placed.set(path, file);
            } catch (error) {
              log.warn({ path, error }, 'could not move record file into place, will retry');
            }
          }
        }),
      );
      await nextTurn();
    }
    this.#flushSoon();
  }

  /**
   * Completes a file if it is on the list, so that it can be compared with the index. Must be called inside a
   * transaction.
   *
   * @returns false if that is not possible now: the index is ahead of the file
   */
  completed(path: string): boolean {
    const file = this.#area.files.pendingOf(path);
    if (!file || this.#placed.get(path)?.since === file.since) return true;
    try {
      this.#complete(file);
      return true;
    } catch {
      return false;
    }
  }

  /** Moves and flushes everything for the last time; the next opening completes what fails now. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.flush();
    clearTimeout(this.#placing);
  }

  /** Flushes the files that this process has placed, and takes them off the list of pending ones. */
  flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#flushing = (this.#flushing ?? Promise.resolve()).then(() => this.#flush());
    return this.#flushing;
  }

  #flushSoon(delay = FLUSH_DELAY): void {
    if (!this.#closed && this.#placed.size > 0)
      this.#timer ??= setTimeout(() => void this.flush(), delay).unref();
  }

  /** Places committed files for a slice of time, and arranges for the rest. */
  #placeSome(): void {
    this.#placing = undefined;
    let pause: number | undefined;
    try {
      if (!this.#placeSlice()) pause = FAILURE_PAUSE;
    } catch (error) {
      if (!isBusy(error))
        this.#area.log.warn({ error }, 'could not move record files into place, will retry');
      pause = isBusy(error) ? LOCK_PAUSE * Math.random() : FAILURE_PAUSE;
    }
    this.#flushSoon();
    if (this.#committed.size > 0 && !this.#closed)
      this.#placing = setTimeout(() => this.#placeSome(), pause ?? 0);
  }

  /** @returns whether none failed */
  #placeSlice(): boolean {
    const { database, files, log } = this.#area;
    let failed = 0;
    const end = performance.now() + PUBLISH_SLICE_MS;
    transaction(database, () => {
      for (const file of this.#committed.values()) {
        const { path, since } = file;
        try {
          if (files.pendingOf(path)?.since === since) {
            this.#complete(file);
            this.#placed.set(path, file);
          } else {
            this.#discard(file);
          }
          this.#committed.delete(path);
        } catch (error) {
          failed += 1;
          log.warn({ path, error }, 'could not move record file into place, will retry');
        }
        if (performance.now() > end) break;
      }
    });
    return failed === 0;
  }

  async #flush(): Promise<void> {
    const { directory, files, database, log } = this.#area;
    try {
      await this.resume(ABANDONED);
      let failed = false;
      while (this.#committed.size > 0 && !failed) {
        failed = !(await whenFree(() => this.#placeSlice()));
        await nextTurn();
      }
      const placed = [...this.#placed.values()];
      const folders = new Set<string>();
      for (const some of groups(placed, FLUSHED_AT_ONCE)) {
        for (const { path } of some) for (const folder of foldersOf(path)) folders.add(folder);
        const present = some.filter(({ path }) => files.ofPath(path));
        await Promise.all(present.map(({ path }) => flushIfThere(join(directory, path))));
      }
      for (const some of groups([...folders], FLUSHED_AT_ONCE))
        await Promise.all(some.map((path) => flushIfThere(join(directory, path))));
      for (const some of groups(placed, 4 * FLUSHED_AT_ONCE)) {
        await whenFree(() => transaction(database, () => some.forEach((file) => void files.settle(file))));
        for (const { path, since } of some)
          if (this.#placed.get(path)?.since === since) this.#placed.delete(path);
        await nextTurn();
      }
    } catch (error) {
      log.warn({ directory, error }, 'could not flush record files to disk, will retry');
      this.#flushSoon(5 * FLUSH_DELAY);
    }
  }

  /** Where a record goes: its mapped name, or the spare one if that name belongs to another record. */
  #pathFor({ className, pid, iri }: { className: string; pid: string; iri: string }): string {
    const path = filePath(this.#area.mapping, className, pid);
    const occupant = this.#area.files.ofPath(path);
    return !occupant || occupant.iri === iri ? path : spareFilePath(className, pid);
  }

  /** Makes a folder, which takes longer than the rest of a change: once, since a move makes it again if it is gone. */
  #makeFolder(folder: string): void {
    if (this.#folders.has(folder)) return;
    mkdirSync(folder, { recursive: true });
    if (this.#folders.size >= MOST_FOLDERS) this.#folders.clear();
    this.#folders.add(folder);
  }

  /** Writes a record to a file in the staging folder. */
  #writeAside(json: string): Staged {
    // Never used again: the files of a write may still be there when another publisher, or another process with the same
    // id, stages its own.
    const temporary = `${process.pid}-${randomUUID()}`;
    const file = join(this.#area.staging, temporary);
    try {
      return { temporary, stamp: writeWhole(file, writeYaml(parseJson(json) as JsonObject)) };
    } catch (error) {
      rmSync(file, { force: true });
      throw error;
    }
  }

  /** Moves, replaces or removes a pending file, unless that was done, or another program has changed it since. */
  #complete({ path, since, temporary }: PendingFile): void {
    if (temporary !== null && this.#move(temporary, path)) return;
    if (this.#isAsIndexed(path) || this.#isChangedSince(path, since)) return;
    this.#restore(path);
  }

  /** Returns whether the file was still in the staging folder. */
  #move(temporary: string, path: string): boolean {
    const { directory, staging } = this.#area;
    const from = join(staging, temporary);
    const to = join(directory, path);
    try {
      renameSync(from, to);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      if (!stampOf(from)) return false;
      mkdirSync(dirname(to), { recursive: true });
      renameSync(from, to);
    }
    return true;
  }

  /** Whether a file is as the index has it: in the state in which it was written, or absent. */
  #isAsIndexed(path: string): boolean {
    const row = this.#area.files.ofPath(path);
    const stamp = stampOf(join(this.#area.directory, path));
    return row && stamp ? sameStamp(row, stamp) : row === stamp;
  }

  #isChangedSince(path: string, since: number): boolean {
    const stamp = stampOf(join(this.#area.directory, path));
    return stamp !== undefined && stamp.size > 0 && stamp.modified > since;
  }

  /** Makes a file from its record in the index, or removes it if there is none. */
  #restore(path: string): void {
    const { directory, staging, files, table } = this.#area;
    const file = join(directory, path);
    const row = files.ofPath(path);
    const record = row && table.get(row.iri);
    if (!record) {
      rmSync(file, { force: true });
      return;
    }
    const { temporary, stamp } = this.#writeAside(record.json);
    try {
      flushNow(join(staging, temporary));
      mkdirSync(dirname(file), { recursive: true });
      files.set(path, record.iri, stamp);
      renameSync(join(staging, temporary), file);
    } catch (error) {
      this.#discard({ temporary });
      throw error;
    }
  }

  #discard({ temporary }: Pick<PendingFile, 'temporary'>): void {
    if (temporary !== null) rmSync(join(this.#area.staging, temporary), { force: true });
  }

  /** Discards the files of changes that were refused before they were staged. */
  #discardPrepared(): void {
    for (const staged of this.#prepared.values()) this.#discard(staged);
    this.#prepared.clear();
  }
}

function* groups<T>(list: readonly T[], size: number): Generator<T[]> {
  for (let start = 0; start < list.length; start += size) yield list.slice(start, start + size);
}

/** The folders that a path goes through, up to the area's own. */
function foldersOf(path: string): string[] {
  const folder = dirname(path);
  return folder === '.' ? [folder] : [folder, ...foldersOf(folder)];
}
