/** The files that areas have in the store directory beside the database. The service gets them as a value. */
import type { CollectionConfig } from '../config/config.ts';
import type { Schema } from '../schema/schema.ts';
import type { Mirror } from '../storage/database.ts';
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

export type FilesOpening = {
  /** Whether no collection of this name has these areas yet. */
  readonly isNew: boolean;
  /** Whether directories with records that the collection would not show are refused. */
  readonly isStrict: boolean;
};
