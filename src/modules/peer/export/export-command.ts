/** `accession export-store`. */
import { resolve } from 'node:path';
import type { OpenToRead } from '../../../cli/module.ts';
import { makeDirectory } from '../../../cli/new-file.ts';
import type { OpenStore } from '../../../cli/opened-store.ts';
import { complain, PROBLEMS_FOUND } from '../../../cli/outcome.ts';
import { countText } from '../../../cli/print.ts';
import { areaProgress } from '../../../cli/progress.ts';
import { SCHEMA_TYPE } from '../../../core/schema-type.ts';
import { SILENT_LOG } from '../../../core/storage/log.ts';
import { exportStore as writeStore } from './export.ts';

/** Areas with files that were written again, in the message. */
const MOST_AREAS_NAMED = 10;

/** The command. @param openStore see {@link OpenToRead} */
export function exportCommand(openStore: OpenToRead) {
  return (place: string, directory: string) => exportStore(openStore, place, directory);
}

async function exportStore(openStore: OpenToRead, place: string, directory: string): Promise<number> {
  await using store = await openStore(place);
  makeDirectory(directory);
  const { records, deleted, rewritten, unknown } = await exportInto(store, directory);
  process.stderr.write(`${countText(records, 'record')} written to ${directory}\n`);
  if (rewritten.length > 0) {
    const total = rewritten.reduce((sum, { files }) => sum + files, 0);
    const named = rewritten.slice(0, MOST_AREAS_NAMED).map(({ path, files }) => `${path} (${files})`);
    const more = rewritten.length > named.length ? ' …' : '';
    process.stderr.write(
      `${countText(total, 'file')} written again: the content is as stored, the YAML or the ${SCHEMA_TYPE} differs from the file ` +
        `in the store: ${named.join(', ')}${more}\n`,
    );
  }
  if (deleted.length > 0) {
    const paths = deleted.map(({ path }) => path).join(', ');
    process.stderr.write(
      `also wrote ${countText(deleted.length, 'area')} of deleted collections: ${paths}\n`,
    );
  }
  for (const { path, records } of unknown)
    complain(
      `${path}: expected a collection that has this area, or had it, found none. Its ${countText(records, 'record')} ` +
        `${records === 1 ? 'is' : 'are'} not in ${directory}. Create a collection with this directory, and export again.`,
    );
  return unknown.length > 0 ? PROBLEMS_FOUND : 0;
}

async function exportInto(store: OpenStore, directory: string) {
  const { root, database, configuration, configurationSchemas, logs } = store;
  using progress = areaProgress();
  return await writeStore(database, configuration, resolve(directory), {
    root,
    configurationSchemas,
    log: SILENT_LOG,
    progress: progress.report,
    logs: await logs(),
  });
}
