/** File systems of a few MiB, for tests of full disks. Linux, as root. */
import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';

/**
 * A file system in memory; undefined if this user may not mount one. Hooks run in order, so it is there until the service of
 * `testApp` is closed only if the service was opened before the disk.
 */
export function smallDisk(t: Pick<TestContext, 'after'>, mebibytes: number): string | undefined {
  const directory = mkdtempSync(join(tmpdir(), 'accession-disk-'));
  try {
    const size = `size=${mebibytes}m`;
    execFileSync('mount', ['-t', 'tmpfs', '-o', size, 'tmpfs', directory], { stdio: 'ignore' });
  } catch {
    rmSync(directory, { recursive: true });
    return undefined;
  }
  t.after(() => {
    execFileSync('umount', ['--lazy', directory]);
    rmSync(directory, { recursive: true, force: true });
  });
  return directory;
}

/** Remounts a {@link smallDisk} to be read-only, or not any more. */
export function setReadOnly(disk: string, isReadOnly: boolean): void {
  execFileSync('mount', ['-o', `remount,${isReadOnly ? 'ro' : 'rw'}`, disk]);
}

/** Writes a file that takes all the room that is left. */
export function fillDisk(file: string): void {
  for (const size of [65_536, 4_096, 1]) {
    try {
      for (;;) appendFileSync(file, Buffer.alloc(size));
    } catch {
      // There is no room for more of this size.
    }
  }
}
