/**
 * The composition root: builds every room with plain calls, and takes all of it down again. Tests start here, without
 * a port.
 */
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { NO_NAMES } from './core/access/user-names.ts';
import { type AdoptionProgress, type AdoptOptions, NO_ADOPTION } from './core/collections/adoption.ts';
import { AdoptionProcess, leftUntil } from './core/collections/adoption-process.ts';
import { makeCaches } from './core/collections/caches.ts';
import { checkConfiguration, noteUnknownKeys } from './core/collections/check-configuration.ts';
import { openStore } from './core/collections/open-store.ts';
import { PageCache } from './core/collections/page-cache.ts';
import { Registry } from './core/collections/registry.ts';
import { Schemas } from './core/collections/schemas.ts';
import { EMPTY_CONFIGURATION } from './core/config/config.ts';
import { PRIVATE_FOLDER } from './core/config/paths.ts';
import { configurationArea, followOthers, storeProblem } from './core/config/shared-store.ts';
import { initialConfiguration } from './core/config/startup.ts';
import { ConfigurationState } from './core/config/state.ts';
import { rootDirectory } from './core/config/store-directory.ts';
import { keepTokenUses } from './core/config/token-uses.ts';
import type { LimitOptions } from './core/http/limits.ts';
import { closeServer, createServer } from './core/http/server.ts';
import type { Service } from './core/http/service.ts';
import type { SchemaMap } from './core/schema/schema.ts';
import type { Database } from './core/storage/database.ts';
import { TEXT_INDEX } from './core/storage/search/text-index.ts';
import { VALUE_INDEX } from './core/storage/search/value-index.ts';
import { diskOf, sizeProbe } from './core/storage/store-size.ts';
import { writeProbe } from './core/storage/write-probe.ts';
import { Jobs } from './core/work/jobs.ts';
import { Pool } from './core/work/pool.ts';
import { Projector } from './core/work/projector.ts';
import {
  type Closable,
  type Core,
  concernedOf,
  extensionOf,
  filesOf,
  type Module,
  provided,
  tablesOf,
} from './module.ts';
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
  /** The limit of the cache of pages, in bytes. Default 32 MiB. */
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
  const closing = new AsyncDisposableStack();
  try {
    const parts = await openParts(options, (part) => closing.adopt(part, (one) => one.close()));
    return { ...parts, close: () => closing.disposeAsync() };
  } catch (error) {
    await closing.disposeAsync();
    throw error;
  }
}

/** Has a part closed at the end, before those that were opened earlier. */
type Keep = <Part extends Closable>(part: Part) => Part;

async function openParts(options: AppOptions, keep: Keep): Promise<Omit<App, 'close'>> {
  const { logger: log, readOnly = false, follows = false, bootstrap, modules = MODULES } = options;
  const { root } = keep(rootDirectory(options));
  const schemas = configurationSchemasOf(modules);
  const initial = () => initialConfiguration({ ...options, root, schemas });
  const importing = adoptionProcess(modules, options);
  if (importing) keep(importing);
  const adopting = adoptOptions(options, { root, initial, configurationSchemas: schemas });
  const database = keep(
    await openStore({
      root,
      readOnly,
      log,
      hasDirectory: options.store !== undefined,
      databaseUrl: options.databaseUrl,
      lost: options.lost,
      tables: tablesOf(modules),
      adoption: importing?.adoption ?? NO_ADOPTION,
      adopting,
    }),
  );
  const work = openWork(database, importing, { log, keep });
  const core = openCore(options, { root, database, ...work, log, keep });
  const { registry, cache } = core;

  const area = await configurationArea(database, root);
  for (const { open } of modules) if (open && !readOnly) keep(await open(core));
  const state = keep(
    await ConfigurationState.open({ database, area, root, host: registry, schemas }, async () =>
      readOnly ? EMPTY_CONFIGURATION : initial(),
    ),
  );
  if (isShared(options)) followOthers(state, work.jobs, database, log);
  if (!readOnly) {
    checkConfiguration(state.configuration, { root, keys: schemas.keys, bootstrap, log });
    await noteUnknownKeys(state.configuration, { database, keys: settingKeysOf(modules), log });
  }

  const administration = { state, root, schemas, bootstrap };
  const service = {
    origins: [],
    rootPath: '',
    ...options,
    ...work,
    ...probesOf(options, { root, database, state }),
    administration,
    registry,
    state,
    database,
    root,
    cache,
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
    keep(await keepTokenUses(database, registry.tokens, work.jobs, log));
  }
  keep({ close: () => closeServer(server) });
  return { server, registry, state, ...work };
}

/** What runs in the background. */
type Work = Pick<App, 'jobs' | 'pool' | 'projector'> & Pick<Core, 'sources'>;

/** Threads that wait for other hosts. */
const SOURCE_THREADS = 2;

function openWork(
  database: Database,
  importing: AdoptionProcess | undefined,
  { log, keep }: { readonly log: Logger; readonly keep: Keep },
): Work {
  const jobs = new Jobs(log);
  keep({ close: () => jobs.stopAll() });
  const pool = keep(new Pool());
  const sources = keep(new Pool({ threads: SOURCE_THREADS }));
  // Ended before the database is closed.
  if (importing) keep(importing);
  const following = importing?.follow();
  const projector = new Projector(following ? leftUntil(database, following) : database, log);
  keep({ close: () => projector.stopAll() });
  projector.add(TEXT_INDEX);
  projector.add(VALUE_INDEX);
  return { jobs, pool, sources, projector };
}

/** The registry of collections, and what modules get of the core. */
function openCore(
  { modules = MODULES, memory, keepEntries, schemaMap, schemaHosts }: AppOptions,
  { keep, ...parts }: Pick<Core, 'root' | 'database' | 'log'> & Work & { readonly keep: Keep },
): Core & { readonly cache: PageCache } {
  const { database, root, log } = parts;
  const names = provided(modules, 'names')?.({ database }) ?? NO_NAMES;
  const coreWith = (registry: Registry): Core => ({ ...parts, registry, names, hosts: schemaHosts });
  const cache = new PageCache(memory);
  const registry = keep(
    new Registry({
      ...parts,
      storeRoot: root,
      cache,
      caches: makeCaches(database),
      extend: (made) => extensionOf(modules, coreWith(made)),
      concerned: concernedOf(modules),
      files: filesOf(modules, { database, root, log }),
      ...(keepEntries !== undefined && { keepEntries }),
      ...(schemaMap && { schemaMap }),
      ...(schemaHosts && { schemaHosts }),
    }),
  );
  database.use(registry.participants);
  return { ...coreWith(registry), cache };
}

/** Whether other processes may write to the store. */
function isShared({ readOnly = false, databaseUrl }: AppOptions): boolean {
  return readOnly || databaseUrl !== undefined;
}

/** What health and metrics ask of the store. */
function probesOf(
  options: AppOptions,
  { root, database, state }: Pick<Core, 'root' | 'database'> & Pick<App, 'state'>,
): Pick<Service, 'canWrite' | 'storeSize' | 'disk'> {
  const probe = isShared(options)
    ? () => storeProblem(state, database)
    : writeProbe(join(root, PRIVATE_FOLDER), options.healthInterval ?? 5000);
  return {
    canWrite: async () => (await database.problem()) ?? probe(),
    storeSize: sizeProbe(root),
    disk: async () => (options.store === undefined ? undefined : diskOf(root)),
  };
}

/** How a store of another program is adopted. */
function adoptOptions(
  { logger: log, modules = MODULES, schemaMap, schemaHosts, readOnly = false, adopting }: AppOptions,
  store: Pick<AdoptOptions, 'root' | 'initial' | 'configurationSchemas'>,
): AdoptOptions {
  const hosts = schemaHosts && { hosts: schemaHosts };
  return {
    ...store,
    log,
    logs: provided(modules, 'logs'),
    schemas: new Schemas(store.root, log, schemaMap, { ...hosts, keep: !readOnly }),
    ...(adopting && { progress: adopting }),
  };
}

function adoptionProcess(modules: readonly Module[], options: AppOptions): AdoptionProcess | undefined {
  const adoption = provided(modules, 'adoption');
  if (!adoption) return undefined;
  const { configFile, ignoreDefaultConfigFile, schemaMap, schemaHosts, readOnly = false } = options;
  const names = modules.map(({ name }) => name);
  return new AdoptionProcess(adoption, {
    modules: names,
    configFile,
    ignoreDefaultConfigFile,
    schemaMap,
    schemaHosts,
    isOwner: !readOnly,
  });
}
