/**
 * Keeps the files of a `record_dir` area equal to it, and takes in what people and git do to them.
 *
 *     stage ───── commit ───── publish ─────── settle
 *     written     durable      in place        flushed, row and cursor saved
 *
 * The database is the journal: a file need not be on disk before the cursor passes the change that made it. So a write
 * waits for no flush but that of its commit, and files are flushed some at a time, later. After a crash, the files of the
 * changes after the cursor are compared with the records, byte for byte.
 *
 * Changes that were not staged here (many at once, or those of another instance) get their files from the entries after
 * the cursor, a few at a time. With PostgreSQL all do, in the instance that leads.
 */
import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { MappingMethod } from '../config/backends.ts';
import { isDiskFull, ServiceError } from '../errors.ts';
import type { Database, Mirror, Staged } from '../storage/database.ts';
import type { StoreLog } from '../storage/log.ts';
import type { Change, RecordKey, RecordStore } from '../storage/store.ts';
import { DIRECTORY_CONFIG_FILE, writeDirectoryConfig } from './directory-config.ts';
import { sameStamp, stampOf } from './disk.ts';
import { FileTable, type FoundRows } from './file-table.ts';
import { type ChangedPath, Placer, type StagedFile } from './place.ts';
import { type Naming, recordFiles } from './record-files.ts';
import { OutsideChange, TakeIn } from './take-in.ts';
import { DirectoryWatch } from './watch.ts';

export type MirrorOptions = {
  readonly database: Database;
  /** The area, by its path in the database. */
  readonly path: string;
  /** Its directory, which is made when there is something to put into it. */
  readonly directory: string;
  readonly mapping: MappingMethod;
  /** Whether files have `schema_type`: those of backends without `+stl`. */
  readonly typed: boolean;
  /** The schema as it is now, and its address as the collection names it. */
  readonly schema: () => Naming & { readonly address: string };
  /**
   * Writes changes to the area by nobody, with their contexts. May be called while a write of the area is being staged, so
   * it must not wait for other writes.
   */
  readonly takeIn: (changes: readonly Change[]) => Promise<void>;
  readonly log: StoreLog;
};

/** A file that is left out, or cannot be written. */
export type FileFault = { readonly path: string; readonly message: string };

export interface AreaMirror extends Mirror {
  /** Completes what a crash has left, watches the directory, and takes in what has changed while nobody watched. */
  begin(): Promise<void>;
  /** Makes the files of changes that have none yet. */
  catchUp(): Promise<void>;
  /** Compares all files with what is known of them; with `everything`, also their contents, and all records. */
  compareAll(options?: { readonly everything?: boolean }): Promise<void>;
  /** To be called when the schema is another one: files that were left out may fit now. */
  schemaChanged(): Promise<void>;
  faults(): Promise<FileFault[]>;
  /** Flushes the files that are in place, and moves the cursor. */
  settle(): Promise<void>;
  close(): Promise<void>;
}

export function openMirror(options: MirrorOptions): AreaMirror {
  return new DirectoryMirror(options);
}

/** How long files wait for a flush, so that one serves several changes, in milliseconds. */
const SETTLE_PAUSE = 1000;
/** With more rows than this in memory, they are saved while a long catching-up goes on. */
const MOST_WAITING = 5000;
/** How long before something is tried again that has failed, in milliseconds. */
const RETRY_PAUSE = 5000;
/** How long after a change of another instance its file is made, in milliseconds. */
const FOLLOW_PAUSE = 200;
/** Entries whose files are made in one go. */
const ENTRIES_AT_ONCE = 200;
/** Files that are written or looked at before others have a turn. */
const FILES_AT_ONCE = 100;

type StagedChange = { readonly change: Change; readonly file?: StagedFile };
type Current = RecordKey & { readonly json: string; readonly revision: number };
/** A record whose file is not as it should be: since when, and why, if that is more than a change from outside. */
type Unfinished = { readonly revision: number; readonly path: string; readonly message?: string };

const NOTHING: Staged = { publish: async () => {}, discard: async () => {} };

class DirectoryMirror implements AreaMirror {
  readonly #options: MirrorOptions;
  readonly #placer: Placer;
  readonly #files: FileTable;
  readonly #takeIn: TakeIn;
  readonly #watch: DirectoryWatch;
  readonly #locked = chain();
  readonly #working = chain();
  readonly #comparing = chain();
  /** Files of all entries up to this one are in place, and of these later ones. */
  #through = Number.POSITIVE_INFINITY;
  readonly #published = new Set<number>();
  readonly #unfinished = new Map<string, Unfinished>();
  #savedCursor = -1;
  #isLost = false;
  #begun: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;
  readonly #endings: (() => void)[] = [];

  constructor(options: MirrorOptions) {
    const { database, directory, mapping, typed, log, path, schema, takeIn } = options;
    this.#options = options;
    this.#placer = new Placer({ directory, mapping, typed, log });
    this.#files = new FileTable(database, async () => (await this.#store()).area);
    this.#takeIn = new TakeIn({
      ...{ database, directory, typed, takeIn, log },
      store: () => this.#store(),
      naming: schema,
      files: this.#files,
      placer: this.#placer,
      locked: this.#locked,
      floor: () => this.#cursor(),
      isLost: () => this.#losesFiles(),
      again: (path) => this.#watch.note(path),
    });
    this.#watch = new DirectoryWatch(directory, {
      look: (paths) => this.#lookAndMend(paths),
      compareAll: () => this.compareAll(),
    });
    this.#endings.push(
      database.onChange((areas) => {
        if (this.#begun && (areas === 'unknown' || areas.has(path)))
          this.#soon(this.#follows ? FOLLOW_PAUSE : SETTLE_PAUSE);
      }),
      database.leadership.watch(() => {
        if (database.leadership.held) void this.begin();
        else this.#pause();
      }),
    );
  }

  begin(): Promise<void> {
    if (!this.#options.database.leadership.held || this.#closed) return Promise.resolve();
    this.#begun ??= this.#begin().catch((error) => {
      this.#begun = undefined;
      this.#options.log.warn(
        { directory: this.#options.directory, error },
        'the files of an area cannot be compared with it',
      );
      if (!this.#closed) setTimeout(() => void this.begin(), RETRY_PAUSE).unref();
    });
    return this.#begun;
  }

  async stage(changes: readonly Change[]): Promise<Staged> {
    if (!this.#options.database.leadership.held || this.#closed) return NOTHING;
    void this.begin();
    const own = this.#follows ? [] : changes.filter(({ context }) => !(context instanceof OutsideChange));
    await this.#takeInFirst(own);
    const staged: StagedChange[] = [];
    const discard = async () => {
      for (const { file } of staged) if (file) this.#placer.discard(file);
    };
    try {
      for (const [at, change] of changes.entries()) {
        const needsFile = 'put' in change && own.length > 0 && !(change.context instanceof OutsideChange);
        if (needsFile) this.#placer.pathsOf(change.put);
        staged.push({
          change,
          ...(needsFile && { file: this.#placer.stage(this.#placer.contentOf(change.put.json)) }),
        });
        if (at % FILES_AT_ONCE === FILES_AT_ONCE - 1) await nextTurn();
      }
    } catch (error) {
      await discard();
      throw stagingFailure(error);
    }
    return { publish: (revisions) => this.#publish(staged, revisions), discard };
  }

  async catchUp(): Promise<void> {
    await this.begin();
    await this.#working(() => this.#catchUp());
  }

  async compareAll({ everything = false } = {}): Promise<void> {
    await this.#comparing(() => this.#working(() => this.#compareAll(everything)));
  }

  async schemaChanged(): Promise<void> {
    const { directory } = this.#options;
    if (!this.#options.database.leadership.held || !existsSync(directory)) return;
    this.#writeDirectoryConfig();
    const faults = await this.#files.faults();
    await this.#lookAndMend(
      faults.map(({ path }) => path),
      true,
    );
  }

  async faults(): Promise<FileFault[]> {
    const left = [...this.#unfinished.values()].flatMap(({ path, message }) =>
      message === undefined ? [] : [{ path, message }],
    );
    return [...(await this.#files.faults()), ...left];
  }

  async settle(): Promise<void> {
    await this.#working(() => this.#settle());
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    for (const end of this.#endings) end();
    this.#pause();
    await this.#begun;
    await this.#working(async () => {
      if (this.#options.database.leadership.held) await this.#settle();
    }).catch((error) => this.#warn(error, 'record files could not be flushed'));
  }

  /** Whether another process may have made any change: the files follow the entries. */
  get #follows(): boolean {
    return this.#options.database.dialect.name === 'postgresql';
  }

  #store(): Promise<RecordStore> {
    return this.#options.database.area(this.#options.path);
  }

  /** The revision that the cursor may have: changes up to it need not be looked at again after a crash. */
  #cursor(): number {
    let cursor = this.#through;
    for (const { revision } of this.#unfinished.values()) cursor = Math.min(cursor, revision - 1);
    return cursor;
  }

  #warn(error: unknown, message: string): void {
    this.#options.log.warn({ directory: this.#options.directory, error }, message);
  }

  async #begin(): Promise<void> {
    const { database, path, directory, log } = this.#options;
    const known = await database.existingArea(path);
    if (!known && !existsSync(directory)) {
      this.#begun = undefined;
      return;
    }
    mkdirSync(directory, { recursive: true });
    this.#placer.prepare(existsSync(this.#placer.staging) ? readdirSync(this.#placer.staging) : []);
    this.#through = (await this.#files.cursor()) ?? 0;
    this.#savedCursor = this.#through;
    this.#placer.removePeerIndex();
    this.#isLost = this.#hasNoConfig && (await this.#files.page('')).rows.length > 0;
    if (this.#isLost)
      log.warn({ directory }, 'the files of an area are lost; they are written again from the database');
    else this.#writeDirectoryConfig();
    await this.#working(() => this.#catchUp());
    await this.#watch.begin();
    await this.compareAll();
  }

  #pause(): void {
    this.#begun = undefined;
    this.#watch.stop();
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  get #hasNoConfig(): boolean {
    return !existsSync(join(this.#options.directory, DIRECTORY_CONFIG_FILE));
  }

  #writeDirectoryConfig(): void {
    const { directory, mapping, schema } = this.#options;
    writeDirectoryConfig(directory, mapping, schema().address);
  }

  /** A directory without its description was removed or emptied as a whole, which is not meant for each of its records. */
  #losesFiles(): boolean {
    if (!this.#isLost && this.#hasNoConfig) {
      this.#isLost = true;
      this.#options.log.warn(
        { directory: this.#options.directory },
        'the files of an area are lost; they are written again',
      );
      this.#watch.note();
    }
    return this.#isLost;
  }

  #soon(pause = SETTLE_PAUSE): void {
    if (this.#closed || this.#timer) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      void this.#working(() => this.#work()).catch((error) => {
        this.#warn(error, 'record files could not be brought up to date, will retry');
        this.#soon(RETRY_PAUSE);
      });
    }, pause).unref();
  }

  async #work(): Promise<void> {
    if (this.#closed || !this.#options.database.leadership.held) return;
    await this.#catchUp();
    await this.#finish();
    await this.#settle();
    if (this.#unfinished.size > 0) this.#soon(RETRY_PAUSE);
  }

  /** Takes in what others have done to the files that changes are about to replace: those came first. */
  async #takeInFirst(changes: readonly Change[]): Promise<void> {
    const changed = new Set<string>();
    for (let start = 0; start < changes.length; start += FILES_AT_ONCE) {
      const some = changes.slice(start, start + FILES_AT_ONCE);
      const paths = some.flatMap((change) => ('put' in change ? this.#placer.pathsOf(change.put)[0]! : []));
      await this.#locked(async () => {
        const rows = await this.#files.find(paths, some.map(iriOf));
        const concerned = new Set([
          ...paths,
          ...some.flatMap((change) => rows.of(iriOf(change))?.path ?? []),
        ]);
        for (const path of concerned)
          if (!sameStamp(rows.at(path)?.stamp, stampOf(this.#placer.path(path)))) changed.add(path);
      });
    }
    if (changed.size > 0) await this.#lookAndMend([...changed]);
  }

  async #publish(staged: readonly StagedChange[], revisions: readonly number[]): Promise<void> {
    try {
      for (let start = 0; start < staged.length; start += FILES_AT_ONCE) {
        const end = start + FILES_AT_ONCE;
        await this.#locked(() => this.#publishSome(staged.slice(start, end), revisions.slice(start, end)));
        if (end < staged.length) await nextTurn();
      }
    } catch (error) {
      // The entries after the cursor bring it up again.
      this.#warn(error, 'record files could not be put into place, will retry');
    }
    this.#soon();
  }

  async #publishSome(staged: readonly StagedChange[], revisions: readonly number[]): Promise<void> {
    const paths = staged.flatMap(({ change }) => this.#pathsOf(change));
    const rows = await this.#files.find(
      paths,
      staged.map(({ change }) => iriOf(change)),
    );
    for (const [at, { change, file }] of staged.entries()) {
      const revision = revisions[at]!;
      if (this.#follows && !(change.context instanceof OutsideChange)) continue;
      this.#place(change, revision, file, rows);
      this.#published.add(revision);
    }
    while (this.#published.delete(this.#through + 1)) this.#through += 1;
  }

  #pathsOf(change: Change): string[] {
    const outside = change.context instanceof OutsideChange ? [change.context.path] : [];
    return 'put' in change && outside.length === 0 ? this.#placer.pathsOf(change.put) : outside;
  }

  #place(change: Change, revision: number, file: StagedFile | undefined, rows: FoundRows): void {
    const iri = iriOf(change);
    if ((rows.of(iri)?.revision ?? 0) >= revision) {
      if (file) this.#placer.discard(file);
    } else if (change.context instanceof OutsideChange) {
      this.#noteOutside(change, change.context, revision, rows);
    } else {
      this.#try(iri, revision, () => {
        if ('put' in change) return this.#placer.place(change.put, revision, file!, rows);
        const row = rows.of(iri);
        return row && this.#placer.removeFile(row.path, rows);
      });
    }
  }

  /** The file is as it is to be: only its row changes, and a file that the record had before goes. */
  #noteOutside(
    change: Change,
    { path, stamp, digest }: OutsideChange,
    revision: number,
    rows: FoundRows,
  ): void {
    const iri = iriOf(change);
    const former = rows.of(iri);
    if ('put' in change ? former && former.path !== path : former?.path === path) {
      const changed = this.#placer.removeFile(former!.path, rows);
      if (changed !== undefined) this.#watch.note(changed);
    }
    if ('put' in change) rows.set({ path, iri, revision, stamp: stamp!, digest, fault: null });
  }

  /** Puts a file of a record into place, or notes that it is unfinished. */
  #try(iri: string, revision: number, work: () => ChangedPath | undefined): void {
    try {
      const changed = work();
      if (changed === undefined) return void this.#unfinished.delete(iri);
      this.#leaveUnfinished(iri, { revision, path: changed });
      this.#watch.note(changed);
    } catch (error) {
      const { code, message, path = '' } = error as NodeJS.ErrnoException;
      const relative = path.startsWith(this.#options.directory)
        ? path.slice(this.#options.directory.length + 1)
        : path;
      this.#leaveUnfinished(iri, {
        revision,
        path: relative,
        message: `it can't be written: ${code ?? message}`,
      });
      this.#warn(error, 'a record file could not be put into place, will retry');
    }
  }

  #leaveUnfinished(iri: string, unfinished: Unfinished): void {
    const revision = Math.min(
      unfinished.revision,
      this.#unfinished.get(iri)?.revision ?? unfinished.revision,
    );
    this.#unfinished.set(iri, { ...unfinished, revision });
    this.#soon();
  }

  /** Makes the files of entries after those that have theirs. */
  async #catchUp(): Promise<void> {
    const { database, path } = this.#options;
    const store = await database.existingArea(path);
    if (!store) return;
    while (!this.#closed) {
      const entries = await database.tuples<[revision: number, iri: string, pid: string, className: string]>(
        `SELECT revision, iri, pid, class_name FROM accession_entry
         WHERE area = $1 AND revision > $2 ORDER BY revision LIMIT ${ENTRIES_AT_ONCE}`,
        [store.area.id, this.#through],
      );
      if (entries.length === 0) return;
      const iris = [...new Set(entries.map(([, iri]) => iri))];
      const last = entries.at(-1)![0];
      await this.#mend(iris, last);
      await this.#removeLeftovers(entries.map(([, iri, pid, className]) => ({ iri, pid, className })));
      await this.#locked(async () => {
        this.#through = Math.max(this.#through, last);
        for (const revision of this.#published)
          if (revision <= this.#through) this.#published.delete(revision);
        while (this.#published.delete(this.#through + 1)) this.#through += 1;
      });
      if (this.#files.waiting > MOST_WAITING) await this.#settle();
      await nextTurn();
    }
  }

  /** Looks at files, and makes those of records that are newer. */
  async #lookAndMend(paths: readonly string[], force = false): Promise<void> {
    const behind = await this.#takeIn.look(paths, { force });
    if (behind.size > 0) await this.#mend([...behind]);
    await this.#finish();
  }

  /** Tries again what is unfinished. */
  async #finish(): Promise<void> {
    if (this.#unfinished.size > 0) await this.#mend([...this.#unfinished.keys()]);
  }

  /**
   * Makes the files of records as they are now, and removes those of records that are gone.
   *
   * @param revision the last change that they are to follow; the default is that which they are known to lack
   */
  async #mend(iris: readonly string[], revision?: number): Promise<void> {
    for (let start = 0; start < iris.length; start += FILES_AT_ONCE) {
      const some = iris.slice(start, start + FILES_AT_ONCE);
      const changed = await this.#locked(() => this.#mendSome(some, revision));
      if (changed.size === 0) continue;
      const behind = await this.#takeIn.look([...changed]);
      await this.#locked(() => this.#mendSome([...new Set([...some, ...behind])], revision));
    }
  }

  /** @returns the paths that others have changed */
  async #mendSome(iris: readonly string[], revision = 0): Promise<Set<string>> {
    const records = await this.#records(iris);
    const paths = [...records.values()].flatMap((record) => this.#placer.pathsOf(record));
    const rows = await this.#files.find(paths, iris);
    await this.#makeRoom(paths, records, rows);
    const changed = new Set<string>();
    for (const iri of iris) {
      const record = records.get(iri);
      const row = rows.of(iri);
      if (record ? row && row.revision >= record.revision : !row) {
        this.#unfinished.delete(iri);
        continue;
      }
      this.#try(iri, record?.revision ?? Math.max(revision, (row?.revision ?? 0) + 1), () => {
        const path = record ? this.#make(record, rows) : this.#placer.removeFile(row!.path, rows);
        if (path !== undefined) changed.add(path);
        return path;
      });
    }
    return changed;
  }

  #make(record: Current, rows: FoundRows): ChangedPath | undefined {
    const content = this.#placer.contentOf(record.json);
    const { done, changed } = this.#placer.adopt(record, record.revision, content, rows);
    return done ? changed : this.#placer.place(record, record.revision, this.#placer.stage(content), rows);
  }

  /** A record may have another IRI now: the file under its name then belongs to no record, and makes room. */
  async #makeRoom(
    paths: readonly string[],
    records: ReadonlyMap<string, Current>,
    rows: FoundRows,
  ): Promise<void> {
    const holders = paths
      .flatMap((path) => rows.at(path) ?? [])
      .filter(({ iri }) => iri !== null && !records.has(iri));
    if (holders.length === 0) return;
    const kept = await this.#records(holders.map(({ iri }) => iri!));
    for (const row of holders) if (!kept.has(row.iri!)) rows.set({ ...row, iri: null, revision: 0 });
  }

  /** Removes files that a crash has kept the mirror from removing, and of which no row tells. */
  async #removeLeftovers(keys: readonly RecordKey[]): Promise<void> {
    const iris = new Map(
      keys.flatMap((key) => this.#placer.pathsOf(key).map((path) => [path, key.iri] as const)),
    );
    const changed = await this.#locked(async () => {
      const rows = await this.#files.find([...iris.keys()], []);
      return [...iris.keys()].filter((path) => !rows.at(path) && stampOf(this.#placer.path(path)));
    });
    for (const path of changed)
      if (await this.#takeIn.wasOwn(iris.get(path)!, path)) rmSync(this.#placer.path(path), { force: true });
    if (changed.length > 0) await this.#lookAndMend(changed);
  }

  async #records(iris: readonly string[]): Promise<Map<string, Current>> {
    const { database } = this.#options;
    const rows = await database.tuples<
      [iri: string, pid: string, className: string, json: string, revision: number]
    >(
      `SELECT iri, pid, class_name, json, revision FROM accession_record
       WHERE area = $1 AND ${database.dialect.among('iri', 2)}`,
      [(await this.#store()).area.id, iris],
    );
    return new Map(
      rows.map(([iri, pid, className, json, revision]) => [iri, { iri, pid, className, json, revision }]),
    );
  }

  /** Files that are gone come last: until then, another file may have their record, which was moved. */
  async #compareAll(everything: boolean): Promise<void> {
    if (this.#closed || !this.#options.database.leadership.held) return;
    let some: string[] = [];
    for (const path of recordFiles(this.#options.directory)) {
      some.push(path);
      if (some.length < FILES_AT_ONCE) continue;
      await this.#lookAndMend(some, everything);
      some = [];
      await nextTurn();
      if (this.#closed) return;
    }
    await this.#lookAndMend(some, everything);
    // Pages have the rows that are saved.
    await this.#settle();
    for (let after: string | undefined = ''; after !== undefined; await nextTurn()) {
      const { rows, next } = await this.#locked(() => this.#files.page(after!));
      const gone = rows.filter(({ path }) => !stampOf(this.#placer.path(path)));
      if (gone.length > 0) await this.#lookAndMend(gone.map(({ path }) => path));
      after = next;
      if (this.#closed) return;
    }
    if (everything) await this.#mendEverything();
    if (!this.#isLost) return;
    this.#writeDirectoryConfig();
    this.#isLost = false;
  }

  /** Makes the files of records that have none. */
  async #mendEverything(): Promise<void> {
    const { database, path } = this.#options;
    const store = await database.existingArea(path);
    if (!store) return;
    for (let after = ''; !this.#closed; await nextTurn()) {
      const rows = await database.tuples<[iri: string]>(
        `SELECT iri FROM accession_record WHERE area = $1 AND iri > $2 ORDER BY iri LIMIT ${ENTRIES_AT_ONCE}`,
        [store.area.id, after],
      );
      await this.#mend(rows.map(([iri]) => iri));
      if (rows.length < ENTRIES_AT_ONCE) return;
      after = rows.at(-1)![0];
    }
  }

  async #settle(): Promise<void> {
    const { cursor, rows, paths } = await this.#locked(async () => ({
      cursor: this.#cursor(),
      rows: this.#files.take(),
      paths: this.#placer.takeUnflushed(),
    }));
    if (rows.size === 0 && cursor === this.#savedCursor) return;
    try {
      await this.#placer.flush(paths);
      if (paths.size > 0) this.#placer.removePeerIndex();
      await this.#files.save(rows, Number.isFinite(cursor) ? cursor : undefined);
      this.#savedCursor = cursor;
    } catch (error) {
      this.#placer.giveBack(paths);
      this.#files.giveBack(rows);
      throw error;
    }
  }
}

const iriOf = (change: Change) => ('put' in change ? change.put.iri : change.delete);

function stagingFailure(error: unknown): unknown {
  if (error instanceof ServiceError) return error;
  const reason = isDiskFull(error)
    ? 'the disk of the store is full'
    : `the file system reported ${(error as Error).message}`;
  const message = `Nothing was changed: the files of the records could not be written: ${reason}.`;
  return new ServiceError(isDiskFull(error) ? 'storage_full' : 'storage_failed', message, [], {
    cause: error,
  });
}

/** Runs one work after the other. */
function chain(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const next = last.then(work);
    last = next.catch(() => {});
    return next;
  };
}
