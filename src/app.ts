/**
 * The composition root: builds every room with plain calls, and takes all of it down again. Tests start here, without
 * a port.
 */
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { NO_NAMES } from './core/access/user-names.ts';
import { type AdoptionProgress, NO_ADOPTION } from './core/collections/adoption.ts';
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
import type { SchemaMap } from './core/schema/schema.ts';
import { diskOf, sizeProbe } from './core/storage/store-size.ts';
import { TEXT_INDEX } from './core/storage/text-index.ts';
import { VALUE_INDEX } from './core/storage/value-index.ts';
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

/** @param keep has a part closed at the end, before those that were opened earlier */
async function openParts(
  options: AppOptions,
  keep: <Part extends Closable>(part: Part) => Part,
): Promise<Omit<App, 'close'>> {
  const { logger: log, readOnly = false, follows = false, bootstrap, modules = MODULES } = options;
  const { root } = keep(rootDirectory(options));
  const schemas = configurationSchemasOf(modules);
  const initial = () => initialConfiguration({ ...options, root, schemas });
  const importing = adoptionProcess(modules, options);
  if (importing) keep(importing);
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
      adopting: {
        root,
        log,
        initial,
        logs: provided(modules, 'logs'),
        configurationSchemas: schemas,
        schemas: new Schemas(root, log, options.schemaMap, {
          ...(options.schemaHosts && { hosts: options.schemaHosts }),
          keep: !readOnly,
        }),
        ...(options.adopting && { progress: options.adopting }),
      },
    }),
  );
  const jobs = new Jobs(log);
  keep({ close: () => jobs.stopAll() });
  const pool = keep(new Pool());
  // Ended before the database is closed.
  if (importing) keep(importing);
  const following = importing?.follow();
  const projector = new Projector(following ? leftUntil(database, following) : database, log);
  keep({ close: () => projector.stopAll() });
  projector.add(TEXT_INDEX);
  projector.add(VALUE_INDEX);

  const cache = new PageCache(options.memory);
  const coreWith = (registry: Registry): Core => ({
    root,
    database,
    registry,
    jobs,
    pool,
    projector,
    log,
    names: provided(modules, 'names')?.({ database }) ?? NO_NAMES,
    hosts: options.schemaHosts,
  });
  const registry = keep(
    new Registry({
      storeRoot: root,
      database,
      cache,
      jobs,
      pool,
      projector,
      log,
      caches: makeCaches(database),
      extend: (made) => extensionOf(modules, coreWith(made)),
      concerned: concernedOf(modules),
      files: filesOf(modules, { database, root, log }),
      ...(options.keepEntries !== undefined && { keepEntries: options.keepEntries }),
      ...(options.schemaMap && { schemaMap: options.schemaMap }),
      ...(options.schemaHosts && { schemaHosts: options.schemaHosts }),
    }),
  );
  database.use(registry.participants);
  const core = coreWith(registry);

  const area = await configurationArea(database, root);
  for (const { open } of modules) if (open && !readOnly) keep(await open(core));
  const state = keep(
    await ConfigurationState.open({ database, area, root, host: registry, schemas }, async () =>
      readOnly ? EMPTY_CONFIGURATION : initial(),
    ),
  );
  const isShared = readOnly || options.databaseUrl !== undefined;
  if (isShared) followOthers(state, jobs, database, log);
  if (!readOnly) {
    checkConfiguration(state.configuration, { root, keys: schemas.keys, bootstrap, log });
    await noteUnknownKeys(state.configuration, { database, keys: settingKeysOf(modules), log });
  }

  const administration = { state, root, schemas, bootstrap };
  const probe = isShared
    ? () => storeProblem(state, database)
    : writeProbe(join(root, PRIVATE_FOLDER), options.healthInterval ?? 5000);
  const storeSize = sizeProbe(root);
  const service = {
    origins: [],
    rootPath: '',
    ...options,
    administration,
    registry,
    state,
    database,
    root,
    jobs,
    pool,
    projector,
    cache,
    canWrite: async () => (await database.problem()) ?? probe(),
    storeSize,
    disk: async () => (options.store === undefined ? undefined : diskOf(root)),
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
    keep(await keepTokenUses(database, registry.tokens, jobs, log));
  }
  keep({ close: () => closeServer(server) });
  return { server, registry, state, pool, projector, jobs };
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
