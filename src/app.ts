/**
 * The composition root: builds every room with plain calls, and takes all of it down again. Tests start here, without
 * a port.
 */
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import type { Adoption, AdoptionProgress, AdoptOptions } from './core/collections/adoption.ts';
import { makeCaches } from './core/collections/caches.ts';
import { PageCache } from './core/collections/page-cache.ts';
import { Registry } from './core/collections/registry.ts';
import { Schemas } from './core/collections/schemas.ts';
import { unknownSettings } from './core/collections/settings.ts';
import { EMPTY_CONFIGURATION, isEmptyConfiguration, UNKNOWN } from './core/config/config.ts';
import { strayPlaces } from './core/config/edit-collections.ts';
import { tokensWithoutZone } from './core/config/edit-tokens.ts';
import { refusedNames } from './core/config/names.ts';
import { PRIVATE_FOLDER } from './core/config/paths.ts';
import { CONFIGURATION_AREA } from './core/config/record.ts';
import { initialConfiguration } from './core/config/startup.ts';
import { ConfigurationState } from './core/config/state.ts';
import {
  DATABASE_FILE,
  requireDatabase,
  rootDirectory,
  temporaryDirectory,
} from './core/config/store-directory.ts';
import { keepTokenUses, saveTokenUses } from './core/config/token-uses.ts';
import { EVERY, TIMEOUT } from './core/durations.ts';
import { isServiceError, ServiceError } from './core/errors.ts';
import type { LimitOptions } from './core/http/limits.ts';
import { createServer } from './core/http/server.ts';
import type { SchemaMap } from './core/schema/schema.ts';
import type { Database } from './core/storage/database.ts';
import { openPostgresqlDatabase } from './core/storage/postgresql/postgresql.ts';
import { layTables, openSqliteDatabase } from './core/storage/sqlite/sqlite.ts';
import type { RecordStore } from './core/storage/store.ts';
import { diskOf, sizeProbe } from './core/storage/store-size.ts';
import { TEXT_INDEX } from './core/storage/text-index.ts';
import { writeProbe } from './core/storage/write-probe.ts';
import { Jobs } from './core/work/jobs.ts';
import { Pool } from './core/work/pool.ts';
import { Projector } from './core/work/projector.ts';
import { adoptionOf, type Core, concernedOf, filesOf, logsOf, type Module, tablesOf } from './module.ts';
import { configurationSchemasOf, endpointsWith, MODULES, settingKeysOf } from './modules.ts';

export type AppOptions = {
  /** The store directory, which has to exist. Without it, the service keeps everything in its database. */
  readonly store?: string;
  /** A PostgreSQL database, instead of one in the store directory. */
  readonly databaseUrl?: string;
  /** Serves reads of a store that a service in another process owns, and refuses changes. */
  readonly readOnly?: boolean;
  /** Read if the store has no configuration yet. */
  readonly configFile?: string;
  readonly ignoreDefaultConfigFile?: boolean;
  /** SHA-256 of an admin token, in hexadecimal digits. */
  readonly bootstrap?: string;
  readonly origins?: readonly string[];
  readonly rootPath?: string;
  /** Proxies on other machines that are trusted, as addresses and subnets. */
  readonly proxies?: readonly string[];
  /** Limits that differ from the defaults. */
  readonly limits?: Partial<LimitOptions>;
  /** SHA-256 of the token that may read the metrics, in hexadecimal digits. */
  readonly metricsToken?: string;
  /** Whether the schemas are those of another service: that they have changed is then no edit. */
  readonly follows?: boolean;
  /** For how many days entries of changes are kept; without it, forever. */
  readonly keepEntries?: number;
  /** Folders that schemas below some URLs are read from. */
  readonly schemaMap?: SchemaMap;
  /** The hosts on this machine or link that may be asked for schemas; undefined lets all. */
  readonly schemaHosts?: readonly string[];
  /** For how many milliseconds `/-/health` uses what it has found. By default 1000, and 5000 of whether the store accepts writes. */
  readonly healthInterval?: number;
  /** Is called while a store of another program, or of an earlier release, is adopted. */
  readonly adopting?: (progress: AdoptionProgress) => void;
  /** Called if the thread that writes to the database ends by itself: then nothing helps but another start. */
  readonly lost?: (error: unknown) => void;
  /** The limit of the cache of pages, in bytes. Default 64 MiB. */
  readonly memory?: number;
  /** The release of this program. */
  readonly version: string;
  readonly logger: Logger;
  /** The modules. Default: all. */
  readonly modules?: readonly Module[];
};

export type App = {
  readonly server: FastifyInstance;
  readonly registry: Registry;
  readonly state: ConfigurationState;
  readonly pool: Pool;
  readonly projector: Projector;
  readonly jobs: Jobs;
  /** Stops taking requests, waits for those in flight, and closes every store and log. */
  close(): Promise<void>;
};

/**
 * @throws ServiceError `config_invalid` and whatever else keeps the configuration from being carried out;
 *   `admin_token_missing` for an empty configuration without an admin token
 */
export async function openApp(options: AppOptions): Promise<App> {
  const { logger, readOnly = false, follows = false, modules = MODULES } = options;
  const directory = rootDirectory(options);
  const { root } = directory;
  const jobs = new Jobs(logger);
  const cache = new PageCache(options.memory);
  const opened: { close(): Promise<void> }[] = [directory];
  const keep = <T extends { close(): Promise<void> }>(part: T): T => {
    opened.unshift(part);
    return part;
  };
  const closeAll = async () => {
    for (const part of opened.splice(0)) await part.close();
  };
  try {
    const database = keep(await openDatabase(root, options));
    keep({ close: () => jobs.stopAll() });
    const pool = keep(new Pool());
    const projector = new Projector(database, logger);
    keep({ close: () => projector.stopAll() });
    projector.add(TEXT_INDEX);
    const schemas = configurationSchemasOf(modules);
    const isShared = readOnly || options.databaseUrl !== undefined;
    const registry = keep(
      new Registry({
        ...{
          storeRoot: root,
          database,
          cache,
          caches: makeCaches(database),
          jobs,
          pool,
          projector,
          log: logger,
        },
        attach: (collection) => new Map(partsOf.map(([name, partOf]) => [name, partOf(collection)])),
        concerned: concernedOf(modules),
        files: filesOf(modules, { database, root, log: logger }),
        ...(options.keepEntries !== undefined && { keepEntries: options.keepEntries }),
        ...(options.schemaMap && { schemaMap: options.schemaMap }),
        ...(options.schemaHosts && { schemaHosts: options.schemaHosts }),
      }),
    );
    const core: Core = {
      ...{ root, database, registry, jobs, pool, projector },
      ...{ log: logger, hosts: options.schemaHosts },
    };
    const partsOf = modules.flatMap(({ name, attach }) => (attach ? [[name, attach(core)] as const] : []));
    for (const { terms } of modules) if (terms) registry.useTerms(terms(core));
    database.use(registry.participants);
    const area = await configurationArea(database, root);
    for (const { open } of modules) if (open && !readOnly) keep(await open(core));
    const state = keep(
      await ConfigurationState.open({ database, area, root, host: registry, schemas }, async () =>
        readOnly ? EMPTY_CONFIGURATION : initialConfiguration({ ...options, root, schemas }),
      ),
    );
    if (isShared) followOthers(state, jobs, database, logger);
    if (!readOnly) {
      checkConfiguration(state, root, options);
      await noteUnknownKeys(state, database, options);
    }
    const probe = isShared
      ? () => storeProblem(state, database)
      : writeProbe(join(root, PRIVATE_FOLDER), options.healthInterval ?? 5000);
    const canWrite = async () => (await database.problem()) ?? probe();
    const storeSize = sizeProbe(root);
    const sizes = async () => ({ store_bytes: await storeSize(), database_bytes: await database.size() });
    const disk = async () => (options.store === undefined ? undefined : diskOf(root));
    const administration = { state, root, schemas, bootstrap: options.bootstrap };
    const service = {
      ...{ origins: [], rootPath: '', ...options },
      ...{
        administration,
        registry,
        state,
        database,
        root,
        jobs,
        pool,
        projector,
        canWrite,
        sizes,
        disk,
        cache,
      },
    };
    const server = await createServer(service, {
      endpoints: endpointsWith(modules),
      codes: Object.assign({}, ...modules.map(({ codes }) => codes)),
      gauges: Object.assign({}, ...modules.map(({ gauges }) => gauges)),
    });
    if (!readOnly) {
      for (const { start } of modules) {
        const started = start?.({ ...core, administration, follows });
        if (started) keep(started);
      }
    }
    const uses = readOnly ? undefined : await keepTokenUses(database, registry.tokens, jobs);
    keep({
      async close() {
        await stop(server);
        if (!uses) return;
        await uses.stop();
        await saveTokenUses(database, registry.tokens).catch((err) => {
          logger.warn({ err }, 'could not store the last uses of tokens');
        });
      },
    });
    return { server, registry, state, pool, projector, jobs, close: closeAll };
  } catch (error) {
    await closeAll();
    throw error;
  }
}

/** @throws ServiceError `store_incompatible` if another process owns the store */
async function openDatabase(root: string, options: AppOptions): Promise<Database> {
  const { databaseUrl, readOnly = false, logger: log, modules = MODULES } = options;
  const tables = tablesOf(modules);
  if (readOnly && databaseUrl === undefined) return openToRead(root, options);
  if (!readOnly) mkdirSync(join(root, PRIVATE_FOLDER), { recursive: true, mode: 0o700 });
  if (databaseUrl === undefined) {
    const file = join(root, DATABASE_FILE);
    requireDatabase(root);
    noteAdoption(await adoptionOf(modules).intoSqlite(file, adoptOptions(root, options)), log);
    return openSqliteDatabase(file, { examine: true, tables, ...(options.lost && { lost: options.lost }) });
  }
  // An instance without a directory has no place for repositories and files.
  const leads = options.store !== undefined;
  const database = await openPostgresqlDatabase(databaseUrl, { log, readOnly, leads, tables });
  if (!readOnly)
    noteAdoption(await adoptionOf(modules).intoPostgresql(database, adoptOptions(root, options)), log);
  return database;
}

/** A store that has no database is taken into a temporary one, as it is now. */
async function openToRead(root: string, options: AppOptions): Promise<Database> {
  const file = join(root, DATABASE_FILE);
  const { modules = MODULES } = options;
  const tables = tablesOf(modules);
  if (existsSync(file)) return openSqliteDatabase(file, { readOnly: true, tables });
  const own = temporaryDirectory('accession-read-');
  const copy = join(own.root, DATABASE_FILE);
  try {
    await adoptionOf(modules).intoSqlite(copy, adoptOptions(root, options));
    layTables(copy, tables);
    const database = await openSqliteDatabase(copy, { readOnly: true, tables });
    return { ...database, close: () => database.close().finally(() => own.close()) };
  } catch (error) {
    await own.close();
    throw error;
  }
}

function adoptOptions(root: string, options: AppOptions): AdoptOptions {
  const { logger: log, schemaMap, schemaHosts: hosts, readOnly, adopting, modules = MODULES } = options;
  const configurationSchemas = configurationSchemasOf(modules);
  return {
    ...{ root, log },
    initial: () => initialConfiguration({ ...options, root, schemas: configurationSchemas }),
    configurationSchemas,
    logs: logsOf(modules),
    schemas: new Schemas(root, log, schemaMap, { ...(hosts && { hosts }), keep: !readOnly }),
    ...(adopting && { progress: adopting }),
  };
}

/** Once for a store, at the default level: without a terminal, an administrator sees nothing else of it. */
function noteAdoption(adoption: Adoption | undefined, log: Logger): void {
  if (adoption) log.warn(adoption, 'imported the store, the files that were read are left as they are');
}

/** The area of the configuration. @throws ServiceError `config_invalid` if there is none to read */
async function configurationArea(database: Database, root: string): Promise<RecordStore> {
  if (!database.readOnly) return database.area(CONFIGURATION_AREA);
  const area = await database.existingArea(CONFIGURATION_AREA);
  if (area) return area;
  throw new ServiceError(
    'config_invalid',
    `The store ${root} has no configuration to read: start the service that owns it first.`,
  );
}

/** Warns of what is odd about the configuration. @throws ServiceError `admin_token_missing` if it is empty */
function checkConfiguration(
  { configuration }: ConfigurationState,
  root: string,
  { logger, bootstrap, modules = MODULES }: AppOptions,
): void {
  const oddities = [
    ...refusedNames(configuration),
    ...strayPlaces(configuration, root, configurationSchemasOf(modules).keys),
    ...tokensWithoutZone(configuration),
  ];
  for (const oddity of oddities) logger.warn(oddity);
  if (Object.keys(configuration.admin_tokens).length === 0 && bootstrap === undefined)
    logger.warn('there is no admin token, so the configuration cannot be changed: see --admin-token-hash');
  if (isEmptyConfiguration(configuration) && bootstrap === undefined) throw adminTokenMissing();
}

/** Warns of keys that are kept for modules which this process does not have. */
async function noteUnknownKeys(
  { configuration }: ConfigurationState,
  database: Database,
  { logger, modules = MODULES }: AppOptions,
): Promise<void> {
  for (const [collection, config] of Object.entries(configuration.collections)) {
    const keys = Object.keys(config[UNKNOWN] ?? {});
    if (keys.length > 0)
      logger.warn({ collection, keys }, 'the configuration has keys of absent modules, they are kept');
  }
  for (const [collection, keys] of await unknownSettings(database, settingKeysOf(modules)))
    logger.warn({ collection, keys }, 'the settings have keys of absent modules, they are kept');
}

/** Why the database cannot be used; undefined if it can. */
async function storeProblem(state: ConfigurationState, database: Database): Promise<string | undefined> {
  try {
    await state.checkStore();
    await database.requireWritable();
    return undefined;
  } catch (error) {
    return isServiceError(error) ? error.message : String(error);
  }
}

/** Applies the changes of other processes: by polling, and on notification. */
function followOthers(state: ConfigurationState, jobs: Jobs, database: Database, logger: Logger): void {
  let isAway = false;
  const run = async () => {
    try {
      await state.refresh();
      isAway = false;
    } catch (error) {
      // The database is asked again soon: its state has to be applied within a second of its return.
      if (!isServiceError(error) || error.code !== 'storage_unavailable') throw error;
      if (!isAway) logger.error({ err: error }, 'could not read the configuration, will retry');
      isAway = true;
    }
  };
  const job = jobs.add({
    name: 'configuration',
    every: EVERY.configuration,
    retry: EVERY.configuration,
    run,
  });
  database.onChange((areas) => {
    if (areas === 'unknown' || areas.has(CONFIGURATION_AREA)) job.wake();
  });
}

/** Waits for requests, but not for clients that hold a connection without asking for anything. */
async function stop(server: FastifyInstance): Promise<void> {
  const closeIdle = setInterval(() => server.server.closeIdleConnections(), 50);
  const closeAll = setTimeout(() => server.server.closeAllConnections(), TIMEOUT.lastRequests);
  try {
    await server.close();
  } finally {
    clearInterval(closeIdle);
    clearTimeout(closeAll);
  }
}

function adminTokenMissing(): ServiceError {
  return new ServiceError(
    'admin_token_missing',
    'The configuration is empty, so an admin token is needed: give its hash with --admin-token-hash, or the token ' +
      'itself in the environment variable ACCESSION_ADMIN_TOKEN.',
  );
}
