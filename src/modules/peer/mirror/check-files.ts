/** The files of record directories. */
import { existsSync, lstatSync } from 'node:fs';
import { join } from 'node:path';
import type { StoreArea } from '../../../cli/opened-store.ts';
import {
  type CheckContext,
  error,
  type Finding,
  nameOf,
  warning,
} from '../../../cli/operator/check/finding.ts';
import { countText } from '../../../cli/print.ts';
import { BACKENDS, mappingOf } from '../../../core/config/backends.ts';
import { DIRECTORY_CONFIG_FILE } from '../../../core/formats/directory-config.ts';
import { filePath } from '../../../core/formats/record-path.ts';
import type { Schema } from '../../../core/schema/schema.ts';
import type { Database } from '../../../core/storage/database.ts';
import { changedTable } from '../adopt/imported-tables.ts';
import { namingOf } from '../collection-areas.ts';
import { FileTable } from './file-table.ts';
import type { FileFault } from './mirror.ts';
import { filesOfArea, RecordFileError, readRecordFile } from './record-files.ts';

/** Files that cannot be read or that the service has left out, and records without a file. */
export async function* files({
  database,
  areas,
  schemas,
  isDirectory,
}: CheckContext): AsyncGenerator<Finding> {
  if (!isDirectory) return;
  const open = schemas();
  for (const area of areas) {
    if (!BACKENDS[area.config.backend.type].files) {
      const { path } = area.store.area;
      const changed = await changedTable(database, { path, directory: area.directory });
      if (changed)
        yield warning('files', `${changed.file}: ${changed.message}`, changed.remedy, nameOf(area));
      continue;
    }
    // A schema that cannot be read is a finding of its own: files are as they were adopted with it last.
    const schema = await open(area.config).catch(() => undefined);
    yield* filesOf(database, area, schema);
  }
}

async function* filesOf(
  database: Database,
  area: StoreArea,
  schema: Schema | undefined,
): AsyncGenerator<Finding> {
  const { directory, store, config } = area;
  const where = nameOf(area);
  const table = new FileTable(database, async () => store.area);
  for (const { path, message } of await faultsOf(table, area, schema)) {
    const remedy = `Correct the file. Until then, the record stays as it was. ${REMAKE}`;
    yield error('files', `${join(directory, path)}: ${message}`, remedy, where);
  }
  // As after a restore: the service writes all files when it starts.
  if (!existsSync(join(directory, DIRECTORY_CONFIG_FILE))) {
    const records = await store.count({});
    if (records === 0) return;
    const message = `The files of ${countText(records, 'record')} are not in ${directory}.`;
    yield warning('files', message, 'The service writes them when it starts.', where);
    return;
  }
  const mapping = mappingOf(config.backend);
  for await (const { pid, iri, className } of store.scan({})) {
    const path = filePath(mapping, className, pid);
    const file = join(directory, path);
    if (existsSync(file)) continue;
    const rows = await table.find([path], [iri]);
    // A file that was adopted keeps its path.
    const adopted = rows.of(iri)?.path;
    if (adopted !== undefined && existsSync(join(directory, adopted))) continue;
    const wasThere = (rows.at(path) ?? adopted) !== undefined;
    const remedy = wasThere
      ? `The service takes this for a delete of the record. ${REMAKE}`
      : 'The service writes it when it starts.';
    yield warning('files', `The record ${pid} has no file ${file}.`, remedy, where);
  }
}

/** A directory without its description is one whose files were lost: they are made again. */
const REMAKE = `To have all files written again from the database, stop the service, and remove the file and the ${DIRECTORY_CONFIG_FILE} of the directory.`;

/** The faults that the service has found, and those of files as the service would read them. */
async function faultsOf(
  table: FileTable,
  { directory, config }: StoreArea,
  schema: Schema | undefined,
): Promise<FileFault[]> {
  const known = (await table.faults()).filter(({ path }) =>
    lstatSync(join(directory, path), { throwIfNoEntry: false }),
  );
  if (!schema || !existsSync(directory)) return known;
  const left = new Set(known.map(({ path }) => path));
  const naming = namingOf(schema, config);
  const typed = !BACKENDS[config.backend.type].schemaTypeLayer;
  const found: FileFault[] = [];
  for (const path of filesOfArea(directory, (name) => naming.schemaTypeOf(name) !== undefined)) {
    const read = left.has(path) ? undefined : readRecordFile(directory, path, naming, typed)?.found;
    if (read instanceof RecordFileError) found.push({ path, message: read.message });
  }
  return [...known, ...found];
}
