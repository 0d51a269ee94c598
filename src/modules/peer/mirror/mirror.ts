/**
 * Keeps the files of a `record_dir` area equal to it, and adopts what people and git do to them.
 *
 *     Stager      commit       Publisher       Settler
 *     written     durable      in place        flushed, rows and cursor saved
 *
 *     DirectoryWatch           EditImport
 *     notices an edit          writes it to the area
 *
 * A `Comparison` looks at all files, at the start and from time to time.
 *
 * The database is the journal: a file need not be on disk before the cursor passes the change that made it. So a write
 * waits for no flush but that of its commit, and files are flushed some at a time, later. After a crash, the files of the
 * changes after the cursor are compared with the records, byte for byte.
 *
 * Changes that were not staged here (many at once, or those of another instance) get their files from the entries after
 * the cursor, a few at a time. With PostgreSQL all do, in the instance that leads.
 */

import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { MappingMethod } from '../../../core/config/backends.ts';
import { DELAY, RETRY } from '../../../core/durations.ts';
import { inTurn } from '../../../core/in-turn.ts';
import type { Database, Mirror, StagedFiles } from '../../../core/storage/database.ts';
import type { StoreLog } from '../../../core/storage/log.ts';
import type { StoredRecord } from '../../../core/storage/store.ts';
import { type Change, iriOfChange, type RecordKey, type RecordStore } from '../../../core/storage/store.ts';
import { Comparison } from './comparison.ts';
import { stampOf } from './disk.ts';
import { FILES_AT_ONCE, OWN_FOLDER, type Place, STAGING } from './file-jobs.ts';
import { FileTable, type FoundRows } from './file-table.ts';
import type { FileWorker } from './file-worker.ts';
import { EditImport } from './import-edits.ts';
import { type Following, outsideOf, Publisher } from './publish.ts';
import { type Naming, recordsByIri } from './record-files.ts';
import { Settler } from './settler.ts';
import { Stager } from './stager.ts';
import { DirectoryWatch } from './watch.ts';

type MirrorOptions = {
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
  readonly writeEdits: (changes: readonly Change[]) => Promise<void>;
  readonly log: StoreLog;
};

/** A file that is left out, or cannot be written. */
export type FileFault = { readonly path: string; readonly message: string };

/** With more rows than this in memory, they are saved while many files are made. */
const MOST_WAITING = 5000;

const NOTHING: StagedFiles = { publish: async () => {}, discard: async () => {} };

export class AreaMirror implements Mirror {
  readonly #options: MirrorOptions;
  readonly #place: Place;
  readonly #files: FileTable;
  readonly #publisher: Publisher;
  readonly #edits: EditImport;
  readonly #stager: Stager;
  readonly #settler: Settler;
  readonly #comparison: Comparison;
  readonly #watch: DirectoryWatch;
  readonly #locked = inTurn();
  readonly #catching = inTurn();
  readonly #comparing = inTurn();
  readonly #settling = inTurn();
  #begun: Promise<void> | undefined;
  readonly #timers = new Map<string, NodeJS.Timeout>();
  #closed = false;
  readonly #endings: (() => void)[];

  constructor(options: MirrorOptions) {
    const { database, worker, directory, mapping, typed, log, schema, writeEdits } = options;
    this.#options = options;
    this.#place = { directory, typed };
    this.#files = new FileTable(database, async () => (await this.#store()).area);
    const look = (paths: readonly string[]) => this.#lookAndMend(paths);
    this.#watch = new DirectoryWatch(directory, { look, compareAll: () => this.compareAll() });
    const shared = {
      place: this.#place,
      files: this.#files,
      worker,
      locked: this.#locked,
      log,
      watch: this.#watch,
      records: (iris: readonly string[]) => this.#records(iris),
    };
    this.#publisher = new Publisher({ ...shared, mapping });
    const parts = { ...shared, publisher: this.#publisher };
    this.#stager = new Stager({ ...parts, follows: this.#follows, look });
    this.#settler = new Settler(parts);
    this.#comparison = new Comparison({
      ...shared,
      mapping,
      look,
      address: () => schema().address,
      leads: () => this.#leads,
      settle: () => this.settle(),
      compareSoon: () => this.#later('compare', 0, () => this.compareAll()),
    });
    this.#edits = new EditImport({
      ...parts,
      writeEdits,
      naming: schema,
      comparison: this.#comparison,
      store: () => this.#store(),
    });
    this.#endings = [
      database.leadership.watch(() => {
        if (database.leadership.held) void this.begin();
        else void this.#pause();
      }),
    ];
  }

  /** Completes what a crash has left, watches the directory, and adopts what has changed while the service was stopped. */
  begin(): Promise<void> {
    if (!this.#leads) return Promise.resolve();
    this.#begun ??= this.#begin().catch((error) => {
      this.#begun = undefined;
      this.#warn(error, 'the files of an area cannot be compared with it, will retry');
      this.#later('begin', RETRY.files, () => this.begin());
    });
    return this.#begun;
  }

  async stage(changes: readonly Change[]): Promise<StagedFiles> {
    if (!this.#leads) return NOTHING;
    void this.begin();
    const { staged, found } = await this.#stager.stage(changes);
    return {
      publish: async (revisions) => {
        const following = changes.flatMap((change, at): Following | [] => {
          const outside = outsideOf(change);
          if (this.#follows && !outside) return [];
          const file = staged.get(change);
          const record = 'put' in change && { record: change.put };
          return {
            iri: iriOfChange(change),
            revision: revisions[at]!,
            ...record,
            ...(file && { staged: file }),
            outside,
          };
        });
        await this.#publish(following, found);
      },
      discard: () => this.#stager.discard(staged),
    };
  }

  async catchUp(): Promise<void> {
    if (!Number.isFinite(this.#publisher.through)) await this.begin();
    await this.#follow().catch((error) => {
      this.#warn(error, 'record files could not be brought up to date, will retry');
      this.#later('follow', RETRY.files, () => this.#follow());
    });
  }

  /** To be called when the area has changed, so that changes that were not staged here have their files soon. */
  changed(): void {
    if (this.#begun) this.#laterFollow();
  }

  /** Compares all files with what is known of them. */
  compareAll(): Promise<void> {
    return this.#comparing(() => this.#comparison.run());
  }

  /** To be called when the schema is another one: files that were left out may fit now. */
  async schemaChanged(): Promise<void> {
    if (!this.#leads || !existsSync(this.#place.directory)) return;
    this.#comparison.describe();
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

  /** Flushes the files that are in place, and moves the cursor. */
  settle(): Promise<void> {
    return this.#settling(() => this.#settler.settle());
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
    this.#publisher.through = (await this.#files.cursor()) ?? 0;
    this.#settler.saved = this.#publisher.through;
    const hasRows = (await this.#files.page('')).rows.length > 0;
    if (hasRows) this.#comparison.detectVanished();
    this.#comparison.describe();
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
    this.#stager.removeLeftovers();
    this.#settler.removePeerIndex();
  }

  async #pause(): Promise<void> {
    for (const timer of this.#timers.values()) clearTimeout(timer);
    this.#timers.clear();
    await this.#watch.stop();
    if (!this.#closed) this.#begun = undefined;
  }

  async #publish(following: readonly Following[], found: FoundRows): Promise<void> {
    try {
      await this.#publisher.publish(following, found);
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

  #follow(): Promise<void> {
    return this.#catching(async () => {
      await this.#catchUp();
      await this.#finish();
      if (this.#publisher.unfinished.size > 0) this.#later('follow', RETRY.files, () => this.#follow());
      if (this.#files.waiting > 0) this.#laterSettle();
    });
  }

  /** Makes the files of changes after those that have theirs. */
  async #catchUp(): Promise<void> {
    const { database, path } = this.#options;
    const store = await database.existingArea(path);
    if (!store) return;
    while (this.#leads) {
      const { changes } = await store.feed({ after: this.#publisher.through, limit: FILES_AT_ONCE });
      const last = changes.at(-1)?.revision;
      if (last === undefined) return;
      await this.#mend([...new Set(changes.map(({ iri }) => iri))], last);
      await this.#lookForLeftovers(changes);
      this.#publisher.advance(last);
      if (this.#files.waiting > MOST_WAITING) await this.settle();
    }
  }

  /** Looks at files, and makes those of records that are newer. */
  async #lookAndMend(
    paths: readonly string[],
    force = false,
    former?: ReadonlyMap<string, string>,
  ): Promise<void> {
    const behind = await this.#edits.look(paths, { force, ...(former && { former }) });
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
    const behind = await this.#edits.look(changed);
    await this.#publisher.mend([...new Set([...iris, ...behind])], revision);
  }

  /** Looks for files without a row: a crash may have kept the mirror from removing them. */
  async #lookForLeftovers(keys: readonly RecordKey[]): Promise<void> {
    const former = new Map(
      keys.flatMap((key) => this.#publisher.pathsOf(key).map((path) => [path, key.iri] as const)),
    );
    const paths = [...former.keys()];
    const rows = await this.#files.find(paths, []);
    const left = paths.filter((path) => !rows.at(path) && stampOf(`${this.#place.directory}/${path}`));
    if (left.length > 0) await this.#lookAndMend(left, false, former);
  }

  async #records(iris: readonly string[]): Promise<Map<string, StoredRecord>> {
    return recordsByIri(await this.#store(), iris);
  }
}
