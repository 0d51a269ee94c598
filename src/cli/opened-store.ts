import type { AreaLogs } from '../core/collections/area-logs.ts';
import type { CollectionConfig, Configuration, ConfigurationSchemas } from '../core/config/config.ts';
import type { Schema, SharedTerms } from '../core/schema/schema.ts';
import type { Database } from '../core/storage/database.ts';
import type { RecordStore } from '../core/storage/store.ts';

export type StoreArea = {
  readonly collection: string;
  readonly config: CollectionConfig;
  /** `curated`, or `incoming/<label>`. */
  readonly area: string;
  readonly store: RecordStore;
  /** Where its files are, or would be. */
  readonly directory: string;
};

/** A store that the command has open. */
export type OpenStore = {
  /** The store directory; an empty one for a store in PostgreSQL. */
  readonly root: string;
  readonly database: Database;
  readonly configuration: Configuration;
  readonly configurationSchemas: ConfigurationSchemas;
  /** The areas of all collections that have ever been written to, each once. */
  areas(): Promise<StoreArea[]>;
  /** Opens the schemas of collections with the snapshots of their vocabularies, and with others in place of them. */
  schemas(given?: SharedTerms): (config: CollectionConfig) => Promise<Schema>;
  /** Loads the logs of the changes of areas, if a module has some. */
  logs(): Promise<AreaLogs | undefined>;
  close(): Promise<void>;
  /** Closes it at the end of a block: `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
};
