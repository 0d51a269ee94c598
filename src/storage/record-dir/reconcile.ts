/**
 * Brings the index of a record directory in line with its files. The files are authoritative: people edit them and git
 * checks them out. A file is read again only if its stamp has changed; a file that cannot be read becomes a fault
 * and does not hold up the others.
 */
import { isUtf8 } from 'node:buffer';
import { type Dirent, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { JobContext } from '../../jobs/jobs.ts';
import { slices } from '../../jobs/turns.ts';
import { canonicalJson, isJsonObject } from '../../json.ts';
import { readYaml } from '../../yaml/read.ts';
import { transaction, whenFree } from '../database.ts';
import type { StoredRecord } from '../store.ts';
import type { Naming } from '../store-handles.ts';
import { type FileStamp, sameStamp, stampOf } from './disk.ts';
import { SUFFIX } from './file-names.ts';
import { type FileFault, type FileRow, faultMessage } from './file-table.ts';
import { holdsArea, isInOtherArea, subfolders } from './other-areas.ts';
import type { Publisher, RecordDirectory } from './publisher.ts';

/** Why a file holds no record, as a sentence for a person. */
class RecordFileError extends Error {}

/** Files that are looked at in one go, before others get a turn. */
const FILES_PER_TURN = 100;
/**
 * Characters of records that are read before they go into the index, sorted. In any other order, each would change pages of
 * its own in every index.
 */
const CHARACTERS_READ_AHEAD = 4_000_000;
/** How long one transaction reads files, in milliseconds. */
const RECONCILE_SLICE_MS = 25;
/** Files read between two lines of the log. */
const PROGRESS = 10_000;

export class Reconciler {
  readonly #area: RecordDirectory;
  #naming: Naming;
  readonly #publisher: Publisher;

  constructor(area: RecordDirectory, naming: Naming, publisher: Publisher) {
    this.#area = area;
    this.#naming = naming;
    this.#publisher = publisher;
  }

  /**
   * Takes over another naming, as when the schema has changed, and looks at every file with it; nothing happens for the
   * naming that is in use.
   */
  async useNaming({ expand, schemaTypeOf }: Naming): Promise<void> {
    if (expand === this.#naming.expand && schemaTypeOf === this.#naming.schemaTypeOf) return;
    this.#naming = { expand, schemaTypeOf };
    await this.reconcileAll({ retryFaults: true });
  }

  /**
   * Compares every file with the index.
   *
   * @param retryFaults whether files that were left out are read again though they are as they were: a schema may have changed
   * @param context of the job that does it; if that has to end, the rest is left
   */
  async reconcileAll({ retryFaults = false } = {}, context?: JobContext): Promise<void> {
    const { directory, files, log } = this.#area;
    const missing = new Set<string>();
    const known = new Map(files.all().map((row) => [row.path, row]));
    const faults = new Map(files.faults().map((row) => [row.path, row]));
    const differing = new Map<string, FileStamp | undefined>();
    let seen = 0;
    for (const path of recordFiles(directory)) {
      seen += 1;
      if (seen % (5 * FILES_PER_TURN) === 0) await nextTurn();
      const row = known.get(path);
      const stamp = stampOf(join(directory, path));
      const former = row ?? (retryFaults ? undefined : faults.get(path));
      known.delete(path);
      faults.delete(path);
      if (!stamp || !former || !sameStamp(former, stamp)) differing.set(path, stamp);
      else if (row && this.#resolvesElsewhere(row)) differing.set(path, stamp);
    }
    for (const path of [...known.keys(), ...faults.keys()]) missing.add(path);
    if (differing.size >= PROGRESS) log.info({ directory, files: differing.size }, 'reading record files');
    const all = [...missing, ...differing.keys()];
    let logged = 0;
    for (let start = 0; start < all.length; ) {
      if (context?.stopping) return;
      const read = await this.#readAhead(all, start, differing);
      const before = start;
      await this.#takeInAll(pathsByPid(read), read, (done) => context?.progress(before + done, all.length));
      start += read.size;
      if (start - logged >= PROGRESS) {
        log.info({ directory, done: start, of: all.length }, 'reading record files');
        logged = start;
      }
      await nextTurn();
    }
  }

  /** Reads some of the files from a position on; those that are gone are in the result, too. */
  async #readAhead(
    paths: readonly string[],
    start: number,
    stamps: ReadonlyMap<string, FileStamp | undefined>,
  ): Promise<Map<string, FileRead>> {
    const read = new Map<string, FileRead>();
    const breathe = slices();
    for (let at = start, characters = 0; at < paths.length && characters < CHARACTERS_READ_AHEAD; at++) {
      const path = paths[at]!;
      const stamp = stamps.get(path);
      const found = stamp && this.#readFile(path);
      read.set(path, { stamp, found });
      if (found !== undefined && !(found instanceof RecordFileError)) characters += found.json.length;
      await breathe();
    }
    return read;
  }

  /** A record whose prefix the schema no longer has keeps the IRI that it had. */
  #resolvesElsewhere({ pid, iri }: { readonly pid: string; readonly iri: string }): boolean {
    const resolved = this.#naming.expand(pid);
    return resolved !== undefined && resolved !== iri;
  }

  /** Compares some files with the index. */
  async reconcilePaths(paths: readonly string[]): Promise<void> {
    for (let start = 0; start < paths.length; start += FILES_PER_TURN) {
      await this.#takeInAll(
        paths.slice(start, start + FILES_PER_TURN).filter((path) => !this.#isKnown(path)),
      );
      await nextTurn();
    }
  }

  /** Brings the index up to date with some files, in transactions short enough for other requests. */
  async #takeInAll(
    paths: readonly string[],
    read?: ReadonlyMap<string, FileRead>,
    progressed?: (done: number) => void,
  ): Promise<void> {
    const { database, table } = this.#area;
    let next = 0;
    while (next < paths.length) {
      const start = next;
      try {
        next = await whenFree(() =>
          transaction(database, () => {
            const done = this.#takeInSlice(paths, start, read);
            this.#reviewDuplicates();
            return done;
          }),
        );
      } catch (error) {
        table.forget();
        throw error;
      }
      progressed?.(next);
      await nextTurn();
    }
  }

  /** Returns the index of the first path that is left for the next slice. */
  #takeInSlice(paths: readonly string[], start: number, read?: ReadonlyMap<string, FileRead>): number {
    const end = performance.now() + RECONCILE_SLICE_MS;
    let next = start;
    do {
      const path = paths[next++]!;
      this.#takeIn(path, read?.get(path));
    } while (next < paths.length && performance.now() < end);
    return next;
  }

  #isKnown(path: string): boolean {
    const { directory, files } = this.#area;
    const known = files.ofPath(path) ?? files.faultOf(path);
    const stamp = stampOf(join(directory, path));
    return known && stamp ? sameStamp(known, stamp) : known === stamp;
  }

  /**
   * Brings the index up to date with one file.
   *
   * @param read what was read of it; that is used if the file has not changed since
   */
  #takeIn(path: string, read?: FileRead): void {
    const { directory, files } = this.#area;
    if (!this.#publisher.completed(path)) return;
    const stamp = stampOf(join(directory, path));
    const row = files.ofPath(path);
    const isSame = stamp !== undefined && read?.stamp !== undefined && sameStamp(read.stamp, stamp);
    const found = isSame ? read?.found : stamp && this.#readFile(path);
    if (!found || !stamp) {
      this.#takeOut(path);
    } else if (found instanceof RecordFileError) {
      this.#leaveOut(path, stamp, { reason: found.message });
    } else {
      this.#takeInRecord(path, stamp, found, row);
    }
  }

  #takeInRecord(path: string, stamp: FileStamp, record: FoundRecord, former: FileRow | undefined): void {
    const { directory, files } = this.#area;
    const elsewhere = files.ofIri(record.iri);
    if (elsewhere && elsewhere.path !== path) {
      const pending = !this.#publisher.completed(elsewhere.path);
      if (pending || stampOf(join(directory, elsewhere.path))) {
        this.#leaveOut(path, stamp, { reason: DUPLICATE, otherPath: elsewhere.path });
        return;
      }
      files.remove(elsewhere.path);
    }
    if (former && former.iri !== record.iri) this.#takeOut(path);
    this.#put(record);
    if (former || elsewhere) files.set(path, record.iri, stamp);
    else files.add(path, record.iri, stamp);
  }

  #leaveOut(path: string, stamp: FileStamp, fault: FileFault): void {
    const { directory, files, log } = this.#area;
    this.#takeOut(path);
    files.setFault(path, fault, stamp);
    const reason = faultMessage(fault.reason, fault.otherPath);
    log.warn({ directory, path, reason }, 'record file is left out');
  }

  #put(record: FoundRecord): void {
    const { table } = this.#area;
    const present = table.get(record.iri);
    const same =
      present?.json === record.json && present.pid === record.pid && present.className === record.className;
    if (!same) table.apply({ put: record });
  }

  #takeOut(path: string): void {
    const { files, table } = this.#area;
    const row = files.ofPath(path);
    files.clearFault(path);
    if (!row) return;
    files.remove(path);
    if (table.get(row.iri)) table.apply({ delete: row.iri });
  }

  /** When a file is gone, another one may have the same record, and was left out as its duplicate. */
  #reviewDuplicates(): void {
    for (const path of this.#area.files.formerDuplicates()) this.#takeIn(path);
  }

  #isClassFolder(folder: string): boolean {
    return this.#naming.schemaTypeOf(folder) !== undefined;
  }

  /** Whether the record was stored as one of a class, when the schema had that. */
  #wasStored(iri: string, className: string): boolean {
    const [entry] = this.#area.table.entries({ iris: [iri], newestFirst: true, limit: 1 });
    return entry?.kind === 'put' && entry.className === className;
  }

  /** Whether areas of others lie below this one, in folders that are for no class. */
  holdsOtherAreas(): boolean {
    const { directory } = this.#area;
    return holdsArea(subfolders(directory).filter((folder) => !this.#isClassFolder(basename(folder))));
  }

  /** The record in a file, or why it has none; undefined for a file outside this area. */
  #readFile(path: string): FoundRecord | RecordFileError | undefined {
    if (!this.#isClassFolder(firstFolder(path)) && isInOtherArea(this.#area.directory, path))
      return undefined;
    try {
      const bytes = readFileSync(join(this.#area.directory, path));
      if (!isUtf8(bytes)) throw new RecordFileError('it is not UTF-8 text');
      return this.#read(path, bytes.toString('utf8'));
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      if (code === 'ENOENT') return undefined;
      return new RecordFileError(code === undefined ? message : `it can't be read: ${code}`);
    }
  }

  /** The record in a file's text. Throws RecordFileError. */
  #read(path: string, text: string): FoundRecord {
    const className = firstFolder(path);
    if (className === '') throw new RecordFileError('it lies in no folder of a class');
    const record = readYaml(text);
    if (!isJsonObject(record)) throw new RecordFileError('it holds no mapping, and so no record');
    const pid = record.pid;
    if (typeof pid !== 'string')
      throw new RecordFileError("the record has no 'pid', or one that is not a string");
    const iri = this.#naming.expand(pid) ?? this.#area.files.ofPath(path)?.iri;
    if (iri === undefined)
      throw new RecordFileError(`the prefix of its pid '${pid}' is unknown to the schema`);
    if (!this.#isClassFolder(className) && !this.#wasStored(iri, className))
      throw new RecordFileError(noClassFolder(className));
    return { pid, iri, className, json: canonicalJson(record) };
  }
}

function noClassFolder(folder: string): string {
  return `its folder '${folder}' is named for no class of the schema`;
}

function firstFolder(path: string): string {
  return path.slice(0, Math.max(0, path.indexOf('/')));
}

/** Paths of files in about the order of their records. */
function pathsByPid(read: ReadonlyMap<string, FileRead>): string[] {
  const files = Array.from(read, ([path, { found }]) => ({
    path,
    pid: found === undefined || found instanceof RecordFileError ? '' : found.pid,
  }));
  files.sort((a, b) => (a.pid < b.pid ? -1 : a.pid > b.pid ? 1 : 0));
  return files.map(({ path }) => path);
}

type FoundRecord = Omit<StoredRecord, 'revision'>;

/** What a file has, and its stamp before it was read. */
type FileRead = {
  readonly stamp: FileStamp | undefined;
  readonly found: FoundRecord | RecordFileError | undefined;
};

const DUPLICATE = 'it holds the same record as';

/** The paths of all record files of an area, relative to it. Hidden folders and linked ones are passed by. */
export function* recordFiles(directory: string, folder = ''): Generator<string> {
  for (const entry of direntsOf(join(directory, folder))) {
    const path = folder ? `${folder}/${entry.name}` : entry.name;
    if (entry.isDirectory()) {
      if (!entry.name.startsWith('.')) yield* recordFiles(directory, path);
    } else if (isRecordPath(path)) {
      yield path;
    }
  }
}

/** What is in a folder; nothing if it has gone. */
function direntsOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

/** Whether a path is that of a record file: the peer takes every file with the suffix, but not hidden ones beside the folders. */
export function isRecordPath(path: string): boolean {
  return path.endsWith(SUFFIX) && !(path.startsWith('.') && !path.includes('/'));
}
