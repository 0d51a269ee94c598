/** The areas of a collection by name: the curated area and the zones. Directories are the business of the file backends. */
import { existsSync } from 'node:fs';
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
   * @throws ServiceError `path_outside_store` for a label that cannot be the name of a zone
   */
  locate(label: string | null): string;
  /** The labels of the zones that are directories. Links count if they stay in the store. */
  labelsOnDisk(): string[];
};

export interface CollectionStorage {
  /** Opens the store of a zone, or with null of the curated area, and makes it if it is missing. */
  open(label: string | null): Promise<RecordStore>;
  /** Opens a zone for reading alone, while the disk is full; undefined if that is not possible. */
  openFrozen?(label: string): RecordStore | undefined;
  /** The zones that exist, in any order. @throws ServiceError `storage_failed` */
  labels(): Promise<string[]>;
  /** The revisions of the zones that exist. Without the method, each zone has to be asked. @throws ServiceError */
  revisions?(): Promise<ReadonlyMap<string, number>>;
  /** Whether a zone exists, so that reads need not make it. Without the method, every zone is opened. */
  exists?(label: string): boolean | Promise<boolean>;
  /** Whether a zone is the curated area itself. */
  isCurated(label: string): boolean;
  /** Labels with one key are one zone; without it, each label is a zone. */
  keyOf?(label: string): string;
}

/**
 * The areas of a file backend: each is a directory, zones are below the incoming path.
 *
 * @param open opens the store in a directory
 * @param openFrozen does so for reading alone
 */
export function fileAreas(
  location: CollectionLocation,
  open: (directory: string) => Promise<RecordStore>,
  openFrozen: (directory: string) => RecordStore | undefined,
): CollectionStorage {
  return {
    open: (label) => open(location.locate(label)),
    openFrozen: (label) => openFrozen(location.locate(label)),
    labels: async () => location.labelsOnDisk(),
    exists: (label) => existsSync(location.locate(label)),
    isCurated: (label) => location.locate(label) === location.locate(null),
    keyOf: (label) => location.locate(label),
  };
}
