/** Whether the directory of an area has records that a collection would not show: those of another form. */
import { existsSync } from 'node:fs';
import { ServiceError } from '../../../core/errors.ts';
import type { Database } from '../../../core/storage/database.ts';
import { filesOfArea } from '../mirror/record-files.ts';
import type { AreaToAdopt } from './adopt-area.ts';
import { hasRows, TABLE_FILE, tableFile } from './sources.ts';

type AreaInDirectory = Pick<AreaToAdopt, 'path' | 'directory' | 'files' | 'naming'>;

/**
 * Refuses a collection whose areas have records of another form in their directories, and none of its own form. An area that
 * the database has changes of was adopted already: its records are shown, whatever the directory has.
 *
 * @throws ServiceError `store_incompatible`
 */
export async function requireNothingHidden(
  areas: readonly AreaInDirectory[],
  database?: Database,
): Promise<void> {
  for (const area of areas) {
    const hidden = hiddenRecords(area);
    if (hidden === undefined) continue;
    const known = await database?.existingArea(area.path);
    if (known && (await known.revision()) > 0) continue;
    throw new ServiceError('store_incompatible', `The directory '${area.directory}': ${hidden}`);
  }
}

/** Why records in a directory would not be shown; undefined if there are none. */
function hiddenRecords({ directory, files, naming }: AreaInDirectory): string | undefined {
  if (!existsSync(directory)) return undefined;
  const isClass = (name: string) => naming.schemaTypeOf(name) !== undefined;
  const file = firstRecordFile(directory, isClass);
  const table = tableFile(directory);
  if (!files && file !== undefined && table === undefined)
    return `expected no files of records or a table '${TABLE_FILE}', found the file '${file}'. Use the backend record_dir or record_dir+stl, or another directory.`;
  if (files && file === undefined && table !== undefined && hasRows(table))
    return `expected files of records, found records in the table '${TABLE_FILE}'. Use the backend sqlite or sqlite+stl, or another directory.`;
  return undefined;
}

/** Whether a directory has records as files, and others as rows of a table: as the peer has two collections in one directory. */
export function hasBothForms({ directory, naming }: AreaInDirectory): boolean {
  if (!existsSync(directory)) return false;
  const table = tableFile(directory);
  const isClass = (name: string) => naming.schemaTypeOf(name) !== undefined;
  return table !== undefined && hasRows(table) && firstRecordFile(directory, isClass) !== undefined;
}

function firstRecordFile(directory: string, isClass: (name: string) => boolean): string | undefined {
  for (const path of filesOfArea(directory, isClass)) if (path.includes('/')) return path;
  return undefined;
}
