/**
 * The work of mirrors on files, in a thread (see `file-worker.ts`): the service does not wait for a disk. Jobs are
 * plain data, and are done one after the other.
 *
 * A file that others have changed since it was written or read last is never replaced or removed: it is adopted first.
 */
import { linkSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { canonicalJson } from '#linkml/json.ts';
import { digestOf, type FileStamp, sameStamp, stampOf, writeWhole } from './disk.ts';
import {
  isInOtherArea,
  LONGEST_FILE,
  RecordFileError,
  readMapping,
  recordYaml,
  TOO_LONG,
} from './record-files.ts';

/** Our folder in an area; a .gitignore in it excludes it from git. */
export const OWN_FOLDER = '.accession';
/** In it: files before they are in place, and broken files that were replaced. */
export const STAGING = 'staging';
const REPLACED = 'replaced';

/** Files, entries and records that are worked on in one go. */
export const FILES_AT_ONCE = 200;

/** The directory of an area, and whether its files have `schema_type`. */
export type Place = { readonly directory: string; readonly typed: boolean };

/** A file as it was written or read last; without a stamp, there was none. */
export type KnownFile = {
  readonly path: string;
  readonly stamp?: FileStamp;
  readonly digest?: string;
  /** Whether it has something that is not in the database. */
  readonly isBroken?: boolean;
};

type Content = { readonly stamp: FileStamp; readonly digest: string };

/** Files of records to write into the hidden folder, if some other files are as they are known. */
type Staging = {
  readonly checks: readonly KnownFile[];
  readonly files: readonly { readonly name: string; readonly json: string }[];
};

/** The files that others have changed: nothing is written if there is one. */
type Staged = { readonly changed: readonly string[]; readonly contents: readonly Content[] };

/** A file in the hidden folder. */
export type StagedFile = { readonly name: string } & Content;

/** A file to put into place, from the hidden folder or from the text of a record; then one to remove. */
export type Placing = {
  readonly put?: KnownFile & ({ readonly staged: StagedFile } | { readonly json: string });
  readonly remove?: KnownFile;
};

export type Placed = {
  readonly put?: Content;
  readonly removed?: boolean;
  /** The files that were not as they are known: nothing is done then. */
  readonly changed?: readonly string[];
  /** Where the content of a broken file is kept that was replaced. */
  readonly kept?: string;
  readonly failure?: { readonly path: string; readonly reason: string };
};

/** A file that is compared with what is known of it. */
export type FileCheck = KnownFile & {
  /** Reads it also if it has the stamp that is known; reads its record also if it has the digest. */
  readonly force?: 'content' | 'record';
  /** Whether its folder is named for no class, so that it may belong to another area below. */
  readonly isForeign?: boolean;
};

/** A file that is not as it is known: gone, with the same content, with a mapping (as canonical JSON), or with a fault. */
export type FileObservation = { readonly path: string } & (
  | { readonly gone: true }
  | (Content & ({ readonly same: true } | { readonly json: string } | { readonly fault: string }))
);

export const JOBS = {
  stage(place: Place, { checks, files }: Staging): Staged {
    const changed = checks.filter((known) => !isKnown(place, known, stampOf(fileOf(place, known.path))));
    if (changed.length > 0) return { changed: changed.map(({ path }) => path), contents: [] };
    try {
      return { changed: [], contents: files.map(({ name, json }) => stage(place, name, json)) };
    } catch (error) {
      for (const { name } of files) rmSync(stagedFile(place, name), { force: true });
      throw error;
    }
  },

  discard(place: Place, names: readonly string[]): void {
    for (const name of names) rmSync(stagedFile(place, name), { force: true });
  },

  place: (place: Place, all: readonly Placing[]): Placed[] => all.map((one) => putAndRemove(place, one)),

  observe: (place: Place, all: readonly FileCheck[]): FileObservation[] =>
    all.flatMap((one) => observe(place, one) ?? []),
} as const;

/** The new file comes first: a crash leaves both rather than none. */
function putAndRemove(place: Place, { put, remove }: Placing): Placed {
  let placed: Placed = {};
  const discard = () => {
    if (put && 'staged' in put) rmSync(stagedFile(place, put.staged.name), { force: true });
  };
  try {
    const found = put && stampOf(fileOf(place, put.path));
    const former = remove && stampOf(fileOf(place, remove.path));
    const isInPlace = put && 'json' in put && found && holds(place, put.path, put.json);
    const changed = [
      ...(put && found && !isInPlace && !isKnown(place, put, found) ? [put.path] : []),
      ...(remove && former && !isKnown(place, remove, former) ? [remove.path] : []),
    ];
    if (changed.length > 0) {
      discard();
      return { changed };
    }
    if (put) placed = isInPlace ? { put: isInPlace } : putFile(place, put, found);
    return remove ? { ...placed, ...removeFile(place, remove, former) } : placed;
  } catch (error) {
    discard();
    const { code, message } = error as NodeJS.ErrnoException;
    return {
      ...placed,
      failure: { path: (placed.put ? remove : (put ?? remove))!.path, reason: code ?? message },
    };
  }
}

/** The file of a record, if it is in place already, as it may be after a crash. */
function holds(place: Place, path: string, json: string): Content | undefined {
  const stamp = stampOf(fileOf(place, path));
  const digest = digestOf(recordYaml(json, place.typed));
  return stamp && digestOf(readFileSync(fileOf(place, path))) === digest ? { stamp, digest } : undefined;
}

function putFile(place: Place, put: NonNullable<Placing['put']>, found: FileStamp | undefined): Placed {
  const name = `${process.pid}-made`;
  const staged = 'staged' in put ? put.staged : { name, ...stage(place, name, put.json) };
  const kept = keep(place, put, found);
  const from = stagedFile(place, staged.name);
  const to = fileOf(place, put.path);
  try {
    renameSync(from, to);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    mkdirSync(dirname(to), { recursive: true });
    renameSync(from, to);
  }
  return { ...kept, put: { stamp: staged.stamp, digest: staged.digest } };
}

function removeFile(place: Place, known: KnownFile, found: FileStamp | undefined): Placed {
  const kept = keep(place, known, found);
  rmSync(fileOf(place, known.path), { force: true });
  return { ...kept, removed: true };
}

function stage(place: Place, name: string, json: string): Content {
  const file = stagedFile(place, name);
  const bytes = Buffer.from(recordYaml(json, place.typed));
  const digest = digestOf(bytes);
  try {
    return { stamp: writeWhole(file, bytes), digest };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    mkdirSync(dirname(file), { recursive: true });
    return { stamp: writeWhole(file, bytes), digest };
  }
}

/** Keeps what somebody has written and the area could not adopt under a second name, under which it stays. */
function keep(place: Place, { path, isBroken }: KnownFile, found: FileStamp | undefined): Placed {
  if (!isBroken || !found) return {};
  const folder = join(place.directory, OWN_FOLDER, REPLACED);
  const kept = join(folder, `${new Date().toISOString().replaceAll(':', '')} ${path.replaceAll('/', ' ')}`);
  mkdirSync(folder, { recursive: true });
  linkSync(fileOf(place, path), kept);
  return { kept };
}

/** Whether a file is as it is known, perhaps in a copy. */
function isKnown(place: Place, { path, stamp, digest }: KnownFile, found: FileStamp | undefined): boolean {
  if (!stamp || !found || sameStamp(stamp, found)) return (stamp === undefined) === (found === undefined);
  return stamp.size === found.size && digestOf(readFileSync(fileOf(place, path))) === digest;
}

function observe(
  place: Place,
  { path, stamp, digest: known, force, isForeign }: FileCheck,
): FileObservation | undefined {
  const found = stampOf(fileOf(place, path));
  if (!force && sameStamp(stamp, found)) return undefined;
  // Areas below have their own mirrors.
  if (!found || (isForeign && isInOtherArea(place.directory, path)))
    return stamp || found ? { path, gone: true } : undefined;
  const fault = (reason: string): FileObservation => ({ path, stamp: found, digest: '', fault: reason });
  if (found.size > LONGEST_FILE) return fault(TOO_LONG);
  try {
    const content = readFileSync(fileOf(place, path));
    const read = { path, stamp: found, digest: digestOf(content) };
    if (read.digest === known && force !== 'record') return { ...read, same: true };
    return { ...read, ...mappingIn(content) };
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    return code === 'ENOENT' ? { path, gone: true } : fault(`it can't be read: ${code ?? message}`);
  }
}

function mappingIn(content: Uint8Array): { readonly json: string } | { readonly fault: string } {
  try {
    return { json: canonicalJson(readMapping(content)) };
  } catch (error) {
    if (error instanceof RecordFileError) return { fault: error.message };
    throw error;
  }
}

/** `join` would take as long as the call of the system. */
function fileOf({ directory }: Place, path: string): string {
  return `${directory}/${path}`;
}

function stagedFile(place: Place, name: string): string {
  return fileOf(place, `${OWN_FOLDER}/${STAGING}/${name}`);
}
