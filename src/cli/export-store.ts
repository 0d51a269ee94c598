/** `accession export-store`: a store directory that dump-things-service opens. */
import { resolve } from 'node:path';
import { exportStore as exportTo } from '../peer/export.ts';
import { SILENT_LOG } from '../storage/log.ts';
import type { Given } from './command.ts';
import { openStore } from './open-store.ts';
import { counted } from './print.ts';
import { areaProgress } from './progress.ts';

/** Run by the table of commands. */
export async function exportStore(given: Given): Promise<number> {
  const [place = '', directory = ''] = given.args;
  const store = await openStore(place);
  const progress = areaProgress();
  try {
    const { records } = await exportTo(store.database, store.configuration, resolve(directory), {
      ...{ root: store.root, log: SILENT_LOG, progress: progress.report },
    });
    process.stderr.write(`${counted(records, 'record')} written to ${directory}\n`);
    return 0;
  } finally {
    progress.end();
    await store.close();
  }
}
