/** The files that areas have in the store directory beside the database. The service gets them as a value, from a module. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { BACKENDS } from '../config/backends.ts';
import type { CollectionConfig } from '../config/config.ts';
import { locate } from '../config/paths.ts';
import { DIRECTORY_CONFIG_FILE } from '../formats/directory-config.ts';
import type { Schema } from '../schema/schema.ts';
import type { Database, Mirror } from '../storage/database.ts';
import type { StoreLog } from '../storage/log.ts';
import type { AreaLogs } from './area-logs.ts';
import type { Collection } from './collection.ts';
import type { Fault } from './part.ts';

export interface AreaFiles {
  /**
   * Adopts the records in the directories of a collection that opens, unless the database has them.
   *
   * @returns whether the curated area is as its directory has it, even if that is empty
   * @throws ServiceError `store_incompatible` for directories of another form than the collection
   */
  adopt(config: CollectionConfig, schema: Schema, opening: FilesOpening): Promise<boolean>;
  /** Mirrors writes to the areas of these collections from now on, and to no others. */
  use(collections: ReadonlyMap<string, Collection>): Promise<void>;
  /** Makes the files what the records are, and watches them. Waits for a moment until that is done. */
  begin(): Promise<void>;
  /** Returns the mirror of an area, by its path; undefined if the area is not kept as files. */
  mirror(path: string): Mirror | undefined;
  /** Lists the faults of the files of a collection. */
  faults(collection: Collection): Promise<readonly Fault[]>;
  close(): Promise<void>;
}

export type FilesOptions = {
  readonly database: Database;
  /** The store directory. */
  readonly root: string;
  /** The logs that areas may have. */
  readonly logs: AreaLogs | undefined;
  readonly log: StoreLog;
};

export type FilesOpening = {
  /** Whether no collection of this name has these areas yet. */
  readonly isNew: boolean;
  /** Whether directories with records that the collection would not show are refused. */
  readonly isStrict: boolean;
};

/** Whether a collection has files in a directory, which are its records if they are kept. */
export function hasFilesIn(directory: string, { backend }: Pick<CollectionConfig, 'backend'>): boolean {
  return BACKENDS[backend.type].files && existsSync(join(directory, DIRECTORY_CONFIG_FILE));
}

/** Why the files of a collection are not its records. */
export const NOT_KEPT =
  'The files are left as they are: this service has no module that keeps them equal to the records.';

/** The files of a service without a module for them: they stay as they are, which is a fault of collections that have some. */
export function filesNotKept(root: string): AreaFiles {
  return {
    adopt: async () => false,
    use: async () => {},
    begin: async () => {},
    mirror: () => undefined,
    async faults({ config }) {
      const directory = locate(root, config.curated, 'curated-path');
      return hasFilesIn(directory, config) ? [{ path: directory, message: NOT_KEPT }] : [];
    },
    close: async () => {},
  };
}
