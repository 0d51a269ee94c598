/** The areas of a store directory, for commands that work on the files while no service needs to run. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { storeDirectory } from '../app.ts';
import type { Configuration } from '../config/config.ts';
import { confineZone, locate, zonesOnDisk } from '../config/paths.ts';
import { readPersistent } from '../config/record.ts';
import { CONFIGURATION_AREA, openConfigurationStore } from '../config/store.ts';
import { ServiceError } from '../errors.ts';
import { isDatabaseUrl } from './open-store.ts';
import { noteOfDatabase } from './running.ts';

export type AreaDirectory = {
  readonly collection: string;
  /** `curated`, or `incoming/<label>`. */
  readonly area: string;
  readonly directory: string;
  /** The address of the collection's schema. */
  readonly schema: string;
};

/**
 * The areas on disk of all configured collections, each directory once.
 *
 * @throws ServiceError `config_invalid` if the directory is not a store, or its configuration cannot be read
 */
export async function storeAreas(storePath: string): Promise<AreaDirectory[]> {
  const root = ownDirectory(storePath);
  const configuration = await storedConfiguration(root);
  const areas = Object.entries(configuration.collections).flatMap(([collection, config]) => {
    const { schema } = config;
    const curated = {
      collection,
      schema,
      area: 'curated',
      directory: locate(root, config.curated, 'curated-path'),
    };
    if (config.incoming === null) return [curated];
    const incoming = locate(root, config.incoming, 'incoming-path');
    const zoneOf = (label: string) => ({
      collection,
      schema,
      area: `incoming/${label}`,
      directory: confineZone(root, incoming, label),
    });
    return [curated, ...zonesOnDisk(root, incoming).map(zoneOf)];
  });
  const seen = new Set<string>();
  return areas.filter(({ directory }) => {
    // A zone that is a link to the curated area is that.
    const isNew = !seen.has(directory) && existsSync(directory);
    seen.add(directory);
    return isNew;
  });
}

/**
 * The configuration of a store, also while a service runs on it.
 *
 * @throws ServiceError `config_invalid`
 */
export async function storedConfiguration(storePath: string): Promise<Configuration> {
  const store = await openConfigurationStore(ownDirectory(storePath), undefined);
  const { configuration } = await readPersistent(store).finally(() => store.close());
  return configuration;
}

const HOW_TO = 'docs/how-to/back-up-a-database.md';

/**
 * The directory of a store that has its configuration there.
 *
 * @throws ServiceError `config_invalid` for a store in a database, for a directory without a store, and for one whose store
 *   has moved to a database
 */
export function ownDirectory(path: string): string {
  if (isDatabaseUrl(path)) {
    const message = `expected a store directory, found the URL of a database. Use "accession check", pg_dump and pg_restore: see ${HOW_TO}.`;
    throw new ServiceError('config_invalid', message);
  }
  const root = storeDirectory(path);
  const since = noteOfDatabase(root);
  if (since !== undefined) {
    const message = `The store ${path} has been in a database since ${since}, and the directory has only an earlier state of it: see ${HOW_TO}.`;
    throw new ServiceError('config_invalid', message);
  }
  if (existsSync(join(root, CONFIGURATION_AREA))) return root;
  throw new ServiceError(
    'config_invalid',
    `The directory ${path} does not contain a store: no service has run on it yet.`,
  );
}
