/** Makes the files of a mirrored area as its records are, and keeps their rows. */
import type { MappingMethod } from '../../../core/config/backends.ts';
import { filePath, spareFilePath } from '../../../core/formats/record-path.ts';
import type { StoreLog } from '../../../core/storage/log.ts';
import type { Change, RecordKey, StoredRecord } from '../../../core/storage/store.ts';
import type { FileStamp } from './disk.ts';
import {
  FILES_AT_ONCE,
  type KnownFile,
  type Place,
  type Placed,
  type Placing,
  type StagedFile,
} from './file-jobs.ts';
import type { FileRow, FileTable, FoundRows } from './file-table.ts';
import type { FileWorker } from './file-worker.ts';
import type { DirectoryWatch } from './watch.ts';

type PublisherOptions = {
  readonly place: Place;
  readonly mapping: MappingMethod;
  readonly files: FileTable;
  readonly worker: FileWorker;
  /** Runs work while no row changes. */
  readonly locked: <T>(work: () => Promise<T>) => Promise<T>;
  /** The records as they are now, by IRI. */
  readonly records: (iris: readonly string[]) => Promise<Map<string, StoredRecord>>;
  readonly watch: DirectoryWatch;
  readonly log: StoreLog;
};

/** A change whose file is to follow. */
export type Following = {
  readonly iri: string;
  readonly revision: number;
  /** The record after the change; without it, the record is deleted. */
  readonly record?: RecordKey & { readonly json: string };
  readonly staged?: StagedFile;
  /** A change of the file, which the area has adopted. */
  readonly outside?: OutsideChange | undefined;
};

/** A record whose file is not as it should be: since when, and why, if that is more than a change from outside. */
type Unfinished = { readonly revision: number; readonly path: string; readonly message?: string };

export class Publisher {
  /** Files of all entries up to this revision are in place; infinite until it is known. */
  through = Number.POSITIVE_INFINITY;
  /** By IRI. */
  readonly unfinished = new Map<string, Unfinished>();
  readonly #options: PublisherOptions;
  /** Later entries whose files are in place, too. */
  readonly #published = new Set<number>();
  #waiting: { readonly changes: readonly Following[]; readonly found: FoundRows }[] = [];
  #publishing: Promise<void> | undefined;
  /** Paths that were put into place or removed, and may not be on disk. */
  #unflushed = new Set<string>();

  constructor(options: PublisherOptions) {
    this.#options = options;
  }

  /** The paths that the file of a record may get. @throws ServiceError `path_outside_store` */
  pathsOf({ className, pid }: Pick<RecordKey, 'className' | 'pid'>): string[] {
    return [...new Set([filePath(this.#options.mapping, className, pid), spareFilePath(className, pid)])];
  }

  /** The revision of the last entry that need not be looked at again after a crash. */
  get cursor(): number {
    const revisions = Array.from(this.unfinished.values(), ({ revision }) => revision - 1);
    return revisions.reduce((least, revision) => Math.min(least, revision), this.through);
  }

  /** Notes that the files of all entries up to a revision are in place. */
  advance(revision: number): void {
    this.through = Math.max(this.through, revision);
    for (const published of this.#published) if (published <= this.through) this.#published.delete(published);
    while (this.#published.delete(this.through + 1)) this.through += 1;
  }

  /**
   * Has files follow changes that are committed. What waits is published together.
   *
   * @param found the rows of the paths and the records, as they were before the commit
   */
  async publish(changes: readonly Following[], found: FoundRows): Promise<void> {
    this.#waiting.push({ changes, found });
    this.#publishing ??= this.#options.locked(async () => {
      const waiting = this.#waiting;
      this.#waiting = [];
      this.#publishing = undefined;
      const rows = await this.#options.files.now(waiting.map((one) => one.found));
      const all = waiting.flatMap((one) => one.changes).sort((a, b) => a.revision - b.revision);
      for (const path of await this.#follow(all, rows)) this.#options.watch.note(path);
    });
    await this.#publishing;
    for (const { revision } of changes) this.#published.add(revision);
    this.advance(this.through);
  }

  /**
   * Makes the files of records as they are now, and removes those of records that are gone.
   *
   * @param revision of a change that the records have had, for those that are gone
   * @returns the paths of files that others have changed, which have to be adopted first
   */
  async mend(iris: readonly string[], revision = 0): Promise<string[]> {
    const changed: string[] = [];
    for (let start = 0; start < iris.length; start += FILES_AT_ONCE) {
      const some = iris.slice(start, start + FILES_AT_ONCE);
      changed.push(...(await this.#options.locked(() => this.#mend(some, revision))));
    }
    return changed;
  }

  /** The paths that have to be flushed. */
  takeUnflushed(): ReadonlySet<string> {
    const taken = this.#unflushed;
    this.#unflushed = new Set();
    return taken;
  }

  /** Keeps paths that could not be flushed until the next time. */
  keepUnflushed(paths: ReadonlySet<string>): void {
    this.#unflushed = this.#unflushed.union(paths);
  }

  async #mend(iris: readonly string[], revision: number): Promise<string[]> {
    const records = await this.#options.records(iris);
    const paths = [...records.values()].flatMap((record) => this.pathsOf(record));
    const rows = await this.#options.files.find(paths, iris);
    await this.#makeRoom(paths, records, rows);
    const changes = iris.flatMap((iri): Following | [] => {
      const record = records.get(iri);
      const known = rows.of(iri)?.revision ?? 0;
      if (record ? known < record.revision : known > 0)
        return {
          iri,
          revision: record?.revision ?? Math.max(revision, known + 1),
          ...(record && { record }),
        };
      this.unfinished.delete(iri);
      return [];
    });
    return this.#follow(changes, rows);
  }

  /** A record may have another IRI now: the file under its name then belongs to no record, and makes room. */
  async #makeRoom(
    paths: readonly string[],
    records: ReadonlyMap<string, StoredRecord>,
    rows: FoundRows,
  ): Promise<void> {
    const holders = paths
      .flatMap((path) => rows.at(path) ?? [])
      .filter(({ iri }) => iri !== null && !records.has(iri));
    if (holders.length === 0) return;
    const kept = await this.#options.records(holders.map(({ iri }) => iri!));
    for (const row of holders) if (!kept.has(row.iri!)) rows.set({ ...row, iri: null, revision: 0 });
  }

  /** Has files follow changes, in order: those that have nothing to do with each other at once. */
  async #follow(changes: readonly Following[], rows: FoundRows): Promise<string[]> {
    const changed: string[] = [];
    let wave: { readonly change: Following; readonly placing: Placing }[] = [];
    let busy = new Set<string>();
    const finish = async () => {
      const placed = await this.#place(wave.map(({ placing }) => placing));
      for (const [at, { change, placing }] of wave.entries()) this.#note(change, placing, placed[at]!, rows);
      changed.push(...placed.flatMap((one) => one.changed ?? []));
      wave = [];
      busy = new Set();
    };
    const superseded: string[] = [];
    for (const change of changes) {
      const { iri, record, outside, staged } = change;
      const keys = [iri, ...(record ? this.pathsOf(record) : []), ...(outside ? [outside.path] : [])];
      if (keys.some((key) => busy.has(key)) || wave.length === FILES_AT_ONCE) await finish();
      const former = rows.of(iri);
      if (former && former.revision >= change.revision) {
        if (staged) superseded.push(staged.name);
        continue;
      }
      for (const key of former ? [...keys, former.path] : keys) busy.add(key);
      wave.push({ change, placing: this.#placingOf(change, former, rows) });
    }
    await finish();
    if (superseded.length > 0) await this.#options.worker.run('discard', this.#options.place, superseded);
    return changed;
  }

  #placingOf({ record, staged, outside }: Following, former: FileRow | undefined, rows: FoundRows): Placing {
    if (!record) return former && !outside ? { remove: knownOf(former) } : {};
    const path = outside?.path ?? this.#pathFor(record, rows);
    const remove = former && former.path !== path ? { remove: knownOf(former) } : {};
    if (outside) return remove;
    const known = rows.at(path);
    const put = { ...(known ? knownOf(known) : { path }), ...(staged ? { staged } : { json: record.json }) };
    return { put, ...remove };
  }

  /** The mapped name of a record, or the spare one if that name belongs to another record. */
  #pathFor({ className, pid, iri }: RecordKey, rows: FoundRows): string {
    const path = filePath(this.#options.mapping, className, pid);
    const holder = rows.at(path);
    return holder && holder.revision > 0 && holder.iri !== iri ? spareFilePath(className, pid) : path;
  }

  async #place(placings: readonly Placing[]): Promise<readonly Placed[]> {
    if (placings.every(({ put, remove }) => !put && !remove)) return placings.map(() => ({}));
    try {
      return await this.#options.worker.run('place', this.#options.place, placings);
    } catch (error) {
      const { message } = error as Error;
      return placings.map(({ put, remove }) => ({
        failure: { path: (put ?? remove)?.path ?? '', reason: message },
      }));
    }
  }

  #note(change: Following, { put, remove }: Placing, placed: Placed, rows: FoundRows): void {
    const { iri, revision, record, outside } = change;
    const { directory } = this.#options.place;
    const { changed, failure, kept } = placed;
    if (placed.put) {
      rows.set({ path: put!.path, iri, revision, ...placed.put, fault: null });
      this.#unflushed.add(put!.path);
    }
    if (placed.removed) {
      rows.remove(remove!.path);
      this.#unflushed.add(remove!.path);
    }
    if (outside && changed) rows.set({ ...rows.at(remove!.path)!, iri: null, revision: 0 });
    if (outside && record)
      rows.set({
        path: outside.path,
        iri,
        revision,
        stamp: outside.stamp!,
        digest: outside.digest,
        fault: null,
      });
    if (outside && !record && rows.of(iri)?.path === outside.path) rows.remove(outside.path);
    if (kept !== undefined)
      this.#options.log.warn(
        { directory, kept },
        'a record file that was left out is replaced; its content is kept',
      );
    if (failure) {
      this.#options.log.warn(
        { directory, ...failure },
        'a record file could not be put into place, will retry',
      );
      this.#leave(iri, { revision, path: failure.path, message: `it can't be written: ${failure.reason}` });
    } else if (changed && !outside) {
      this.#leave(iri, { revision, path: changed[0]! });
    } else {
      this.unfinished.delete(iri);
    }
  }

  #leave(iri: string, unfinished: Unfinished): void {
    const revision = Math.min(unfinished.revision, this.unfinished.get(iri)?.revision ?? unfinished.revision);
    this.unfinished.set(iri, { ...unfinished, revision });
  }
}

function knownOf({ path, stamp, digest, fault }: FileRow): KnownFile {
  return { path, stamp, digest, isBroken: fault !== null };
}

/**
 * An edit of a file by people or git. It goes with a change as its context, so that the mirror of the area knows it again
 * when it is written.
 */
export class OutsideChange {
  readonly path: string;
  readonly stamp: FileStamp | undefined;
  readonly digest: string;

  constructor(path: string, stamp?: FileStamp, digest = '') {
    this.path = path;
    this.stamp = stamp;
    this.digest = digest;
  }
}

/** The change of a file that a change adopts, if it is one. */
export function outsideOf({ context }: Change): OutsideChange | undefined {
  return context instanceof OutsideChange ? context : undefined;
}
