/** The areas of a collection by name: the curated area and the zones. Directories are the business of the file backends. */
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
  /** The labels of the zones that are directories. Links count if they stay in the store. */
  labelsOnDisk(): string[];
};

export interface CollectionStorage {
  /** Opens the store of a zone, or with null of the curated area, and makes it if it is missing. */
  open(label: string | null): Promise<RecordStore>;
  /** The zones that exist, in any order. @throws ServiceError `storage_failed` */
  labels(): Promise<string[]>;
  /** Whether a zone is the curated area itself. */
  isCurated(label: string): boolean;
  /** Labels with one key are one zone; without it, each label is a zone. */
  keyOf?(label: string): string;
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
    labels: async () => location.labelsOnDisk(),
    isCurated: (label) => location.locate(label) === location.locate(null),
    keyOf: (label) => location.locate(label),
  };
}
