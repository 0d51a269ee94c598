/**
 * Puts the files of a mirrored area into place: each is written whole into a hidden folder first, then renamed. A file that
 * others have changed since it was written or read last is never replaced or removed: it is taken in first.
 */
import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { MappingMethod } from '../config/backends.ts';
import type { StoreLog } from '../storage/log.ts';
import type { RecordKey } from '../storage/store.ts';
import { digestOf, type FileStamp, flushIfThere, sameStamp, stampOf, writeWhole } from './disk.ts';
import { filePath, spareFilePath } from './file-names.ts';
import type { FileRow, FoundRows } from './file-table.ts';
import { PEER_INDEX } from './peer-index.ts';
import { recordYaml } from './record-files.ts';

/** Our folder in an area; a .gitignore in it excludes it from git. */
const OWN_FOLDER = '.accession';
/** In it: files before they are in place, and broken files that were replaced. */
const STAGING = 'staging';
const REPLACED = 'replaced';

/** Parallel flushes cost the disk hardly more than one. */
const FLUSHED_AT_ONCE = 64;

export type PlacerOptions = {
  readonly directory: string;
  readonly mapping: MappingMethod;
  /** Whether files have `schema_type`: those of backends without `+stl`. */
  readonly typed: boolean;
  readonly log: StoreLog;
};

export type FileContent = { readonly bytes: Uint8Array; readonly digest: string };

/** A file in the hidden folder. */
export type StagedFile = { readonly temporary: string; readonly stamp: FileStamp; readonly digest: string };

/** The path of a file that others have changed, so that it has to be taken in first. */
export type ChangedPath = string;

export class Placer {
  readonly #options: PlacerOptions;
  readonly #staging: string;
  /** Temporary names begin with it: those with another beginning are left from a crash. */
  readonly #prefix = `${process.pid}-${Date.now().toString(36)}-`;
  #last = 0;
  /** Paths that were put into place or removed, and may not be on disk. */
  #unflushed = new Set<string>();

  constructor(options: PlacerOptions) {
    this.#options = options;
    this.#staging = join(options.directory, OWN_FOLDER, STAGING);
  }

  /** Makes the hidden folder, and empties it of what is left from a crash. */
  prepare(leftovers: Iterable<string> = []): void {
    mkdirSync(this.#staging, { recursive: true });
    writeFileSync(join(this.#options.directory, OWN_FOLDER, '.gitignore'), '*\n');
    for (const name of leftovers)
      if (!name.startsWith(this.#prefix)) rmSync(join(this.#staging, name), { force: true });
  }

  get staging(): string {
    return this.#staging;
  }

  /** The paths that the file of a record may get. @throws ServiceError `path_outside_store` */
  pathsOf({ className, pid }: Pick<RecordKey, 'className' | 'pid'>): string[] {
    return [...new Set([filePath(this.#options.mapping, className, pid), spareFilePath(className, pid)])];
  }

  /** The file of a record as it has to be. */
  contentOf(json: string): FileContent {
    const bytes = Buffer.from(recordYaml(json, this.#options.typed));
    return { bytes, digest: digestOf(bytes) };
  }

  /** Writes a file into the hidden folder. */
  stage({ bytes, digest }: FileContent): StagedFile {
    this.#last += 1;
    const temporary = join(this.#staging, `${this.#prefix}${this.#last}`);
    return { temporary, stamp: this.#write(temporary, bytes), digest };
  }

  discard({ temporary }: StagedFile): void {
    rmSync(temporary, { force: true });
  }

  /**
   * Puts the staged file of a record into place, removes the file that the record had before, and notes both in the rows:
   * those of the paths that it may get, and that of the record.
   *
   * @throws the failure of the system; the staged file is gone then
   */
  place(record: RecordKey, revision: number, staged: StagedFile, rows: FoundRows): ChangedPath | undefined {
    const path = this.#pathFor(record, rows);
    const known = rows.at(path);
    const found = stampOf(this.path(path));
    if (found && !this.#isKnown(path, found, known)) {
      this.discard(staged);
      return path;
    }
    if (known?.fault && found) this.#keepReplaced(path);
    this.#move(staged, this.path(path));
    this.#unflushed.add(path);
    return this.#placed(path, record, revision, staged, rows);
  }

  /** The same for a file that is in place already, as after a crash. @returns whether it was, and what was changed */
  adopt(
    record: RecordKey,
    revision: number,
    { bytes, digest }: FileContent,
    rows: FoundRows,
  ): { readonly done: boolean; readonly changed?: ChangedPath | undefined } {
    const path = this.#pathFor(record, rows);
    const stamp = stampOf(this.path(path));
    if (stamp?.size !== bytes.length || digestOf(readFileSync(this.path(path))) !== digest)
      return { done: false };
    this.#unflushed.add(path);
    return { done: true, changed: this.#placed(path, record, revision, { stamp, digest }, rows) };
  }

  #placed(
    path: string,
    { iri }: RecordKey,
    revision: number,
    { stamp, digest }: Pick<StagedFile, 'stamp' | 'digest'>,
    rows: FoundRows,
  ): ChangedPath | undefined {
    const former = rows.of(iri);
    rows.set({ path, iri, revision, stamp, digest, fault: null });
    return former && former.path !== path ? this.removeFile(former.path, rows) : undefined;
  }

  /** Removes a file of the mirror and its row; one that others have changed is no longer that of the record. */
  removeFile(path: string, rows: FoundRows): ChangedPath | undefined {
    const file = this.path(path);
    const known = rows.at(path);
    const found = stampOf(file);
    if (found && !this.#isKnown(path, found, known)) {
      if (known) rows.set({ ...known, iri: null, revision: 0 });
      return path;
    }
    if (known?.fault && found) this.#keepReplaced(path);
    rmSync(file, { force: true });
    this.#unflushed.add(path);
    rows.remove(path);
    return undefined;
  }

  /** The paths that {@link flush} is to flush. */
  takeUnflushed(): ReadonlySet<string> {
    const taken = this.#unflushed;
    this.#unflushed = new Set();
    return taken;
  }

  giveBack(paths: ReadonlySet<string>): void {
    this.#unflushed = this.#unflushed.union(paths);
  }

  /** Flushes files, and the folders that they are in or were removed from. */
  async flush(paths: ReadonlySet<string>): Promise<void> {
    const folders = new Set<string>();
    for (const path of paths) for (const folder of foldersOf(path)) folders.add(folder);
    for (const some of [[...paths], [...folders]])
      for (let start = 0; start < some.length; start += FLUSHED_AT_ONCE)
        await Promise.all(
          some.slice(start, start + FLUSHED_AT_ONCE).map((path) => flushIfThere(this.path(path))),
        );
  }

  path(path: string): string {
    // `join` would take as long as the call of the system.
    return `${this.#options.directory}/${path}`;
  }

  /** The peer's index would be wrong after a write; the peer makes a missing one. */
  removePeerIndex(): void {
    rmSync(join(this.#options.directory, PEER_INDEX), { force: true });
  }

  /** Whether a file has what its row says, perhaps in a copy. */
  #isKnown(path: string, found: FileStamp, known: FileRow | undefined): boolean {
    if (!known || sameStamp(known.stamp, found)) return known !== undefined;
    return known.stamp.size === found.size && digestOf(readFileSync(this.path(path))) === known.digest;
  }

  /** The mapped name of a record, or the spare one if that name belongs to another record. */
  #pathFor({ className, pid, iri }: RecordKey, rows: FoundRows): string {
    const path = filePath(this.#options.mapping, className, pid);
    const holder = rows.at(path);
    return holder && holder.revision > 0 && holder.iri !== iri ? spareFilePath(className, pid) : path;
  }

  #write(file: string, content: Uint8Array): FileStamp {
    try {
      return writeWhole(file, content);
    } catch (error) {
      rmSync(file, { force: true });
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      this.prepare();
      return writeWhole(file, content);
    }
  }

  #move(staged: StagedFile, file: string): void {
    try {
      try {
        renameSync(staged.temporary, file);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
        mkdirSync(dirname(file), { recursive: true });
        renameSync(staged.temporary, file);
      }
    } catch (error) {
      this.discard(staged);
      throw error;
    }
  }

  /** Keeps what somebody has written and the area could not take in: a second name, under which it stays. */
  #keepReplaced(path: string): void {
    const folder = join(this.#options.directory, OWN_FOLDER, REPLACED);
    const kept = join(folder, `${new Date().toISOString().replaceAll(':', '')} ${path.replaceAll('/', ' ')}`);
    mkdirSync(folder, { recursive: true });
    linkSync(this.path(path), kept);
    this.#options.log.warn(
      { path, kept },
      'a record file that was left out is replaced; its content is kept',
    );
  }
}

/** The folders that a path goes through, up to the area's own. */
function foldersOf(path: string): string[] {
  const folder = dirname(path);
  return folder === '.' ? [folder] : [folder, ...foldersOf(folder)];
}
