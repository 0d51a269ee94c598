/** `accession export-store`: a store directory that dump-things-service opens. */
import { resolve } from 'node:path';
import { exportStore as exportTo } from '../../peer/export.ts';
import { SILENT_LOG } from '../../storage/log.ts';
import { makeDirectory } from '../new-file.ts';
import { openStore } from '../open-store.ts';
import { counted } from '../print.ts';
import { areaProgress } from '../progress.ts';

export async function exportStore(place: string, directory: string): Promise<number> {
  await using store = await openStore(place);
  makeDirectory(directory);
  using progress = areaProgress();
  const { root, database, configuration } = store;
  const options = { root, log: SILENT_LOG, progress: progress.report };
  const { records } = await exportTo(database, configuration, resolve(directory), options);
  process.stderr.write(`${counted(records, 'record')} written to ${directory}\n`);
  return 0;
}
