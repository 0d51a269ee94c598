/**
 * The first reading of a directory with many files, in the background: reads are answered meanwhile from what is in the
 * index already. Writes wait, since they depend on what a directory has.
 */
import type { DatabaseSync } from 'node:sqlite';
import type { Jobs } from '../../jobs/jobs.ts';
import type { RecordStore } from '../store.ts';
import type { FileTable } from './file-table.ts';
import { type Reconciler, recordFiles } from './reconcile.ts';

/** Fewer files are read before the store is open. */
const FEW = 2000;

export type FirstReading = {
  /** The store whose writes wait for the end of the reading. */
  around(store: RecordStore): RecordStore;
  /** Ends the reading; it goes on when the store is opened again. */
  stop(): Promise<void>;
};

/** Begins the first reading of a directory; undefined if it was read before, or has few files. */
export function beginReading(
  area: { readonly directory: string; readonly files: FileTable; readonly database: DatabaseSync },
  reconciler: Reconciler,
  jobs: Jobs,
): FirstReading | undefined {
  const { directory, files, database } = area;
  if (!files.isNew || !hasMany(directory)) return undefined;
  files.setRead(false);
  let ended = () => {};
  const end = new Promise<void>((resolve) => {
    ended = resolve;
  });
  let isRead = false;
  const job = jobs.add({
    name: 'record files',
    run: async (context) => {
      // What is lost in a crash is read again from the files.
      database.exec('PRAGMA synchronous = NORMAL');
      try {
        await reconciler.reconcileAll({ retryFaults: true }, context);
      } finally {
        database.exec('PRAGMA synchronous = FULL');
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
    return work();
  };
  return {
    around: (store) => ({
      ...store,
      write: (...given) => afterReading(() => store.write(...given)),
      restore: (...given) => afterReading(() => store.restore(...given)),
    }),
    stop: async () => {
      await job.stop();
      ended();
    },
  };
}

function hasMany(directory: string): boolean {
  let found = 0;
  for (const _ of recordFiles(directory)) {
    found += 1;
    if (found > FEW) return true;
  }
  return false;
}
