/** Whether a store directory accepts writes, found by writing: permissions, quotas and full disks all show. */
import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';

/** A write that succeeds needs about this much room: pages of a database, and a file. */
const ROOM = Buffer.alloc(128 * 1024, 1);

/** Returns why a directory accepts no writes; undefined if it does. */
export type WriteProbe = () => Promise<string | undefined>;

/**
 * A probe of a directory.
 *
 * @param interval for how many milliseconds a result is remembered
 */
export function writeProbe(directory: string, interval: number): WriteProbe {
  const file = join(directory, `.probe-${process.pid}`);
  let known: Promise<string | undefined> | undefined;
  let until = Number.NEGATIVE_INFINITY;
  return () => {
    const now = performance.now();
    if (known === undefined || now >= until) {
      known = probe(file);
      until = now + interval;
    }
    return known;
  };
}

async function probe(file: string): Promise<string | undefined> {
  try {
    const handle = await open(file, 'w', 0o600);
    try {
      await handle.writeFile(ROOM);
      await handle.sync();
    } finally {
      await handle.close();
    }
    return undefined;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === 'ENOSPC' || code === 'EDQUOT'
      ? 'the disk has no room left'
      : `the system reports ${code}`;
  } finally {
    await rm(file, { force: true }).catch(() => {});
  }
}
