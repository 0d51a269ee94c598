/**
 * Databases of areas are made and closed in a thread if there are many of them at a time, as when many people submit for
 * the first time: each waits for the disk.
 */
import { existsSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import type { Threads } from '../jobs/threads.ts';

/** How long one area is made or closed after another for both to be among many, in milliseconds. */
const CROWD_MS = 1000;

/** Notices crowds. There is one in a service. */
export class Crowd {
  #last = Number.NEGATIVE_INFINITY;

  /** To be called when an area is made or closed. @returns whether it is one of many */
  join(): boolean {
    const now = performance.now();
    const isCrowd = now - this.#last < CROWD_MS;
    this.#last = now;
    return isCrowd;
  }
}

/** Makes the database of an area if it does not exist, and there are many. The caller opens it in either case. */
export async function makeInThread(
  file: string,
  { threads, crowd, texts }: { readonly threads: Threads; readonly crowd: Crowd; readonly texts: boolean },
): Promise<void> {
  if (existsSync(file) || !crowd.join()) return;
  await threads.result('make area', { file, texts });
}

/** Closes a connection, which may be the last one of its file. */
export async function closeInThread(
  file: string,
  database: DatabaseSync,
  { threads, crowd }: { readonly threads: Threads; readonly crowd: Crowd },
): Promise<void> {
  if (!crowd.join() || !existsSync(file)) return database.close();
  const closing = threads.run('close area', file);
  await closing.next().finally(() => database.close());
  await closing.next();
}
