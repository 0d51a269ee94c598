/**
 * Areas within an area: the incoming zones of a collection may lie below its curated area. Their records are not ours,
 * though they lie in folders of ours.
 */
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DIRECTORY_CONFIG_FILE } from './directory-config.ts';
import { visibleFolders } from './disk.ts';

/** Whether a file, by its path in an area, belongs to another area below. */
export function isInOtherArea(directory: string, path: string): boolean {
  for (let folder = dirname(path); folder !== '.'; folder = dirname(folder)) {
    if (isArea(join(directory, folder))) return true;
  }
  return false;
}

/** Whether there is an area in one of these folders, or below. */
export function holdsArea(folders: readonly string[]): boolean {
  // Level by level: areas are near the top, and have many folders.
  for (let level = folders; level.length > 0; level = level.flatMap(subfolders)) {
    if (level.some(isArea)) return true;
  }
  return false;
}

/** The folders in a folder, but for hidden ones; none if it cannot be read. */
export function subfolders(folder: string): string[] {
  return visibleFolders(folder).map((name) => join(folder, name));
}

function isArea(folder: string): boolean {
  return existsSync(join(folder, DIRECTORY_CONFIG_FILE));
}
