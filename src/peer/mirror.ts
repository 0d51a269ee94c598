/**
 * Keeps the files of a `record_dir` area equal to it, and adopts what people and git do to them.
 *
 *     stage ───── commit ───── publish ─────── settle
 *     written     durable      in place        flushed, rows and cursor saved
 *
 * The database is the journal: a file need not be on disk before the cursor passes the change that made it. So a write
 * waits for no flush but that of its commit, and files are flushed some at a time, later. After a crash, the files of the
 * changes after the cursor are compared with the records, byte for byte.
 *
 * Changes that were not staged here (many at once, or those of another instance) get their files from the entries after
 * the cursor, a few at a time. With PostgreSQL all do, in the instance that leads.
 */
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { MappingMethod } from '../config/backends.ts';
import { DELAY, RETRY } from '../durations.ts';
import { isDiskFull, ServiceError } from '../errors.ts';
import type { Database, Mirror, Staged } from '../storage/database.ts';
import type { StoreLog } from '../storage/log.ts';
import type { Change, RecordKey, RecordStore } from '../storage/store.ts';
import { yielder } from '../yield.ts';
import { DIRECTORY_CONFIG_FILE, writeDirectoryConfig } from './directory-config.ts';
import { flushIfThere, stampOf } from './disk.ts';
import { type Known, OWN_FOLDER, type Place, STAGING, type StagedFile } from './file-jobs.ts';
import { FileTable, type FoundRows } from './file-table.ts';
import type { FileWorker } from './file-worker.ts';
import { PEER_INDEX } from './peer-index.ts';
import { type CurrentRecord, type Following, Publisher } from './publish.ts';
import { type Naming, recordFiles } from './record-files.ts';
import { OutsideChange, TakeIn } from './take-in.ts';
import { DirectoryWatch } from './watch.ts';

export type MirrorOptions = {
  readonly database: Database;
  readonly worker: FileWorker;
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
   * Writes changes to the area without an author, with their contexts. May be called while a write of the area is being staged, so
   * it must not wait for other writes.
   */
  readonly takeIn: (changes: readonly Change[]) => Promise<void>;
  readonly log: StoreLog;
};

/** A file that is left out, or cannot be written. */
export type FileFault = { readonly path: string; readonly message: string };

export interface AreaMirror extends Mirror {
  /** Completes what a crash has left, watches the directory, and adopts what has changed while the service was stopped. */
  begin(): Promise<void>;
  /** To be called when the area has changed, so that changes that were not staged here have their files soon. */
  changed(): void;
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

/** With more rows than this in memory, they are saved while many files are made. */
const MOST_WAITING = 5000;
/** Files that are staged or compared, and entries whose files are made, in one go. */
const FILES_AT_ONCE = 200;
/** How often files are staged again because others have changed them. */
const MOST_ATTEMPTS = 3;
/** Parallel flushes cost the disk hardly more than one. */
const FLUSHED_AT_ONCE = 64;

const NOTHING: Staged = { publish: async () => {}, discard: async () => {} };

class DirectoryMirror implements AreaMirror {
  readonly #options: MirrorOptions;
  readonly #place: Place;
  readonly #files: FileTable;
  readonly #publisher: Publisher;
  readonly #takeIn: TakeIn;
  readonly #watch: DirectoryWatch;
  readonly #locked = chain();
  readonly #catching = chain();
  readonly #comparing = chain();
  readonly #settling = chain();
  /** Files of all entries up to this one are in place, and of these later ones. */
  #through = Number.POSITIVE_INFINITY;
  readonly #published = new Set<number>();
  #savedCursor = -1;
  /** Temporary names begin with it: those with another beginning are left from a crash. */
  readonly #prefix = `${process.pid}-${Date.now().toString(36)}-`;
  #staged = 0;
  #isLost = false;
  #begun: Promise<void> | undefined;
  readonly #timers = new Map<string, NodeJS.Timeout>();
  #closed = false;
  readonly #endings: (() => void)[];

  constructor(options: MirrorOptions) {
    const { database, worker, directory, mapping, typed, log, schema, takeIn } = options;
    this.#options = options;
    this.#place = { directory, typed };
    this.#files = new FileTable(database, async () => (await this.#store()).area);
    const shared = {
      ...{ place: this.#place, files: this.#files, worker, locked: this.#locked, log },
      records: (iris: readonly string[]) => this.#records(iris),
    };
    this.#publisher = new Publisher({ ...shared, mapping, changed: (changed) => this.#look(changed) });
    this.#takeIn = new TakeIn({
      ...{ ...shared, database, takeIn, naming: schema },
      store: () => this.#store(),
      pathsOf: (record) => this.#publisher.pathsOf(record),
      floor: () => this.#cursor(),
      isLost: () => this.#losesFiles(),
      again: (changed) => this.#look(changed),
    });
    this.#watch = new DirectoryWatch(directory, {
      look: (paths) => this.#lookAndMend(paths),
      compareAll: () => this.compareAll(),
    });
    this.#endings = [
      database.leadership.watch(() => {
        if (database.leadership.held) void this.begin();
        else void this.#pause();
      }),
    ];
  }

  begin(): Promise<void> {
    if (!this.#leads) return Promise.resolve();
    this.#begun ??= this.#begin().catch((error) => {
      this.#begun = undefined;
      this.#warn(error, 'the files of an area cannot be compared with it, will retry');
      this.#later('begin', RETRY.files, () => this.begin());
    });
    return this.#begun;
  }

  async stage(changes: readonly Change[]): Promise<Staged> {
    if (!this.#leads) return NOTHING;
    void this.begin();
    const { staged, found } = await this.#stageFiles(changes);
    return {
      publish: async (revisions) => {
        const following = changes.flatMap((change, at): Following | [] => {
          const outside = outsideOf(change);
          if (this.#follows && !outside) return [];
          const file = staged.get(change);
          const record = 'put' in change && { record: change.put };
          return {
            iri: iriOf(change),
            revision: revisions[at]!,
            ...record,
            ...(file && { staged: file }),
            outside,
          };
        });
        await this.#publish(following, found);
      },
      discard: () => this.#discard(staged),
    };
  }

  async catchUp(): Promise<void> {
    if (!Number.isFinite(this.#through)) await this.begin();
    await this.#follow().catch((error) => {
      this.#warn(error, 'record files could not be brought up to date, will retry');
      this.#later('follow', RETRY.files, () => this.#follow());
    });
  }

  changed(): void {
    if (this.#begun) this.#laterFollow();
  }

  compareAll({ everything = false } = {}): Promise<void> {
    return this.#comparing(() => this.#compareAll(everything));
  }

  async schemaChanged(): Promise<void> {
    if (!this.#leads || !existsSync(this.#place.directory)) return;
    if (!this.#isLost) this.#writeDirectoryConfig();
    const faults = await this.#files.faults();
    await this.#lookAndMend(
      faults.map(({ path }) => path),
      true,
    );
  }

  async faults(): Promise<FileFault[]> {
    const left = [...this.#publisher.unfinished.values()].flatMap(({ path, message }) =>
      message === undefined ? [] : [{ path, message }],
    );
    return [...(await this.#files.faults()), ...left];
  }

  settle(): Promise<void> {
    return this.#settling(() => this.#settle());
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    const { held } = this.#options.database.leadership;
    this.#closed = true;
    for (const end of this.#endings) end();
    await this.#pause();
    await this.#begun;
    await this.#comparing(async () => {});
    await this.#catching(async () => {});
    if (held) await this.settle().catch((error) => this.#warn(error, 'record files could not be flushed'));
  }

  get #leads(): boolean {
    return !this.#closed && this.#options.database.leadership.held;
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
    for (const { revision } of this.#publisher.unfinished.values()) cursor = Math.min(cursor, revision - 1);
    return cursor;
  }

  #warn(error: unknown, message: string): void {
    this.#options.log.warn({ directory: this.#place.directory, error }, message);
  }

  /** Has work done once after a pause, and again if it fails. */
  #later(name: string, pause: number, work: () => Promise<void>): void {
    if (this.#closed || this.#timers.has(name)) return;
    const timer = setTimeout(() => {
      this.#timers.delete(name);
      if (!this.#leads) return;
      work().catch((error) => {
        this.#warn(error, 'record files could not be brought up to date, will retry');
        this.#later(name, RETRY.files, work);
      });
    }, pause);
    this.#timers.set(name, timer.unref());
  }

  async #begin(): Promise<void> {
    const { database, path } = this.#options;
    const { directory } = this.#place;
    const known = await database.existingArea(path);
    if (!known && !existsSync(directory)) {
      this.#begun = undefined;
      return;
    }
    this.#makeHiddenFolder();
    this.#through = (await this.#files.cursor()) ?? 0;
    this.#savedCursor = this.#through;
    const hasRows = (await this.#files.page('')).rows.length > 0;
    if (!hasRows || !this.#hasNoConfig) this.#writeDirectoryConfig();
    else this.#losesFiles();
    await this.#follow();
    await this.#watch.begin();
    await this.compareAll();
  }

  /** Makes it if it is missing, and removes what is left from a crash, and the index of the peer: it would be wrong. */
  #makeHiddenFolder(): void {
    const { directory } = this.#place;
    const staging = join(directory, OWN_FOLDER, STAGING);
    mkdirSync(staging, { recursive: true });
    writeFileSync(join(directory, OWN_FOLDER, '.gitignore'), '*\n');
    for (const name of readdirSync(staging))
      if (!name.startsWith(this.#prefix)) rmSync(join(staging, name), { force: true });
    this.#removePeerIndex();
  }

  #removePeerIndex(): void {
    rmSync(join(this.#place.directory, PEER_INDEX), { force: true });
  }

  async #pause(): Promise<void> {
    for (const timer of this.#timers.values()) clearTimeout(timer);
    this.#timers.clear();
    await this.#watch.stop();
    if (!this.#closed) this.#begun = undefined;
  }

  get #hasNoConfig(): boolean {
    return !existsSync(join(this.#place.directory, DIRECTORY_CONFIG_FILE));
  }

  #writeDirectoryConfig(): void {
    const { mapping, schema } = this.#options;
    writeDirectoryConfig(this.#place.directory, mapping, schema().address);
  }

  /** A directory without its description was removed or emptied as a whole, which is not meant for each of its records. */
  #losesFiles(): boolean {
    if (!this.#isLost && this.#hasNoConfig) {
      this.#isLost = true;
      const { directory } = this.#place;
      this.#options.log.warn(
        { directory },
        'the files of an area are lost; they are made again from the database',
      );
      this.#later('compare', 0, () => this.compareAll());
    }
    return this.#isLost;
  }

  /** A file that others have changed is looked at soon. */
  #look(path: string): void {
    this.#watch.note(path);
  }

  /** Writes the files of changes into the hidden folder; what others have done to those that they replace came first. */
  async #stageFiles(
    changes: readonly Change[],
  ): Promise<{ readonly staged: Map<Change, StagedFile>; readonly found: FoundRows }> {
    const own = this.#follows ? [] : changes.filter((change) => !outsideOf(change));
    const paths = changes.flatMap(
      (change) => outsideOf(change)?.path ?? ('put' in change ? this.#publisher.pathsOf(change.put) : []),
    );
    for (let attempt = 1; ; attempt++) {
      const found = await this.#files.find(paths, changes.map(iriOf));
      const staged = new Map<Change, StagedFile>();
      const changed = await this.#stageInto(staged, own, found, attempt < MOST_ATTEMPTS);
      if (changed.length === 0) return { staged, found };
      await this.#discard(staged);
      await this.#lookAndMend(changed);
    }
  }

  /** @returns the paths of files that others have changed */
  async #stageInto(
    staged: Map<Change, StagedFile>,
    changes: readonly Change[],
    found: FoundRows,
    check: boolean,
  ): Promise<readonly string[]> {
    const { worker } = this.#options;
    for (let start = 0; start < changes.length; start += FILES_AT_ONCE) {
      const some = changes.slice(start, start + FILES_AT_ONCE);
      const puts = some.filter((change) => 'put' in change);
      const files = puts.map(({ put }) => ({ name: `${this.#prefix}${++this.#staged}`, json: put.json }));
      const checks = check ? some.flatMap((change) => this.#concerned(change, found)) : [];
      try {
        const { changed, contents } = await worker.run('stage', this.#place, { checks, files });
        if (changed.length > 0) return changed;
        for (const [at, change] of puts.entries()) staged.set(change, { ...files[at]!, ...contents[at]! });
      } catch (error) {
        await this.#discard(staged);
        throw stagingFailure(error);
      }
    }
    return [];
  }

  /** The files that a change replaces or removes, as they are known. */
  #concerned(change: Change, found: FoundRows): Known[] {
    const former = found.of(iriOf(change))?.path;
    const [path] = 'put' in change ? this.#publisher.pathsOf(change.put) : [];
    return [...new Set([former, path])].flatMap((one) =>
      one === undefined ? [] : { path: one, ...found.at(one) },
    );
  }

  async #discard(staged: ReadonlyMap<Change, StagedFile>): Promise<void> {
    if (staged.size === 0) return;
    const names = Array.from(staged.values(), ({ name }) => name);
    // Leftovers are removed at the next start.
    await this.#options.worker.run('discard', this.#place, names).catch(() => {});
  }

  async #publish(following: readonly Following[], found: FoundRows): Promise<void> {
    try {
      await this.#publisher.publish(following, found);
      for (const { revision } of following) this.#published.add(revision);
      this.#advance(this.#through);
    } catch (error) {
      // The entries after the cursor bring the files up to date.
      this.#warn(error, 'record files could not be put into place, will retry');
    }
    this.#laterSettle();
    if (this.#publisher.unfinished.size > 0) this.#laterFollow();
  }

  #laterSettle(): void {
    this.#later('settle', DELAY.flush, () => this.settle());
  }

  #laterFollow(): void {
    this.#later('follow', DELAY.file, () => this.#follow());
  }

  /** Notes that the files of all entries up to a revision are in place. */
  #advance(revision: number): void {
    this.#through = Math.max(this.#through, revision);
    for (const published of this.#published)
      if (published <= this.#through) this.#published.delete(published);
    while (this.#published.delete(this.#through + 1)) this.#through += 1;
  }

  #follow(): Promise<void> {
    return this.#catching(async () => {
      await this.#catchUp();
      await this.#finish();
      if (this.#publisher.unfinished.size > 0) this.#later('follow', RETRY.files, () => this.#follow());
      if (this.#files.waiting > 0) this.#laterSettle();
    });
  }

  /** Makes the files of entries after those that have theirs. */
  async #catchUp(): Promise<void> {
    const { database, path } = this.#options;
    const store = await database.existingArea(path);
    if (!store) return;
    while (this.#leads) {
      const entries = await database.tuples<[revision: number, iri: string, pid: string, className: string]>(
        `SELECT revision, iri, pid, class_name FROM accession_entry
         WHERE area = $1 AND revision > $2 ORDER BY revision LIMIT ${FILES_AT_ONCE}`,
        [store.area.id, this.#through],
      );
      if (entries.length === 0) return;
      const last = entries.at(-1)![0];
      await this.#mend([...new Set(entries.map(([, iri]) => iri))], last);
      await this.#lookForLeftovers(entries.map(([, iri, pid, className]) => ({ iri, pid, className })));
      this.#advance(last);
      if (this.#files.waiting > MOST_WAITING) await this.settle();
    }
  }

  /** Looks at files, and makes those of records that are newer. */
  async #lookAndMend(
    paths: readonly string[],
    force = false,
    former?: ReadonlyMap<string, string>,
  ): Promise<void> {
    const behind = await this.#takeIn.look(paths, { force, ...(former && { former }) });
    if (behind.size > 0) await this.#mend([...behind]);
    await this.#finish();
    if (this.#files.waiting > 0) this.#laterSettle();
  }

  /** Tries again what is unfinished. */
  async #finish(): Promise<void> {
    if (this.#publisher.unfinished.size > 0) await this.#mend([...this.#publisher.unfinished.keys()]);
  }

  async #mend(iris: readonly string[], revision?: number): Promise<void> {
    const changed = await this.#publisher.mend(iris, revision);
    if (changed.length === 0) return;
    const behind = await this.#takeIn.look(changed);
    await this.#publisher.mend([...new Set([...iris, ...behind])], revision);
  }

  /** Looks for files without a row: a crash may have kept the mirror from removing them. */
  async #lookForLeftovers(keys: readonly RecordKey[]): Promise<void> {
    const former = new Map(
      keys.flatMap((key) => this.#publisher.pathsOf(key).map((path) => [path, key.iri] as const)),
    );
    const paths = [...former.keys()];
    const rows = await this.#files.find(paths, []);
    const left = paths.filter((path) => !rows.at(path) && stampOf(this.#file(path)));
    if (left.length > 0) await this.#lookAndMend(left, false, former);
  }

  #file(path: string): string {
    return `${this.#place.directory}/${path}`;
  }

  async #records(iris: readonly string[]): Promise<Map<string, CurrentRecord>> {
    const { database } = this.#options;
    const rows = await database.tuples<
      [...[iri: string, pid: string, className: string, json: string], revision: number]
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
    let some: string[] = [];
    for (const path of recordFiles(this.#place.directory)) {
      if (!this.#leads) return;
      some.push(path);
      if (some.length < FILES_AT_ONCE) continue;
      await this.#lookAndMend(some, everything);
      some = [];
    }
    await this.#lookAndMend(some, everything);
    // Pages have the rows that are saved.
    await this.settle();
    const yieldIfDue = yielder();
    for (let after: string | undefined = ''; after !== undefined && this.#leads; await yieldIfDue()) {
      const { rows, next } = await this.#files.page(after);
      const gone = rows.filter(({ path }) => !stampOf(this.#file(path)));
      if (gone.length > 0) await this.#lookAndMend(gone.map(({ path }) => path));
      after = next;
    }
    if (everything) await this.#mendAll();
    if (!this.#isLost || !this.#leads) return;
    this.#writeDirectoryConfig();
    this.#isLost = false;
  }

  /** Makes the files of records that have none. */
  async #mendAll(): Promise<void> {
    const { database, path } = this.#options;
    const store = await database.existingArea(path);
    for (let after: string | undefined = store && ''; after !== undefined && this.#leads; ) {
      const rows: [iri: string][] = await database.tuples(
        `SELECT iri FROM accession_record WHERE area = $1 AND iri > $2 ORDER BY iri LIMIT ${FILES_AT_ONCE}`,
        [store!.area.id, after],
      );
      await this.#mend(rows.map(([iri]) => iri));
      after = rows.at(-1)?.[0];
    }
  }

  async #settle(): Promise<void> {
    const { cursor, rows, paths } = await this.#locked(async () => ({
      cursor: this.#cursor(),
      rows: this.#files.take(),
      paths: this.#publisher.takeUnflushed(),
    }));
    if (rows.size === 0 && cursor === this.#savedCursor) return;
    try {
      await this.#flush(paths);
      if (paths.size > 0) this.#removePeerIndex();
      await this.#files.save(rows, Number.isFinite(cursor) ? cursor : undefined);
      this.#savedCursor = cursor;
    } catch (error) {
      this.#publisher.giveBack(paths);
      this.#files.giveBack(rows);
      throw error;
    }
  }

  /** Flushes files, and the folders that they are in or were removed from. */
  async #flush(paths: ReadonlySet<string>): Promise<void> {
    const folders = new Set([...paths].flatMap(foldersOf));
    for (const some of [[...paths], [...folders]])
      for (let start = 0; start < some.length; start += FLUSHED_AT_ONCE)
        await Promise.all(
          some.slice(start, start + FLUSHED_AT_ONCE).map((path) => flushIfThere(this.#file(path))),
        );
  }
}

const iriOf = (change: Change) => ('put' in change ? change.put.iri : change.delete);

const outsideOf = ({ context }: Change) => (context instanceof OutsideChange ? context : undefined);

/** The folders that a path goes through, up to the area's own. */
function foldersOf(path: string): string[] {
  const at = path.lastIndexOf('/');
  return at < 0 ? ['.'] : [path.slice(0, at), ...foldersOf(path.slice(0, at))];
}

function stagingFailure(error: unknown): ServiceError {
  const full = isDiskFull(error);
  const reason = full ? 'the disk of the store is full' : `the system reported ${(error as Error).message}`;
  const message = `Nothing was changed: the files of the records could not be written: ${reason}.`;
  return new ServiceError(full ? 'storage_full' : 'storage_failed', message, [], { cause: error });
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
