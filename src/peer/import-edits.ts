/**
 * Adopts what people and git have done to the files of a mirrored area, and notes which files do not fit. A file is
 * looked at if it is not as its row says; what it says is then written to the area as a change without an actor.
 */

import { type JsonObject, parseJson } from '#linkml/json.ts';
import { type ErrorCode, isServiceError, isStorageFailure } from '../core/errors.ts';
import { inTurn } from '../core/in-turn.ts';
import type { Database } from '../core/storage/database.ts';
import type { StoreLog } from '../core/storage/log.ts';
import { scanEntries } from '../core/storage/paging.ts';
import type { Change, RecordStore } from '../core/storage/store.ts';
import type { Comparison } from './comparison.ts';
import { digestOf, type FileStamp, sameStamp, stampOf } from './disk.ts';
import { FILES_AT_ONCE, type Known, type Looked, type Looking, type Place } from './file-jobs.ts';
import type { FileRow, FileTable, FoundRows } from './file-table.ts';
import type { FileWorker } from './file-worker.ts';
import { OutsideChange, type Publisher } from './publish.ts';
import {
  type CurrentRecord,
  classFolder,
  type FoundRecord,
  type Naming,
  RecordFileError,
  recordAt,
  recordYaml,
} from './record-files.ts';
import type { DirectoryWatch } from './watch.ts';

export type EditImportOptions = {
  readonly database: Database;
  readonly store: () => Promise<RecordStore>;
  readonly place: Place;
  readonly naming: () => Naming;
  /** Writes changes to the area with the mirror, without an author, with their contexts. */
  readonly writeEdits: (changes: readonly Change[]) => Promise<void>;
  readonly log: StoreLog;
  readonly files: FileTable;
  readonly worker: FileWorker;
  /** The records as they are now, by IRI. */
  readonly records: (iris: readonly string[]) => Promise<Map<string, CurrentRecord>>;
  /** Runs work while no row changes. */
  readonly locked: <T>(work: () => Promise<T>) => Promise<T>;
  readonly publisher: Publisher;
  /** Files that are missing from a directory that has lost its files are made again, not taken for removed ones. */
  readonly comparison: Pick<Comparison, 'losesFiles'>;
  readonly watch: DirectoryWatch;
};

/** A file as it was found, if it is not as its row says. */
type Seen = {
  readonly path: string;
  readonly row: FileRow | undefined;
  /** Undefined if it is gone. */
  readonly stamp: FileStamp | undefined;
  readonly digest: string;
  readonly found: FoundRecord | RecordFileError | 'same' | undefined;
};

export class EditImport {
  readonly #options: EditImportOptions;
  readonly #looking = inTurn();

  constructor(options: EditImportOptions) {
    this.#options = options;
  }

  /**
   * Looks at some files, and adopts what others have changed in them.
   *
   * @param force reads them also if they are as their rows say
   * @param former the IRIs of records that files without a row may have been made for
   * @returns IRIs of records whose files have to be made again
   */
  async look(
    paths: readonly string[],
    {
      force = false,
      former = new Map(),
    }: { readonly force?: boolean; readonly former?: ReadonlyMap<string, string> } = {},
  ): Promise<Set<string>> {
    const behind = new Set<string>();
    for (let start = 0; start < paths.length; start += FILES_AT_ONCE) {
      const some = paths.slice(start, start + FILES_AT_ONCE);
      await this.#looking(() => this.#look(some, force, behind, former));
    }
    return behind;
  }

  async #look(
    paths: readonly string[],
    force: boolean,
    behind: Set<string>,
    former: ReadonlyMap<string, string> = new Map(),
  ): Promise<void> {
    const seen = new Map<string, Seen>();
    // A record may have come from another file that was changed, too.
    for (let next = paths; next.length > 0; next = await this.#whereRecordsWere(seen))
      await this.#read(next, force, seen);
    if (seen.size === 0) return;
    const files = [...seen.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
    const iris = [
      ...new Set(
        files.flatMap(({ row, found }) => [row?.iri ?? [], isRecord(found) ? found.iri : []].flat()),
      ),
    ];
    const look = new Look(this.#options, await this.#options.records(iris), await this.#recent(iris), behind);
    const rows = await this.#options.locked(() => this.#options.files.find([...seen.keys()], iris));
    await look.decide(files, rows, former);
    await this.#offer(look.changes, look.rows);
    await this.#note(look, seen);
    await this.#remove(look.leftovers);
    for (const { path, fault } of look.rows)
      if (fault)
        this.#options.log.warn(
          { directory: this.#options.place.directory, path, reason: fault },
          'record file is left out',
        );
    const free = [...look.released].flatMap((iri) => rows.repeated(iri).map(({ path }) => path));
    const left = free.filter((path) => !seen.has(path));
    if (left.length > 0) await this.#look(left, true, behind);
  }

  async #remove(leftovers: readonly Known[]): Promise<void> {
    if (leftovers.length === 0) return;
    const { locked, worker, place, files } = this.#options;
    await locked(async () => {
      const placed = await worker.run(
        'place',
        place,
        leftovers.map((remove) => ({ remove })),
      );
      for (const [at, { removed }] of placed.entries()) if (removed) files.remove(leftovers[at]!.path);
    });
  }

  /** Keeps the rows of what needed no change; what has changed since it was seen is looked at again. */
  async #note({ rows, gone }: Look, seen: ReadonlyMap<string, Seen>): Promise<void> {
    const { files, locked, place, watch } = this.#options;
    await locked(async () => {
      const now = await files.find(
        rows.map(({ path }) => path),
        rows.flatMap(({ iri, revision }) => (iri !== null && revision > 0 ? iri : [])),
      );
      for (const path of gone) if (!stampOf(`${place.directory}/${path}`)) now.remove(path);
      for (const row of rows) {
        const known = now.at(row.path);
        const former = seen.get(row.path)?.row;
        const holder = row.iri !== null && row.revision > 0 ? now.of(row.iri) : undefined;
        const isCurrent =
          (!known || (known.iri === former?.iri && known.revision === former.revision)) &&
          (!holder || seen.has(holder.path)) &&
          sameStamp(row.stamp, stampOf(`${place.directory}/${row.path}`));
        if (isCurrent) now.set(row);
        else watch.note(row.path);
      }
    });
  }

  /** Reads those of some files that are not as their rows say. */
  async #read(paths: readonly string[], force: boolean, seen: Map<string, Seen>): Promise<void> {
    const { files, locked, place, worker } = this.#options;
    const naming = this.#options.naming();
    await locked(async () => {
      const rows = await files.find(paths, []);
      const asked = paths.map((path): Looking => {
        const row = rows.at(path);
        const isForeign = naming.schemaTypeOf(classFolder(path)) === undefined;
        const isUnknown = row?.iri === null && row.fault === null;
        const known = row && { stamp: row.stamp, ...(!isUnknown && { digest: row.digest }) };
        const how = row?.fault == null ? 'content' : 'record';
        return { path, isForeign, ...known, ...(force && { force: how }) };
      });
      for (const file of await worker.run('look', place, asked))
        seen.set(file.path, this.#seen(file, rows.at(file.path), naming));
    });
  }

  #seen(file: Looked, row: FileRow | undefined, naming: Naming): Seen {
    const { path } = file;
    if ('gone' in file) return { path, row, stamp: undefined, digest: '', found: undefined };
    const { stamp, digest } = file;
    if ('same' in file) return { path, row, stamp, digest, found: 'same' };
    return {
      path,
      row,
      stamp,
      digest,
      found: 'fault' in file ? new RecordFileError(file.fault) : this.#record(path, file.json, naming),
    };
  }

  #record(path: string, json: string, naming: Naming): FoundRecord | RecordFileError {
    try {
      return recordAt(path, () => parseJson(json) as JsonObject, naming, this.#options.place.typed);
    } catch (error) {
      if (error instanceof RecordFileError) return error;
      throw error;
    }
  }

  /** The files of the records that were found elsewhere, if they are not as they were either. */
  async #whereRecordsWere(seen: ReadonlyMap<string, Seen>): Promise<string[]> {
    const { files, locked, place } = this.#options;
    const iris = [...seen.values()].flatMap(({ found }) => (isRecord(found) ? found.iri : []));
    const rows = await locked(() => files.find([], iris));
    return iris.flatMap((iri) => {
      const row = rows.of(iri);
      return row && !seen.has(row.path) && !sameStamp(row.stamp, stampOf(`${place.directory}/${row.path}`))
        ? row.path
        : [];
    });
  }

  /** Of some records, those whose last changes may not have their files yet. */
  async #recent(iris: readonly string[]): Promise<Set<string>> {
    const { database, store, publisher } = this.#options;
    const { area } = await store();
    const rows = await database.tuples<[string]>(
      `SELECT DISTINCT iri FROM accession_entry
       WHERE area = $1 AND revision > $3 AND ${database.dialect.among('iri', 2)}`,
      [area.id, iris, publisher.cursor],
    );
    return new Set(rows.map(([iri]) => iri));
  }

  /** Has changes written; one that is refused becomes a fault of its file. */
  async #offer(changes: readonly Change[], rows: FileRow[]): Promise<void> {
    if (changes.length === 0) return;
    try {
      await this.#options.writeEdits(changes);
    } catch (error) {
      if (!isServiceError(error) || isStorageFailure(error) || PASSING.includes(error.code)) throw error;
      if (changes.length > 1) {
        for (const change of changes) await this.#offer([change], rows);
        return;
      }
      const { context, ...change } = changes[0]!;
      const { path, stamp, digest } = context as OutsideChange;
      // A record that was changed meanwhile has a new file.
      if ('put' in change)
        rows.push({ path, iri: null, revision: 0, stamp: stamp!, digest, fault: error.message });
    }
  }
}

/** Makes changes of files that were seen, and rows that need no change. */
class Look {
  readonly changes: Change[] = [];
  readonly rows: FileRow[] = [];
  /** Paths whose rows are to be removed. */
  readonly gone: string[] = [];
  /** Files to remove: a crash has kept the mirror from it. */
  readonly leftovers: Known[] = [];
  /** Records that a file held before: another one that repeats it may stand in. */
  readonly released = new Set<string>();
  readonly #options: EditImportOptions;
  readonly #current: ReadonlyMap<string, CurrentRecord>;
  readonly #recent: ReadonlySet<string>;
  readonly #behind: Set<string>;
  /** The paths of the records that were found. */
  readonly #holders = new Map<string, string>();

  constructor(
    options: EditImportOptions,
    current: ReadonlyMap<string, CurrentRecord>,
    recent: ReadonlySet<string>,
    behind: Set<string>,
  ) {
    this.#options = options;
    this.#current = current;
    this.#recent = recent;
    this.#behind = behind;
  }

  /** @param files by path */
  async decide(files: readonly Seen[], rows: FoundRows, former: ReadonlyMap<string, string>): Promise<void> {
    this.#findHolders(files, rows);
    for (const file of files) {
      const { row, found } = file;
      if (row && row.revision > 0 && !(found instanceof RecordFileError)) this.#release(file, row);
      if (found === undefined) this.gone.push(file.path);
      else if (found === 'same') this.rows.push({ ...row!, stamp: file.stamp! });
      else if (found instanceof RecordFileError) {
        // The mirror was stopped before it removed the file of a class that was removed from the schema.
        const iri = row ? undefined : former.get(file.path);
        const isOwn = iri !== undefined && (await this.#ownRevision(iri, file.digest)) !== undefined;
        if (isOwn) this.leftovers.push({ path: file.path, stamp: file.stamp!, digest: file.digest });
        else this.rows.push(this.#broken(file, found.message));
      } else await this.#take(file, found);
    }
    this.changes.sort((a, b) => Number('put' in a) - Number('put' in b));
  }

  /** A record has one file: that which has it by its row, else the first one. */
  #findHolders(files: readonly Seen[], rows: FoundRows): void {
    const seen = new Set(files.map(({ path }) => path));
    for (const { path, row, found } of files) {
      if (found === 'same' && row!.revision > 0) this.#holders.set(row!.iri!, path);
      if (!isRecord(found)) continue;
      const holder = rows.of(found.iri)?.path;
      if (holder !== undefined && (holder === path || !seen.has(holder)))
        this.#holders.set(found.iri, holder);
    }
    for (const { path, found } of files)
      if (isRecord(found) && !this.#holders.has(found.iri)) this.#holders.set(found.iri, path);
  }

  /** Deletes the record that was removed from a file, unless another file has it. */
  #release({ path, found }: Seen, { iri, revision }: FileRow): void {
    if (found === 'same' || this.#holders.get(iri!) === path) return;
    this.released.add(iri!);
    if (this.#holders.has(iri!)) return;
    const current = this.#current.get(iri!);
    if (!current) return;
    if (current.revision > revision || this.#options.comparison.losesFiles()) this.#behind.add(iri!);
    else
      this.changes.push({
        delete: iri!,
        expect: { revisions: [revision] },
        context: new OutsideChange(path),
      });
  }

  /** The row of a file that can't be adopted; a record that it had stays as it was. */
  #broken({ path, row, stamp, digest }: Seen, fault: string): FileRow {
    const holder = row?.iri ? this.#holders.get(row.iri) : undefined;
    const { iri = null, revision = 0 } = row?.revision && (holder ?? path) === path ? row : {};
    return { path, iri, revision, stamp: stamp!, digest, fault };
  }

  async #take({ path, stamp, digest }: Seen, found: FoundRecord): Promise<void> {
    const { pid, iri, className, json } = found;
    const holder = this.#holders.get(iri);
    const row = { path, iri, stamp: stamp!, digest };
    const own = this.#recent.has(iri) ? await this.#ownRevision(iri, digest) : undefined;
    if (holder !== path) {
      // The mirror was stopped before it removed the file of a former class.
      if (own !== undefined && this.#options.publisher.pathsOf(found).includes(path))
        this.leftovers.push({ path, stamp: stamp!, digest });
      else this.rows.push({ ...row, revision: 0, fault: `it holds the same record as '${holder}'` });
      return;
    }
    const current = this.#current.get(iri);
    if (current?.json === json && current.pid === pid && current.className === className) {
      this.rows.push({ ...row, revision: current.revision, fault: null });
      return;
    }
    if (own === undefined) {
      const context = new OutsideChange(path, stamp, digest);
      this.changes.push({ put: { pid, iri, className, json }, context });
    } else {
      this.rows.push({ ...row, revision: own, fault: null });
      this.#behind.add(iri);
    }
  }

  /** The revision of a record of which a file has the content, if that may have been replaced by now. */
  async #ownRevision(iri: string, digest: string): Promise<number | undefined> {
    const { store, publisher, place } = this.#options;
    for await (const { revision, json } of scanEntries(await store(), {
      iris: [iri],
      after: publisher.cursor,
    }))
      if (json !== null && digestOf(recordYaml(json, place.typed)) === digest) return revision;
    return undefined;
  }
}

function isRecord(found: Seen['found']): found is FoundRecord {
  return typeof found === 'object' && !(found instanceof RecordFileError);
}

/** With failures of the storage, those that pass: the files are looked at again later. */
const PASSING: readonly ErrorCode[] = ['busy', 'stopping', 'read_only'];
