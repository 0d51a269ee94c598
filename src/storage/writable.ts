/** Whether a directory takes writes, found out by writing to it. */
import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';

/** As much as a small record takes: a full disk may still take an empty file. */
const PROBE = Buffer.alloc(4096, '\n');

/** Whether a file in a directory can be written, synchronized and removed. */
export async function isWritable(directory: string): Promise<boolean> {
  const path = join(directory, '.writable');
  try {
    const file = await open(path, 'w', 0o600);
    try {
      await file.write(PROBE);
      await file.sync();
    } finally {
      await file.close();
    }
    return true;
  } catch {
    return false;
  } finally {
    await rm(path, { force: true }).catch(() => {});
  }
}
