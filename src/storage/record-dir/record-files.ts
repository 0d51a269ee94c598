/** The record files of a directory, and how they are compared with its index: in pages, however many there are. */
import { join } from 'node:path';
import { entriesOf, type FileStamp, isVisibleFolder, sameStamp, stampOf } from './disk.ts';
import { SUFFIX } from './file-names.ts';
import type { FileTable, KnownFile } from './file-table.ts';

/** Paths of a directory that are looked for in the index at once. */
const PATHS_AT_ONCE = 500;
/** Entries of folders that are gone through between two looks at the clock. */
export const FILES_PER_LOOK = 256;

/** A file that is not as the index has it, and its stamp; undefined if it is gone. */
export type DifferingFile = { readonly path: string; readonly stamp: FileStamp | undefined };

/** Some files of the directory, or of its index. */
export type ComparedPage = {
  /** How many of them are as the index has them. */
  readonly same: number;
  readonly differing: readonly DifferingFile[];
};

/** What is to be read again though its stamp is the same. */
export type Distrusted = {
  /** Files that were left out: a schema may have changed. */
  readonly faults: boolean;
  readonly file: (file: KnownFile) => boolean;
};

/**
 * Compares all files with the index, which the caller may change between two pages. Files that are gone come last: until
 * then, another file may have their record, which was moved.
 *
 * A file with another inode is read again also if size and time are the same. Both can be, with another content: archives
 * and checkouts may set all times to one, and two files that are written at once can be renamed to each other's name.
 */
export function* compareFiles(
  directory: string,
  files: FileTable,
  distrusted: Distrusted,
): Generator<ComparedPage> {
  let gone = 0;
  for (const rows of files.pages()) {
    const page = comparePage(directory, rows, distrusted.file);
    gone += page.gone;
    yield page;
  }
  for (const rows of files.faultPages()) {
    const page = comparePage(directory, rows, ({ isFree }) => isFree === 1 || distrusted.faults);
    gone += page.gone;
    yield page;
  }
  let paths: string[] = [];
  for (const path of recordFiles(directory)) {
    paths.push(path);
    if (paths.length < PATHS_AT_ONCE) continue;
    yield addedAmong(directory, files, paths);
    paths = [];
  }
  yield addedAmong(directory, files, paths);
  if (gone === 0) return;
  for (const rows of files.pages()) yield goneAmong(directory, rows);
  for (const rows of files.faultPages()) yield goneAmong(directory, rows);
}

function comparePage<Row extends FileStamp & { readonly path: string }>(
  directory: string,
  rows: readonly Row[],
  isDistrusted: (row: Row) => boolean,
): ComparedPage & { readonly gone: number } {
  const differing: DifferingFile[] = [];
  let gone = 0;
  for (const row of rows) {
    const stamp = stampOf(pathIn(directory, row.path));
    if (!stamp) gone += 1;
    else if (!sameStamp(row, stamp) || isDistrusted(row)) differing.push({ path: row.path, stamp });
  }
  return { same: rows.length - gone - differing.length, differing, gone };
}

function addedAmong(directory: string, files: FileTable, paths: readonly string[]): ComparedPage {
  const added = files.unknownAmong(paths);
  return { same: 0, differing: added.map((path) => ({ path, stamp: stampOf(pathIn(directory, path)) })) };
}

function goneAmong(directory: string, rows: readonly { readonly path: string }[]): ComparedPage {
  const gone = rows.filter(({ path }) => !stampOf(pathIn(directory, path)));
  return { same: 0, differing: gone.map(({ path }) => ({ path, stamp: undefined })) };
}

/** The path of a file of an area; `join` would take as long as reading its stamp. */
export function pathIn(directory: string, path: string): string {
  return `${directory}/${path}`;
}

/**
 * The paths of all record files of an area, relative to it, in no order. Hidden folders and linked ones are passed by.
 */
export function* recordFiles(directory: string, folder = ''): Generator<string> {
  for (const entry of entriesOf(join(directory, folder))) {
    const path = folder ? `${folder}/${entry.name}` : entry.name;
    if (entry.isDirectory()) {
      if (isVisibleFolder(entry)) yield* recordFiles(directory, path);
    } else if (isRecordPath(path)) {
      yield path;
    }
  }
}

/** Whether a path is that of a record file: the peer takes every file with the suffix, but not hidden ones beside the folders. */
export function isRecordPath(path: string): boolean {
  return path.endsWith(SUFFIX) && !(path.startsWith('.') && !path.includes('/'));
}
