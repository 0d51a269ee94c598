/** The adoption of stores of another program. The service gets it as a value, from a module. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Configuration, ConfigurationSchemas } from '../config/config.ts';
import { CONFIGURATION_AREA } from '../config/record.ts';
import { ServiceError } from '../errors.ts';
import type { Schema } from '../schema/schema.ts';
import type { Database } from '../storage/database.ts';
import type { StoreLog } from '../storage/log.ts';
import { hasAreas } from '../storage/read/areas.ts';
import type { AreaLogs } from './area-logs.ts';

export interface StoreAdoption {
  /** Whether the store directory has something to adopt. */
  isDue(options: AdoptOptions): boolean;
  /**
   * Takes the store of a directory into the database of a file, unless that exists. An adoption that was interrupted goes on.
   *
   * @returns undefined if there was nothing to adopt
   * @throws ServiceError `schema_invalid` if the schema of a collection cannot be read, `config_invalid`, `storage_full`,
   *   `storage_failed`, `store_incompatible` if another process does the same
   */
  intoSqlite(file: string, options: AdoptOptions): Promise<Adoption | undefined>;
  /** Takes the store of a directory into a database of several instances; the one that leads does it. */
  intoPostgresql(database: Database, options: AdoptOptions): Promise<Adoption | undefined>;
}

export type AdoptOptions = {
  /** The store directory. */
  readonly root: string;
  /** The configuration of a store that has stored none. */
  readonly initial: () => Configuration;
  readonly configurationSchemas: ConfigurationSchemas;
  readonly schemas: {
    useMap(map: Configuration['schema_map']): void;
    reading(): (address: string) => Promise<Schema>;
  };
  /** The former changes of areas are read from these. */
  readonly logs?: AreaLogs | undefined;
  readonly progress?: (progress: AdoptionProgress) => void;
  readonly log: StoreLog;
};

/** How many records of an area are done in a step: of its audit log, of its entries, or as they are now. */
export type AreaProgress = {
  readonly area: string;
  readonly step: 'log' | 'entries' | 'records';
  readonly done: number;
  readonly total: number;
};

/** The progress of a store: in its area `number` of `areas`. */
export type AdoptionProgress = AreaProgress & { readonly number: number; readonly areas: number };

export type Adoption = {
  readonly areas: number;
  readonly records: number;
  /** Files and rows that hold no record of the schema: they stay where they are. */
  readonly faults: number;
};

/** The adoption of a service without a module for it: a store that would have to be adopted is refused, rather than hidden. */
export const NO_ADOPTION: StoreAdoption = {
  isDue: () => false,
  async intoSqlite(file, { root }) {
    if (!existsSync(file)) requireNothingToAdopt(root);
    return undefined;
  },
  async intoPostgresql(database, { root }) {
    if (!(await hasAreas(database))) requireNothingToAdopt(root);
    return undefined;
  },
};

/** @throws ServiceError `store_incompatible` for a directory with the configuration of another program */
function requireNothingToAdopt(root: string): void {
  if (!existsSync(join(root, CONFIGURATION_AREA))) return;
  throw new ServiceError(
    'store_incompatible',
    `The directory ${root} has a store of dump-things-service or of an earlier release in ${CONFIGURATION_AREA}: expected a ` +
      'service with a module that imports such stores, found none.',
  );
}
