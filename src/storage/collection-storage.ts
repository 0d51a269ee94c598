/** The areas of a collection by name: the curated area and the zones. Directories are the business of the file backends. */
import { existsSync, statSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { ServiceError } from '../errors.ts';
import type { RecordStore } from './store.ts';

/** Where the areas of a collection are. */
export type CollectionLocation = {
  readonly collection: string;
  /** The paths as configured; backends without directories use them as keys, so that areas are shared alike. */
  readonly curated: string;
  readonly incoming: string | null;
  /**
   * The absolute path of an area, which is inside the store; null is the curated area.
   *
   * @throws ServiceError `path_outside_store` for a label that can't be the name of a zone
   */
  locate(label: string | null): string;
  /** The absolute path of the directory of all zones. Only if `incoming` is not null. */
  zones(): string;
};

export interface CollectionStorage {
  /** Opens the store of a zone, or with null of the curated area, and makes it if it is missing. */
  open(label: string | null): Promise<RecordStore>;
  /** The zones that exist, in any order. @throws ServiceError `storage_failed` */
  labels(): Promise<string[]>;
  /** Whether a zone is the curated area itself. */
  isCurated(label: string): boolean;
}

/**
 * The areas of a file backend: each is a directory, zones are below the incoming path.
 *
 * @param open opens the store in a directory
 */
export function fileAreas(
  location: CollectionLocation,
  open: (directory: string) => Promise<RecordStore>,
): CollectionStorage {
  return {
    open: (label) => open(location.locate(label)),
    async labels() {
      if (location.incoming === null || !existsSync(location.zones())) return [];
      const entries = await readdir(location.zones(), { withFileTypes: true }).catch(unreadable);
      return entries
        .filter((entry) => entry.isDirectory() || entry.isSymbolicLink())
        .map(({ name }) => name)
        .filter((name) => isZone(location, name));
    },
    isCurated: (label) => location.locate(label) === location.locate(null),
  };
}

/** Whether a name is that of a directory that may be a zone; links are followed if they stay in the store. */
function isZone(location: CollectionLocation, name: string): boolean {
  try {
    return statSync(location.locate(name), { throwIfNoEntry: false })?.isDirectory() === true;
  } catch (error) {
    if (error instanceof ServiceError) return false;
    throw error;
  }
}

function unreadable(cause: unknown): never {
  throw new ServiceError('storage_failed', 'The directory of the incoming zones cannot be read.', [], {
    cause,
  });
}
