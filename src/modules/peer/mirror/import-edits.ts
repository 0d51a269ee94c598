/**
 * Adopts what people and git have done to the files of a mirrored area, and notes which files do not fit. A file is
 * looked at if it is not as its row says; what it says is then written to the area as a change without an actor.
 */

import { type JsonObject, parseJson } from '#linkml/json.ts';
import { type ErrorCode, isServiceError, isStorageFailure } from '../../../core/errors.ts';
import { inTurn } from '../../../core/in-turn.ts';
import type { StoreLog } from '../../../core/storage/log.ts';
import { scanEntries } from '../../../core/storage/read/paging.ts';
import type { Change, StoredRecord } from '../../../core/storage/store.ts';
import { type DecisionOptions, EditDecisions, isRecord, type ObservedFile } from './decide-edits.ts';
import { sameStamp, stampOf } from './disk.ts';
import { FILES_AT_ONCE, type FileCheck, type FileObservation, type KnownFile } from './file-jobs.ts';
import type { FileRow, FileTable } from './file-table.ts';
import type { FileWorker } from './file-worker.ts';
import type { OutsideChange } from './publish.ts';
import { classFolder, type FoundRecord, type Naming, RecordFileError, recordAt } from './record-files.ts';
import type { DirectoryWatch } from './watch.ts';

type EditImportOptions = DecisionOptions & {
  readonly naming: () => Naming;
  /** Writes changes to the area with the mirror, without an author, with their contexts. */
  readonly writeEdits: (changes: readonly Change[]) => Promise<void>;
  readonly log: StoreLog;
  readonly files: FileTable;
  readonly worker: FileWorker;
  /** The records as they are now, by IRI. */
  readonly records: (iris: readonly string[]) => Promise<Map<string, StoredRecord>>;
  /** Runs work while no row changes. */
  readonly locked: <T>(work: () => Promise<T>) => Promise<T>;
  readonly watch: DirectoryWatch;
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
    const observed = new Map<string, ObservedFile>();
    // A record may have come from another file that was changed, too.
    for (let next = paths; next.length > 0; next = await this.#whereRecordsWere(observed))
      await this.#read(next, force, observed);
    if (observed.size === 0) return;
    const files = [...observed.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
    const iris = [
      ...new Set(
        files.flatMap(({ row, found }) => [row?.iri ?? [], isRecord(found) ? found.iri : []].flat()),
      ),
    ];
    const decided = new EditDecisions(
      this.#options,
      await this.#options.records(iris),
      await this.#recent(iris),
      behind,
    );
    const rows = await this.#options.locked(() => this.#options.files.find([...observed.keys()], iris));
    await decided.add(files, rows, former);
    await this.#offer(decided.changes, decided.rows);
    await this.#note(decided, observed);
    await this.#remove(decided.leftovers);
    for (const { path, fault } of decided.rows)
      if (fault)
        this.#options.log.warn(
          { directory: this.#options.place.directory, path, reason: fault },
          'record file is left out',
        );
    const free = [...decided.released].flatMap((iri) => rows.repeated(iri).map(({ path }) => path));
    const left = free.filter((path) => !observed.has(path));
    if (left.length > 0) await this.#look(left, true, behind);
  }

  async #remove(leftovers: readonly KnownFile[]): Promise<void> {
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
  async #note({ rows, gone }: EditDecisions, observed: ReadonlyMap<string, ObservedFile>): Promise<void> {
    const { files, locked, place, watch } = this.#options;
    await locked(async () => {
      const now = await files.find(
        rows.map(({ path }) => path),
        rows.flatMap(({ iri, revision }) => (iri !== null && revision > 0 ? iri : [])),
      );
      for (const path of gone) if (!stampOf(`${place.directory}/${path}`)) now.remove(path);
      for (const row of rows) {
        const known = now.at(row.path);
        const former = observed.get(row.path)?.row;
        const holder = row.iri !== null && row.revision > 0 ? now.of(row.iri) : undefined;
        const isCurrent =
          (!known || (known.iri === former?.iri && known.revision === former.revision)) &&
          (!holder || observed.has(holder.path)) &&
          sameStamp(row.stamp, stampOf(`${place.directory}/${row.path}`));
        if (isCurrent) now.set(row);
        else watch.note(row.path);
      }
    });
  }

  /** Reads those of some files that are not as their rows say. */
  async #read(paths: readonly string[], force: boolean, observed: Map<string, ObservedFile>): Promise<void> {
    const { files, locked, place, worker } = this.#options;
    const naming = this.#options.naming();
    await locked(async () => {
      const rows = await files.find(paths, []);
      const checks = paths.map((path): FileCheck => {
        const row = rows.at(path);
        const isForeign = naming.schemaTypeOf(classFolder(path)) === undefined;
        const isUnknown = row?.iri === null && row.fault === null;
        const known = row && { stamp: row.stamp, ...(!isUnknown && { digest: row.digest }) };
        const how = row?.fault == null ? 'content' : 'record';
        return { path, isForeign, ...known, ...(force && { force: how }) };
      });
      for (const file of await worker.run('observe', place, checks))
        observed.set(file.path, this.#observed(file, rows.at(file.path), naming));
    });
  }

  #observed(file: FileObservation, row: FileRow | undefined, naming: Naming): ObservedFile {
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
  async #whereRecordsWere(observed: ReadonlyMap<string, ObservedFile>): Promise<string[]> {
    const { files, locked, place } = this.#options;
    const iris = [...observed.values()].flatMap(({ found }) => (isRecord(found) ? found.iri : []));
    const rows = await locked(() => files.find([], iris));
    return iris.flatMap((iri) => {
      const row = rows.of(iri);
      return row &&
        !observed.has(row.path) &&
        !sameStamp(row.stamp, stampOf(`${place.directory}/${row.path}`))
        ? row.path
        : [];
    });
  }

  /** Of some records, those whose last changes may not have their files yet. */
  async #recent(iris: readonly string[]): Promise<Set<string>> {
    const { store, publisher } = this.#options;
    const recent = new Set<string>();
    if (iris.length === 0) return recent;
    const query = { iris, after: publisher.cursor, lastOnly: true };
    for await (const { iri } of scanEntries(await store(), query)) recent.add(iri);
    return recent;
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

/** With failures of the storage, those that pass: the files are looked at again later. */
const PASSING: readonly ErrorCode[] = ['busy', 'stopping', 'read_only'];
