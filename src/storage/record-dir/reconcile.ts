/**
 * Brings the index of a record directory in line with its files. The files are authoritative: people edit them and git
 * checks them out. A file is read again only if its stamp has changed; a file that cannot be read becomes a fault
 * and does not hold up the others.
 */
import { isUtf8 } from 'node:buffer';
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { JobContext } from '../../jobs/jobs.ts';
import { type Breathe, slices } from '../../jobs/turns.ts';
import { canonicalJson, isJsonObject } from '../../json.ts';
import { readYaml } from '../../yaml/read.ts';
import { relaxedTransaction, transaction, whenFree } from '../database.ts';
import type { StoredRecord } from '../store.ts';
import type { Naming } from '../store-handles.ts';
import { type FileStamp, sameStamp, stampOf } from './disk.ts';
import { type FileFault, type FileRow, faultMessage, type KnownFile } from './file-table.ts';
import { holdsArea, isInOtherArea, subfolders } from './other-areas.ts';
import type { Publisher, RecordDirectory } from './publisher.ts';
import { compareFiles, FILES_PER_LOOK, pathIn, recordFiles } from './record-files.ts';

/** Why a file holds no record, as a sentence for a person. */
class RecordFileError extends Error {}

/** Files that are looked at in one go, before others get a turn. */
const FILES_PER_TURN = 100;
/**
 * Characters of records that are read before they go into the index, sorted. In any other order, each would change pages of
 * its own in every index.
 */
const CHARACTERS_READ_AHEAD = 4_000_000;
const FILES_READ_AHEAD = 20_000;
/** How long one transaction reads files, in milliseconds. */
const RECONCILE_SLICE_MS = 25;
/** Files read between two lines of the log. */
const PROGRESS = 10_000;

/** Reads in the background: what is lost in a power failure is read again from the files. */
export type Background = {
  /** Of the job that does it; if that has to end, the rest is left. */
  readonly context: JobContext;
  /** Copies what was written from the log of the database to its file. */
  readonly settle: () => Promise<unknown>;
};

export class Reconciler {
  readonly #area: RecordDirectory;
  #naming: Naming;
  readonly #publisher: Publisher;
  /** The last comparison of all files that was asked for, and one that has not begun. */
  #last: Promise<unknown> = Promise.resolve();
  #waiting: Promise<void> | undefined;
  /** Whether the files are read for the first time. */
  #isFirst = false;

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
   * Compares every file with the index; one comparison after the other.
   *
   * @param retryFaults whether files that were left out are read again though they are as they were: a schema may have changed
   */
  reconcileAll({ retryFaults = false } = {}, background?: Background): Promise<void> {
    if (this.#waiting && !retryFaults) return this.#waiting;
    const comparison = this.#last.then(() => {
      if (this.#waiting === comparison) this.#waiting = undefined;
      return this.#compareAll(retryFaults, background);
    });
    if (!retryFaults) this.#waiting = comparison;
    this.#last = comparison.catch(() => {});
    return comparison;
  }

  async #compareAll(retryFaults: boolean, background?: Background): Promise<void> {
    const { directory, files } = this.#area;
    this.#isFirst = files.isNew;
    const breathe = slices();
    const total = background && (await countFiles(directory, breathe, background.context));
    const progress = new ReadingProgress(this.#area, background, total);
    const distrusted = {
      faults: retryFaults,
      file: ({ pid, iri }: KnownFile) => pid === null || this.#resolvesElsewhere(pid, iri),
    };
    const read = new Map<string, FileRead>();
    let characters = 0;
    for (const { same, differing } of compareFiles(directory, files, distrusted)) {
      progress.add(same);
      for (const { path, stamp } of differing) {
        const found = stamp && this.#readFile(path);
        read.set(path, { stamp, found });
        if (isRecord(found)) characters += found.json.length;
        await breathe();
        if (characters < CHARACTERS_READ_AHEAD && read.size < FILES_READ_AHEAD) continue;
        await this.#takeInAll(pathsByPid(read), read, progress);
        read.clear();
        characters = 0;
        if (background?.context.stopping) return;
      }
      await breathe();
      if (background?.context.stopping) return;
    }
    await this.#takeInAll(pathsByPid(read), read, progress);
    this.#isFirst = false;
  }

  /** A record whose prefix the schema no longer has keeps the IRI that it had. */
  #resolvesElsewhere(pid: string, iri: string): boolean {
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

  /**
   * Brings the index up to date with some files, in transactions short enough for other requests.
   *
   * @param read what was read of the files, by path
   * @param progress of a comparison of all files
   */
  async #takeInAll(
    paths: readonly string[],
    read?: ReadonlyMap<string, FileRead>,
    progress?: ReadingProgress,
  ): Promise<void> {
    const { database, table, files } = this.#area;
    const inTransaction = progress?.background ? relaxedTransaction : transaction;
    let next = 0;
    while (next < paths.length) {
      const start = next;
      try {
        next = await whenFree(() =>
          inTransaction(database, () => {
            const done = files.forMany(() => this.#takeInSlice(paths, start, read));
            this.#reviewDuplicates();
            return done;
          }),
        );
      } catch (error) {
        table.forget();
        throw error;
      }
      progress?.addRead(next - start);
      await nextTurn();
    }
    await progress?.background?.settle();
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
    const stamp = stampOf(pathIn(directory, path));
    return known && stamp ? sameStamp(known, stamp) : known === stamp;
  }

  /**
   * Brings the index up to date with one file.
   *
   * @param read what was read of it; that is used if the file has not changed since, of which a notice may have come before
   */
  #takeIn(path: string, read?: FileRead): void {
    const { directory, files } = this.#area;
    if (!this.#publisher.completed(path)) return;
    const stamp = stampOf(pathIn(directory, path));
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
    const { directory, files, table } = this.#area;
    if (former ? former.iri === record.iri : files.addNew(path, record.iri, stamp)) {
      table.adopt(record);
      if (former) files.restamp(path, stamp);
      return;
    }
    const elsewhere = files.ofIri(record.iri);
    if (elsewhere && elsewhere.path !== path) {
      const pending = !this.#publisher.completed(elsewhere.path);
      const other = stampOf(pathIn(directory, elsewhere.path));
      const precedes = this.#isFirst && !pending && path < elsewhere.path;
      if (pending || (other && !precedes)) {
        this.#leaveOut(path, stamp, { reason: DUPLICATE, otherPath: elsewhere.path });
        return;
      }
      files.remove(elsewhere.path);
      if (other) this.#setFault(elsewhere.path, other, { reason: DUPLICATE, otherPath: path });
    }
    if (former && former.iri !== record.iri) this.#takeOut(path);
    table.adopt(record);
    files.set(path, record.iri, stamp);
  }

  #leaveOut(path: string, stamp: FileStamp, fault: FileFault): void {
    this.#takeOut(path);
    this.#setFault(path, stamp, fault);
  }

  #setFault(path: string, stamp: FileStamp, fault: FileFault): void {
    const { directory, files, log } = this.#area;
    files.setFault(path, fault, stamp);
    const reason = faultMessage(fault.reason, fault.otherPath);
    log.warn({ directory, path, reason }, 'record file is left out');
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
      return this.#read(path, recordText(pathIn(this.#area.directory, path)));
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

/** The text of a file. Throws RecordFileError for another encoding, of which reading makes replacement characters. */
function recordText(file: string): string {
  const text = readFileSync(file, 'utf8');
  if (text.includes(REPLACEMENT) && !isUtf8(readFileSync(file)))
    throw new RecordFileError('it is not UTF-8 text');
  return text;
}

const REPLACEMENT = '\ufffd';

function noClassFolder(folder: string): string {
  return `its folder '${folder}' is named for no class of the schema`;
}

function firstFolder(path: string): string {
  return path.slice(0, Math.max(0, path.indexOf('/')));
}

/** Paths of files in about the order of their records; those without one come last, in the order in which they were read. */
function pathsByPid(read: ReadonlyMap<string, FileRead>): string[] {
  const files: { readonly path: string; readonly pid: string }[] = [];
  const others: string[] = [];
  for (const [path, { found }] of read) {
    if (isRecord(found)) files.push({ path, pid: found.pid });
    else others.push(path);
  }
  files.sort((a, b) => (a.pid < b.pid ? -1 : a.pid > b.pid ? 1 : 0));
  return [...files.map(({ path }) => path), ...others];
}

/** How far a comparison of all files is. */
class ReadingProgress {
  readonly background: Background | undefined;
  readonly #area: RecordDirectory;
  readonly #total: number;
  #done = 0;
  #read = 0;
  #logged = 0;

  constructor(area: RecordDirectory, background: Background | undefined, total = 0) {
    this.#area = area;
    this.background = background;
    this.#total = total;
  }

  add(files: number): void {
    this.#done += files;
    this.background?.context.progress(this.#done, Math.max(this.#done, this.#total));
  }

  /** Adds files that were read, or are gone. */
  addRead(files: number): void {
    this.add(files);
    this.#read += files;
    if (this.#read - this.#logged < PROGRESS) return;
    this.#logged = this.#read;
    this.#area.log.info({ directory: this.#area.directory, done: this.#read }, 'reading record files');
  }
}

async function countFiles(directory: string, breathe: Breathe, context: JobContext): Promise<number> {
  let count = 0;
  for (const _ of recordFiles(directory)) {
    count += 1;
    if (count % FILES_PER_LOOK !== 0) continue;
    context.progress(0, count);
    await breathe();
  }
  return count;
}

function isRecord(found: FoundRecord | RecordFileError | undefined): found is FoundRecord {
  return found !== undefined && !(found instanceof RecordFileError);
}

type FoundRecord = Omit<StoredRecord, 'revision'>;

/** What a file has, and its stamp before it was read. */
type FileRead = {
  readonly stamp: FileStamp | undefined;
  readonly found: FoundRecord | RecordFileError | undefined;
};

const DUPLICATE = 'it holds the same record as';
