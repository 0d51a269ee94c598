/**
 * The reading of a directory with many files, in the background: for the first time, and at each opening to find what has
 * changed since. Reads are answered meanwhile from what is in the index. Writes wait, since they depend on what a
 * directory has.
 */
import type { DatabaseSync } from 'node:sqlite';
import { ServiceError } from '../../errors.ts';
import type { Jobs } from '../../jobs/jobs.ts';
import type { RecordStore } from '../store.ts';
import type { FileTable } from './file-table.ts';
import type { Background } from './reconcile.ts';
import { recordFiles } from './record-files.ts';

/** Fewer files are read before the store is open. */
const FEW = 2000;

/** SQLite's default: pages of the log after which a commit copies them to the database file. */
const PAGES_OF_LOG = 1000;

export type BackgroundReading = {
  /** The store whose writes wait for the end of the reading. */
  around(store: RecordStore): RecordStore;
  /** Ends the reading; it goes on when the store is opened again. */
  stop(): Promise<void>;
};

/**
 * Begins to read a directory; undefined if it has few files.
 *
 * @param read reads all of it, or until the job has to end
 */
export function beginReading(
  area: { readonly directory: string; readonly files: FileTable; readonly database: DatabaseSync },
  read: (background: Background) => Promise<void>,
  jobs: Jobs,
): BackgroundReading | undefined {
  const { directory, files, database } = area;
  if (!files.exceeds(FEW) && !hasMany(directory)) return undefined;
  if (files.isNew) files.setRead(false);
  let ended = () => {};
  const end = new Promise<void>((resolve) => {
    ended = resolve;
  });
  let isRead = false;
  const job = jobs.add({
    name: 'record files',
    run: async (context) => {
      context.progress(0, 0);
      // This would keep requests waiting for the disk.
      database.exec('PRAGMA wal_autocheckpoint = 0');
      try {
        await read({ context, settle: () => jobs.threads.result('checkpoint area', database.location()) });
      } finally {
        database.exec(`PRAGMA wal_autocheckpoint = ${PAGES_OF_LOG}`);
      }
      if (context.stopping) return;
      files.setRead(true);
      isRead = true;
      ended();
      void job.stop();
    },
  });
  job.wake();
  const afterReading = async <T>(work: () => Promise<T>): Promise<T> => {
    if (!isRead) await end;
    if (!isRead) throw new ServiceError('storage_unavailable', NOT_READ);
    return work();
  };
  return {
    around: (store) => ({
      ...store,
      // What has no changes of records does not depend on the files.
      write: (changes, ...given) => {
        const write = () => store.write(changes, ...given);
        return changes.length === 0 ? write() : afterReading(write);
      },
      restore: (...given) => afterReading(() => store.restore(...given)),
    }),
    stop: async () => {
      await job.stop();
      ended();
    },
  };
}

const NOT_READ =
  'Nothing was written: the store was closed before all its record files were read. Send the request again.';

function hasMany(directory: string): boolean {
  let found = 0;
  for (const _ of recordFiles(directory)) {
    found += 1;
    if (found > FEW) return true;
  }
  return false;
}
