/** Decides what the files of a mirrored area that are not as their rows say mean for its records. */
import { scanEntries } from '../../../core/storage/read/paging.ts';
import type { Change, RecordStore, StoredRecord } from '../../../core/storage/store.ts';
import type { Comparison } from './comparison.ts';
import { digestOf, type FileStamp } from './disk.ts';
import type { KnownFile, Place } from './file-jobs.ts';
import type { FileRow, FoundRows } from './file-table.ts';
import { OutsideChange, type Publisher } from './publish.ts';
import { type FoundRecord, RecordFileError, recordYaml } from './record-files.ts';

/** A file as it was found, if it is not as its row says. */
export type ObservedFile = {
  readonly path: string;
  readonly row: FileRow | undefined;
  /** Undefined if it is gone. */
  readonly stamp: FileStamp | undefined;
  readonly digest: string;
  readonly found: FoundRecord | RecordFileError | 'same' | undefined;
};

export type DecisionOptions = {
  readonly store: () => Promise<RecordStore>;
  readonly place: Place;
  readonly publisher: Publisher;
  /** Files that are missing from a directory that has lost its files are made again, not taken for removed ones. */
  readonly comparison: Pick<Comparison, 'detectVanished'>;
};

/** What is to be done about files that were observed: changes of the area, and rows where none is needed. */
export class EditDecisions {
  readonly changes: Change[] = [];
  readonly rows: FileRow[] = [];
  /** Paths whose rows are to be removed. */
  readonly gone: string[] = [];
  /** Files to remove: a crash has kept the mirror from it. */
  readonly leftovers: KnownFile[] = [];
  /** Records that a file held before: another one that repeats it may stand in. */
  readonly released = new Set<string>();
  readonly #options: DecisionOptions;
  readonly #current: ReadonlyMap<string, StoredRecord>;
  readonly #recent: ReadonlySet<string>;
  readonly #behind: Set<string>;
  /** The paths of the records that were found. */
  readonly #holders = new Map<string, string>();

  constructor(
    options: DecisionOptions,
    current: ReadonlyMap<string, StoredRecord>,
    recent: ReadonlySet<string>,
    behind: Set<string>,
  ) {
    this.#options = options;
    this.#current = current;
    this.#recent = recent;
    this.#behind = behind;
  }

  /** @param files by path */
  async add(
    files: readonly ObservedFile[],
    rows: FoundRows,
    former: ReadonlyMap<string, string>,
  ): Promise<void> {
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
  #findHolders(files: readonly ObservedFile[], rows: FoundRows): void {
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
  #release({ path, found }: ObservedFile, { iri, revision }: FileRow): void {
    if (found === 'same' || this.#holders.get(iri!) === path) return;
    this.released.add(iri!);
    if (this.#holders.has(iri!)) return;
    const current = this.#current.get(iri!);
    if (!current) return;
    if (current.revision > revision || this.#options.comparison.detectVanished()) this.#behind.add(iri!);
    else
      this.changes.push({
        delete: iri!,
        expect: { revisions: [revision] },
        context: new OutsideChange(path),
      });
  }

  /** The row of a file that can't be adopted; a record that it had stays as it was. */
  #broken({ path, row, stamp, digest }: ObservedFile, fault: string): FileRow {
    const holder = row?.iri ? this.#holders.get(row.iri) : undefined;
    const { iri = null, revision = 0 } = row?.revision && (holder ?? path) === path ? row : {};
    return { path, iri, revision, stamp: stamp!, digest, fault };
  }

  async #take({ path, stamp, digest }: ObservedFile, found: FoundRecord): Promise<void> {
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

export function isRecord(found: ObservedFile['found']): found is FoundRecord {
  return typeof found === 'object' && !(found instanceof RecordFileError);
}
