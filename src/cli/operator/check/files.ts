/** The files of record directories. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { BACKENDS, mappingOf } from '../../../config/backends.ts';
import { DIRECTORY_CONFIG_FILE } from '../../../peer/directory-config.ts';
import { filePath } from '../../../peer/file-names.ts';
import { FileTable } from '../../../peer/file-table.ts';
import { recordFiles } from '../../../peer/record-files.ts';
import type { Database } from '../../../storage/database.ts';
import { readYaml } from '../../../yaml/read.ts';
import type { StoreArea } from '../../open-store.ts';
import { counted } from '../../print.ts';
import { type Checked, error, type Finding, nameOf, warning } from './finding.ts';

/** Files that cannot be read or that the service has left out, and records without a file. */
export async function* files({ database, areas }: Checked): AsyncGenerator<Finding> {
  for (const area of areas) if (BACKENDS[area.config.backend.type].files) yield* filesOf(database, area);
}

async function* filesOf(database: Database, area: StoreArea): AsyncGenerator<Finding> {
  const { directory, store, config } = area;
  const where = nameOf(area);
  const table = new FileTable(database, async () => store.area);
  const leftOut = await table.faults();
  const faults = new Map(leftOut.map(({ path, message }) => [path, message]));
  for (const path of existsSync(directory) ? recordFiles(directory) : []) {
    const file = join(directory, path);
    const fault = faults.get(path) ?? whyUnreadable(file);
    if (fault === undefined) continue;
    const remedy = `Correct the file. Until then, the record stays as it was. ${REMAKE}`;
    yield error('files', `${file}: ${fault}`, remedy, where);
  }
  // As after a restore: the service writes all files when it starts.
  if (!existsSync(join(directory, DIRECTORY_CONFIG_FILE))) {
    const records = await store.count({});
    if (records === 0) return;
    const message = `The files of ${counted(records, 'record')} are not in ${directory}.`;
    yield warning('files', message, 'The service writes them when it starts.', where);
    return;
  }
  const mapping = mappingOf(config.backend);
  for await (const { pid, className } of store.scan({})) {
    const path = filePath(mapping, className, pid);
    const file = join(directory, path);
    if (existsSync(file)) continue;
    const wasThere = (await table.find([path], [])).at(path) !== undefined;
    const remedy = wasThere
      ? `The service takes this for a delete of the record. ${REMAKE}`
      : 'The service writes it when it starts.';
    yield warning('files', `The record ${pid} has no file ${file}.`, remedy, where);
  }
}

/** A directory without its description is one whose files were lost: they are made again. */
const REMAKE = `To have all files written again from the database, stop the service, and remove the file and the ${DIRECTORY_CONFIG_FILE} of the directory.`;

/** Why a file cannot be read as YAML; undefined if it can. */
function whyUnreadable(file: string): string | undefined {
  try {
    readYaml(readFileSync(file, 'utf8'));
    return undefined;
  } catch (failure) {
    return (failure as Error).message;
  }
}
