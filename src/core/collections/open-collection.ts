/** From the configuration of a collection to the collection: its schema, token sources and the parts of modules are opened. */
import { existsSync, readdirSync } from 'node:fs';
import type { TokenDirectory } from '../access/config-tokens.ts';
import type { Forges } from '../access/forge-client.ts';
import { type OpenModuleSource, openSource } from '../access/sources.ts';
import { BACKENDS } from '../config/backends.ts';
import type { CollectionConfig } from '../config/config.ts';
import { areaPath, locate } from '../config/paths.ts';
import type { OnFailure } from '../config/state.ts';
import { EVERY } from '../durations.ts';
import { ServiceError } from '../errors.ts';
import { requirePids } from '../schema/record-classes.ts';
import type { Schema } from '../schema/schema.ts';
import type { Database } from '../storage/database.ts';
import type { StoreLog } from '../storage/log.ts';
import type { RecordStore } from '../storage/store.ts';
import type { JobHandle, Jobs } from '../work/jobs.ts';
import type { Pool } from '../work/pool.ts';
import type { Projector } from '../work/projector.ts';
import type { AreaFiles } from './area-files.ts';
import type { Caches } from './caches.ts';
import { Collection } from './collection.ts';
import type { PageCache } from './page-cache.ts';
import type { Attach } from './part.ts';
import { Policies } from './policies.ts';
import { pruneEntries } from './retention.ts';
import type { SchemaOpener } from './schemas.ts';
import type { CollectionStores } from './stores.ts';
import { type OpenTerms, termsOf } from './terms.ts';
import { watchRecords } from './watch.ts';
import { Zones } from './zones.ts';

/** The parts that all collections of a service share. */
export type CollectionContext = {
  /** The store directory. */
  readonly storeRoot: string;
  readonly database: Database;
  readonly log: StoreLog;
  readonly cache: PageCache;
  readonly caches: Caches;
  /** The files of the store directory. */
  readonly files: AreaFiles;
  readonly jobs: Jobs;
  readonly pool: Pool;
  readonly projector: Projector;
  /** Makes the parts of modules. */
  readonly attach: Attach<Collection>;
  /** For how many days entries are kept; without it, forever. */
  readonly keepEntries?: number;
  readonly tokens: TokenDirectory;
  readonly forges: Forges;
  /** Opens entries of `auth_sources` whose types modules have. */
  readonly openModuleSource: OpenModuleSource;
  readonly openSchema: SchemaOpener;
  readonly openTerms: OpenTerms;
  /** Reads policy information. @throws ServiceError `policy_info_unreadable` */
  readonly readPolicies: (address: string) => Promise<string>;
  readonly onFailure: OnFailure;
};

/** A collection as it is configured. */
export type SetCollection = {
  readonly config: CollectionConfig;
  /** The revision of the change that set it. */
  readonly setting: number;
};

/**
 * @param isNew whether no collection of this name has these areas yet
 * @param former the schema with which the collection runs now
 * @throws ServiceError `schema_invalid`, `store_incompatible`, `path_outside_store` and what else is in the way; all
 *   that was opened until then is closed again
 */
export async function openCollection(
  name: string,
  { config, setting }: SetCollection,
  context: CollectionContext,
  isNew: boolean,
  former?: Schema,
): Promise<Collection> {
  const { storeRoot: root, database, log, jobs, pool, projector, tokens, keepEntries } = context;
  if (BACKENDS[config.backend.type].postgresql && database.dialect.name !== 'postgresql')
    throw new ServiceError('store_incompatible', NO_DATABASE);
  const terms = await context.openTerms(termsOf(config));
  const schema = await context.openSchema(config.schema, terms);
  const directory = locate(root, config.curated, 'curated-path');
  const path = areaPath(root, directory);
  const isTaken =
    context.onFailure.collection === 'tolerate' || former?.digest === schema.digest || hasFiles(directory);
  checkPids(name, { schema, config }, isTaken ? log : undefined);
  const isStrict = context.onFailure.collection === 'refuse';
  const isAdopted = await context.files.adopt(config, schema, { isNew, isStrict });
  const curated = await openCurated(database, path);
  const incoming = config.incoming === null ? undefined : locate(root, config.incoming, 'incoming-path');
  const zones = new Zones({
    collection: name,
    database,
    root,
    incoming,
    curated,
    tokens,
    overlays: context.caches.overlays,
  });
  const areas = { name, schema, database, curated, zones };
  const policies = await Policies.open(
    {
      name,
      config,
      schema,
      database,
      log,
      readText: context.readPolicies,
      areas: () => areasWithRecords(areas),
    },
    context.onFailure.policies,
  );
  const work: { stop(): Promise<void> }[] = [];
  const collection = new Collection({
    name,
    config,
    setting,
    schema,
    database,
    curated,
    zones,
    tokens,
    log,
    cache: context.cache,
    caches: context.caches,
    pool,
    policies,
    sources: config.auth_sources.map((entry) => openSource(entry, name, context)),
    jobs: work,
    attach: context.attach,
  });
  const parts = [...collection.attached.values()];
  try {
    if (!database.readOnly) for (const part of parts) await part.open?.({ isAdopted });
  } catch (error) {
    await collection.close();
    throw error;
  }
  const others = database.readOnly || database.dialect.name === 'postgresql';
  if (policies && config.policy_info_location !== undefined && others)
    work.push(
      jobs.add({
        name: 'follow policies',
        collection: name,
        every: EVERY.policies,
        run: () => policies.follow(),
      }),
    );
  if (database.readOnly) return collection;
  work.push(...watchRecords(projector, jobs, pool, areas));
  if (policies) work.push(settlePolicies(jobs, policies, areas));
  if (keepEntries) work.push(pruneEntries(jobs, collection, keepEntries));
  work.push(...parts.flatMap(({ projections = [] }) => projections).map((one) => projector.add(one)));
  return collection;
}

/**
 * Checks that records of the collection have pids.
 *
 * @param log of a collection that exists: it is opened for its records, and further ones are refused
 * @throws ServiceError `schema_invalid` without it
 */
function checkPids(
  name: string,
  { schema, config }: { readonly schema: Schema; readonly config: CollectionConfig },
  log: StoreLog | undefined,
): void {
  try {
    requirePids(schema, config);
  } catch (error) {
    if (!log) throw error;
    log.warn({ err: error, collection: name }, 'records of some classes cannot be stored');
  }
}

function hasFiles(directory: string): boolean {
  return existsSync(directory) && readdirSync(directory).length > 0;
}

type Areas = Pick<CollectionStores, 'name' | 'database' | 'curated'> & { readonly zones: Zones };

const areasWithRecords = async ({ curated, zones }: Pick<Areas, 'curated' | 'zones'>) => [
  curated.area,
  ...(await zones.areas()),
];

/** Has the policies of stored records ready before they are asked for. */
function settlePolicies(jobs: Jobs, policies: Policies, areas: Areas): JobHandle {
  const { name, database } = areas;
  const job = jobs.add({
    name: 'read policies',
    collection: name,
    async run(context) {
      try {
        for (const { path } of await areasWithRecords(areas))
          await policies.settle(await database.area(path));
      } catch (error) {
        if (!context.stopping) throw error;
      }
    },
  });
  job.wake();
  return job;
}

const NO_DATABASE =
  'Collections with the backend postgresql need a database: start the service with --database-url.';

/** A reader may find an area that its owner has not made yet. @throws ServiceError `storage_unavailable` */
async function openCurated(database: Database, path: string): Promise<RecordStore> {
  if (!database.readOnly) return database.area(path);
  const store = await database.existingArea(path);
  if (store) return store;
  throw new ServiceError('storage_unavailable', 'The service that owns the store has not made the area yet.');
}
