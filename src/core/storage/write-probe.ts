/** Whether a store directory accepts writes, found by writing: permissions, quotas and full disks all show. */
import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';

/** A write that succeeds needs about this much room: pages of a database, and a file. */
const ROOM = Buffer.alloc(128 * 1024, 1);

/** Returns why a directory accepts no writes; undefined if it does. */
type WriteProbe = () => Promise<string | undefined>;

/**
 * A probe of a directory. A result is used for an interval, and for another one while the next probe is in progress: a
 * busy disk may take a second for it, and who asks often does not have to wait. Older results are not used.
 *
 * @param interval in milliseconds
 */
export function writeProbe(
  directory: string,
  interval: number,
  now: () => number = () => performance.now(),
): WriteProbe {
  const file = join(directory, `.probe-${process.pid}`);
  let known: { readonly result: string | undefined; readonly at: number } | undefined;
  let running: Promise<string | undefined> | undefined;
  const start = async () => {
    const at = now();
    const result = await probe(file);
    known = { result, at };
    running = undefined;
    return result;
  };
  return async () => {
    const age = now() - (known?.at ?? Number.NEGATIVE_INFINITY);
    if (known && age < interval) return known.result;
    running ??= start();
    return known && age < 2 * interval ? known.result : running;
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
