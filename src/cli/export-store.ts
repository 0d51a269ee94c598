/** `accession export-store`: a store directory that dump-things-service opens. */
import { resolve } from 'node:path';
import { exportStore as exportTo } from '../peer/export.ts';
import type { Given } from './command.ts';
import { openStore } from './open-store.ts';
import { counted } from './print.ts';
import { startProgress } from './progress.ts';

/** Run by the table of commands. */
export async function exportStore(given: Given): Promise<number> {
  const [place = '', directory = ''] = given.args;
  const store = await openStore(place);
  const progress = startProgress('records');
  let done = 0;
  try {
    await exportTo(store.database, store.configuration, resolve(directory), {
      root: store.root,
      progress: (records: number) => {
        done += records;
        progress.advance(records);
      },
    });
  } finally {
    progress.end();
    await store.close();
  }
  process.stderr.write(`${counted(done, 'record')} written to ${directory}\n`);
  return 0;
}
