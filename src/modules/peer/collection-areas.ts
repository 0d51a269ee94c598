/** The areas of a collection as they lie in the store directory. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { AreaLogs } from '../../core/collections/area-logs.ts';
import { BACKENDS } from '../../core/config/backends.ts';
import type { CollectionConfig } from '../../core/config/config.ts';
import { areaPath, confineZone, locate, zonesOnDisk } from '../../core/config/paths.ts';
import { DIRECTORY_CONFIG_FILE } from '../../core/formats/directory-config.ts';
import { submitterMender } from '../../core/formats/submitter.ts';
import type { Schema } from '../../core/schema/schema.ts';
import { readCursor, removeCursor } from '../../core/storage/cursors.ts';
import type { Database } from '../../core/storage/database.ts';
import { type AreaToAdopt, adoptArea } from './adopt/adopt-area.ts';
import { ADOPTION } from './adopt/adoption-sinks.ts';
import { tableFile } from './adopt/sources.ts';
import { filesOfArea } from './mirror/record-files.ts';

/** The areas of a collection that have directories. */
export function areasOf(
  root: string,
  collection: CollectionConfig,
  schema: Schema,
  logs?: AreaLogs,
): AreaToAdopt[] {
  const { files, schemaTypeLayer } = BACKENDS[collection.backend.type];
  const naming = namingOf(schema, collection);
  return directoriesOf(root, collection)
    .map((directory, at) => ({
      path: areaPath(root, directory),
      directory,
      files,
      typed: !schemaTypeLayer,
      naming,
      logs: at === 0 && logs ? logs.of(collection, root) : [],
    }))
    .filter(({ directory }) => existsSync(directory));
}

/** How the records of a collection are named in its files and tables, and what of them is mended. */
export function namingOf(
  { expand, schemaTypeOf, classOfSchemaType }: Schema,
  { submission_tags }: Pick<CollectionConfig, 'submission_tags'>,
): AreaToAdopt['naming'] {
  const mend = submitterMender(expand, submission_tags.submitter_id_tag);
  return { expand, schemaTypeOf, classOfSchemaType, mend };
}

/**
 * Adopts what lies in the directories of a collection that is made over them: tables, and files, which mirrors would find
 * gradually, while lists of the collection have a part of them, and an audit log would get as changes.
 *
 * @returns whether the curated area is as its directory has it, even if that is empty
 */
export async function adoptDirectories(
  database: Database,
  root: string,
  collection: CollectionConfig,
  schema: Schema,
  logs?: AreaLogs,
): Promise<boolean> {
  const begun = Date.now() * 1000;
  const curated = areaPath(root, locate(root, collection.curated, 'curated-path'));
  let isAdopted = false;
  for (const area of areasOf(root, collection, schema, logs)) {
    const isOfItsForm = area.files ? holdsFiles(area) : tableFile(area.directory) !== undefined;
    if (!isOfItsForm) continue;
    isAdopted ||= area.path === curated;
    const known = await database.existingArea(area.path);
    if (known && !(await readCursor(database, ADOPTION, known.area.id))) continue;
    await adoptArea(database, { ...area, logs: [] }, { begun, progress: () => {} });
    const { id } = (await database.area(area.path)).area;
    await database.transact(async (draft) => removeCursor(draft, ADOPTION, id));
  }
  return isAdopted;
}

/** Whether a directory was made for files of records, or has some. */
function holdsFiles({ directory, naming }: AreaToAdopt): boolean {
  if (existsSync(join(directory, DIRECTORY_CONFIG_FILE))) return true;
  const isClass = (name: string) => naming.schemaTypeOf(name) !== undefined;
  for (const _ of filesOfArea(directory, isClass)) return true;
  return false;
}

/** The curated area of a collection, then its zones. */
export function directoriesOf(root: string, { curated, incoming }: CollectionConfig): string[] {
  const located = incoming === null ? undefined : locate(root, incoming, 'incoming-path');
  const zones =
    located === undefined ? [] : zonesOnDisk(root, located).map((label) => confineZone(root, located, label));
  return [locate(root, curated, 'curated-path'), ...zones];
}
