/** How much room a store takes, and how much its disk has. */
import { lstat, readdir, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { KEEP, TIMEOUT } from '../durations.ts';

/** Returns the bytes of a directory; null while they are counted for the first time. */
export type SizeProbe = () => Promise<number | null>;

/** A probe of a directory: one count at a time, in steps that leave requests their turns. */
export function sizeProbe(directory: string): SizeProbe {
  let known: number | null = null;
  let until = Number.NEGATIVE_INFINITY;
  let counting: Promise<void> | undefined;
  return async () => {
    if (performance.now() < until) return known;
    counting ??= sizeOfDirectory(directory).then((bytes) => {
      known = bytes;
      until = performance.now() + KEEP.storeSize;
      counting = undefined;
    });
    const patience = new AbortController();
    await Promise.race([
      counting,
      delay(TIMEOUT.storeSize, undefined, { signal: patience.signal, ref: false }),
    ]);
    patience.abort();
    return known;
  };
}

/** The room that files take on the disk, without what cannot be read and what is gone meanwhile. */
async function sizeOfDirectory(directory: string): Promise<number> {
  let bytes = 0;
  const entries = await readdir(directory, { withFileTypes: true }).catch(() => []);
  for (const entry of entries) {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) bytes += await sizeOfDirectory(path);
    else if (entry.isFile()) bytes += (await lstat(path).catch(() => undefined))?.size ?? 0;
  }
  return bytes;
}

/** A file system: the bytes that it has, and those that an ordinary user may still write. */
export type Disk = { readonly free_bytes: number; readonly size_bytes: number };

/** The file system of a directory; undefined if the directory does not exist. */
export async function diskOf(directory: string): Promise<Disk | undefined> {
  try {
    const { bavail, blocks, bsize } = await statfs(directory);
    return { free_bytes: bavail * bsize, size_bytes: blocks * bsize };
  } catch {
    return undefined;
  }
}
