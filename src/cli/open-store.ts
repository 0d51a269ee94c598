/** Opens a store with its areas, whether it is a directory or a database, for commands that run without a service. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { storeDirectory } from '../app.ts';
import { locationOf } from '../collections/open-collection.ts';
import { Schemas } from '../collections/schemas.ts';
import type { CollectionConfig } from '../config/config.ts';
import { openConfigurationStore } from '../config/store.ts';
import { ServiceError } from '../errors.ts';
import { Jobs } from '../jobs/jobs.ts';
import { openCollectionStorage } from '../storage/backends.ts';
import type { CollectionStorage } from '../storage/collection-storage.ts';
import { openServiceDatabase, type ServiceDatabase } from '../storage/postgresql/service-database.ts';
import type { RecordStore } from '../storage/store.ts';
import { namingOf, StoreHandles } from '../storage/store-handles.ts';

/** A store that the command has open. */
export type OpenStore = {
  readonly root: string;
  readonly configuration: RecordStore;
  /** The areas of a collection, under the schema that it has. */
  areasOf(name: string, config: CollectionConfig): Promise<CollectionStorage>;
  close(): Promise<void>;
};

/** Whether a store is in a database: a URL of PostgreSQL. */
export const isDatabaseUrl = (store: string) => /^postgres(ql)?:\/\//.test(store);

/**
 * @param place a directory or the URL of a database
 * @throws ServiceError `config_invalid` if it contains no store although it should
 */
export async function openStoreAt(
  place: string,
  state: 'exists' | 'may be new',
  log: Logger,
): Promise<OpenStore> {
  const ofDatabase = isDatabaseUrl(place);
  if (!ofDatabase && state === 'may be new') mkdirSync(place, { recursive: true });
  const root = ofDatabase ? realpathSync(mkdtempSync(join(tmpdir(), 'accession-'))) : storeDirectory(place);
  const forget = () => ofDatabase && rmSync(root, { recursive: true, force: true });
  const jobs = new Jobs(log);
  let database: ServiceDatabase | undefined;
  let configuration: RecordStore;
  try {
    database = ofDatabase ? await openServiceDatabase(place, { root, leads: false, log, jobs }) : undefined;
    configuration = await openConfigurationStore(root, log, database?.stores);
    if (state === 'exists' && (await configuration.revision()) === 0) {
      throw new ServiceError(
        'config_invalid',
        `${ofDatabase ? 'The database' : place} does not contain a store.`,
      );
    }
  } catch (error) {
    await database?.close();
    forget();
    throw error;
  }
  const openSchema = new Schemas(root, log).reading();
  const handles = new StoreHandles();
  return {
    root,
    configuration,
    async areasOf(name, config) {
      const schema = await openSchema(config.schema);
      return openCollectionStorage(config.backend, locationOf(name, config, root), {
        ...namingOf(schema),
        schema: config.schema,
        handles,
        jobs,
        log,
        postgresql: database?.stores,
      });
    },
    async close() {
      await configuration.close();
      await jobs.stopAll();
      await database?.close();
      forget();
    },
  };
}
