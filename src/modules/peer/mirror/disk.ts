/** Files on disk as a record directory needs them: known again without reading them, written whole, flushed. */
import { hash } from 'node:crypto';
import {
  closeSync,
  type Dirent,
  fstatSync,
  opendirSync,
  openSync,
  type Stats,
  statSync,
  writeSync,
} from 'node:fs';
import { open } from 'node:fs/promises';

/** Entries of a folder that are read at once. */
const ENTRIES_AT_ONCE = 256;

/** Fingerprint of a file; any modification changes at least one field. The time is in microseconds. */
export type FileStamp = { readonly size: number; readonly modified: number; readonly inode: number };

/** Whether two stamps are of one state of a file, or of its absence. */
export function sameStamp(a: FileStamp | undefined, b: FileStamp | undefined): boolean {
  if (!a || !b) return a === b;
  return a.size === b.size && a.modified === b.modified && a.inode === b.inode;
}

/** The stamp of a file; undefined if it does not exist. */
export function stampOf(file: string): FileStamp | undefined {
  const stat = behindLinks(file);
  return stat?.isFile() ? toStamp(stat) : undefined;
}

/** Whether a path is that of a folder, also by a link. */
export function isFolder(path: string): boolean {
  return behindLinks(path)?.isDirectory() ?? false;
}

/** Undefined if there is nothing, also behind links that lead to each other. */
function behindLinks(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ELOOP') return undefined;
    throw error;
  }
}

/** Writes a file without flushing it. */
export function writeWhole(file: string, content: Uint8Array): FileStamp {
  const handle = openSync(file, 'w');
  try {
    for (let written = 0; written < content.length; ) written += writeSync(handle, content, written);
    return toStamp(fstatSync(handle));
  } finally {
    closeSync(handle);
  }
}

export function digestOf(content: string | Uint8Array): string {
  return hash('sha1', content, 'base64');
}

/** Flushes a file or folder, if it still exists. */
export async function flushIfThere(path: string): Promise<void> {
  try {
    const handle = await open(path, 'r');
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}

/** Lists a folder, in no order; nothing if it has gone. A folder of a million files is never listed as a whole. */
export function* entriesOf(folder: string): Generator<Dirent> {
  const directory = opened(folder);
  if (!directory) return;
  try {
    for (let entry = directory.readSync(); entry; entry = directory.readSync()) yield entry;
  } finally {
    directory.closeSync();
  }
}

function opened(folder: string) {
  try {
    return opendirSync(folder, { bufferSize: ENTRIES_AT_ONCE });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Whether an entry is a folder that is not hidden. */
export function isVisibleFolder(entry: Dirent): boolean {
  return !entry.name.startsWith('.') && entry.isDirectory();
}

/** Whole numbers that a database can keep. */
function toStamp({ size, mtimeMs, ino }: Stats): FileStamp {
  return { size, modified: Math.round(mtimeMs * 1000), inode: ino % Number.MAX_SAFE_INTEGER };
}
