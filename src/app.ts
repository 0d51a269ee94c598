/**
 * The composition root: builds every room with plain calls, and takes all of it down again. Tests start here, without
 * a port.
 */
import { mkdtempSync, realpathSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import type { AuditLog } from './audit/audit-log.ts';
import { historyOf } from './audit/history.ts';
import { type Leadership, leaderLogs } from './audit/leader-logs.ts';
import { AuditLogs, type LogOpener } from './audit/logs.ts';
import { Registry } from './collections/registry.ts';
import { EMPTY_CONFIGURATION, isEmptyConfiguration } from './config/config.ts';
import { strayPlaces } from './config/edit-collections.ts';
import { tokensWithoutZone } from './config/edit-tokens.ts';
import { PRIVATE_FOLDER } from './config/paths.ts';
import { CONFIGURATION_PID, configurationEntry } from './config/record.ts';
import { initialConfiguration } from './config/startup.ts';
import { ConfigurationState } from './config/state.ts';
import { CONFIGURATION_AREA, followConfigurationStore, openConfigurationStore } from './config/store.ts';
import { keepTokenUses, saveTokenUses } from './config/token-uses.ts';
import { ServiceError } from './errors.ts';
import type { LimitOptions } from './http/limits.ts';
import { createServer } from './http/server.ts';
import { Jobs } from './jobs/jobs.ts';
import { Memory } from './memory/memory.ts';
import type { SchemaMap } from './schema/schema.ts';
import { openServiceDatabase, type ServiceDatabase } from './storage/postgresql/service-database.ts';
import type { RecordStore } from './storage/store.ts';
import { StoreHandles } from './storage/store-handles.ts';
import { sizeProbe } from './storage/store-size.ts';
import { writeProbe } from './storage/write-probe.ts';

export type AppOptions = {
  /** The store directory, which has to exist. Without it, the service keeps everything in its database. */
  readonly store?: string;
  /** The PostgreSQL database of the configuration and of collections with that backend. */
  readonly databaseUrl?: string;
  /** Serves reads of a store that a service in another process owns, and refuses changes. */
  readonly follow?: boolean;
  /** Read if the store has no configuration yet. */
  readonly configFile?: string;
  readonly ignoreDefaultConfigFile?: boolean;
  /** SHA-256 of an admin token, in hexadecimal digits. */
  readonly bootstrap?: string;
  readonly origins?: readonly string[];
  readonly rootPath?: string;
  /** Limits that differ from the defaults. */
  readonly limits?: Partial<LimitOptions>;
  /** SHA-256 of the token that may read the metrics, in hexadecimal digits. */
  readonly metricsToken?: string;
  /** For how many days entries of changes are kept; without it, forever. */
  readonly keepEntries?: number;
  /** Folders that schemas below some URLs are read from. */
  readonly schemaMap?: SchemaMap;
  /** The hosts on this machine or link that may be asked for schemas; undefined lets all. */
  readonly schemaHosts?: readonly string[];
  /** For how many milliseconds `/-/health` remembers whether the store accepts writes. Default 5000. */
  readonly healthInterval?: number;
  /** What caches may use together, in bytes. Default {@link DEFAULT_MEMORY}. */
  readonly memory?: number;
  /** The release of this program. */
  readonly version: string;
  readonly logger: Logger;
};

export type App = {
  readonly server: FastifyInstance;
  readonly registry: Registry;
  readonly state: ConfigurationState;
  /** Stops taking requests, waits for those in flight, and closes every store and log. */
  close(): Promise<void>;
};

/**
 * @throws ServiceError `config_invalid` and whatever else keeps the configuration from being carried out;
 *   `admin_token_missing` for an empty configuration without an admin token
 */
export async function openApp(options: AppOptions): Promise<App> {
  const { logger, follow = false } = options;
  const directory = rootDirectory(options);
  const { root } = directory;
  const jobs = new Jobs(logger);
  const memory = new Memory(options.memory);
  const opened: { close(): Promise<void> }[] = [directory];
  const keep = <T extends { close(): Promise<void> }>(part: T): T => {
    opened.unshift(part);
    return part;
  };
  const closeAll = async () => {
    for (const part of opened) await part.close();
  };
  try {
    const { databaseUrl = '' } = options;
    // An instance without a directory has no place for repositories, so it never exports to one.
    const leads = options.store !== undefined;
    const database = databaseUrl
      ? keep(await openServiceDatabase(databaseUrl, { root, leads, log: logger, jobs }))
      : undefined;
    keep({ close: () => jobs.stopAll() });
    const postgresql = database ? database.stores : undefined;
    const store = keep(
      await (follow
        ? followConfigurationStore(root, logger)
        : openConfigurationStore(root, logger, postgresql)),
    );
    const ownLogs = new AuditLogs(jobs, logger);
    const leadership = follow ? NEVER_LEADS : database?.coordination.leadership;
    const logs = leadership ? leaderLogs(ownLogs, leadership, logger) : ownLogs;
    const audit = keep(await openConfigurationLog(root, store, logs));
    const registry = keep(
      new Registry({
        storeRoot: root,
        handles: new StoreHandles(memory),
        logs,
        jobs,
        postgresql,
        ...(follow && { follow: { reviewPath: keep(temporaryDirectory('accession-review-')).root } }),
        ...(options.keepEntries !== undefined && { keepEntries: options.keepEntries }),
        ...(options.schemaMap && { schemaMap: options.schemaMap }),
        ...(options.schemaHosts && { schemaHosts: options.schemaHosts }),
        release: options.version,
        log: logger,
      }),
    );
    const parts = { store, host: registry, shared: follow || postgresql !== undefined };
    const state = keep(
      await ConfigurationState.open(parts, async () =>
        follow ? EMPTY_CONFIGURATION : initialConfiguration({ ...options, root }),
      ),
    );
    if (follow || database) followOthers(state, jobs, database, logger);
    if (!follow) checkConfiguration(state, root, options);
    const canWrite =
      follow || database
        ? () => storeProblem(state)
        : writeProbe(join(root, PRIVATE_FOLDER), options.healthInterval ?? 5000);
    const storeSize = sizeProbe(root);
    const sizes = async () => ({
      store_bytes: await storeSize(),
      database_bytes: database ? await database.size() : null,
    });
    const server = await createServer({
      ...{ origins: [], rootPath: '', ...options },
      ...{ registry, state, audit, root, follows: follow, jobs, canWrite, sizes, memory },
      inDatabase: database !== undefined,
    });
    const uses = follow ? undefined : await keepTokenUses(store, registry.tokens, jobs);
    keep({
      async close() {
        await stop(server);
        if (!uses) return;
        await uses.stop();
        await saveTokenUses(store, registry.tokens).catch((err) => {
          logger.warn({ err }, 'could not store the last uses of tokens');
        });
      },
    });
    return { server, registry, state, close: closeAll };
  } catch (error) {
    await closeAll();
    throw error;
  }
}

/** Warns of what is odd about the configuration. @throws ServiceError `admin_token_missing` if it is empty */
function checkConfiguration(
  { configuration }: ConfigurationState,
  root: string,
  { logger, bootstrap }: AppOptions,
): void {
  for (const oddity of [...strayPlaces(configuration, root), ...tokensWithoutZone(configuration)])
    logger.warn(oddity);
  if (Object.keys(configuration.admin_tokens).length === 0 && bootstrap === undefined)
    logger.warn('there is no admin token, so the configuration cannot be changed: see --admin-token-hash');
  if (isEmptyConfiguration(configuration) && bootstrap === undefined) throw adminTokenMissing();
}

/** Why the store of the configuration cannot be used; undefined if it can. */
async function storeProblem(state: ConfigurationState): Promise<string | undefined> {
  try {
    await state.checkStore();
    return undefined;
  } catch (error) {
    return error instanceof ServiceError ? error.message : String(error);
  }
}

/** How often an instance looks for changes of the configuration, in milliseconds, in case a notification was lost. */
const LOOK = 500;

/** Audit logs are left to the process that owns the store. */
const NEVER_LEADS: Leadership = { held: false, watch: () => () => {} };

/** Applies the changes of other processes: by polling, and those in a database on notification, too. */
function followOthers(
  state: ConfigurationState,
  jobs: Jobs,
  database: ServiceDatabase | undefined,
  logger: Logger,
): void {
  let isAway = false;
  const run = async () => {
    try {
      await state.refresh();
      isAway = false;
    } catch (error) {
      // The database is asked again soon: its state has to be applied within a second of its return.
      if (!(error instanceof ServiceError) || error.code !== 'storage_unavailable') throw error;
      // A database reports its absence itself.
      if (!database && !isAway) logger.error({ err: error }, 'could not read the configuration, will retry');
      isAway = true;
    }
  };
  const job = jobs.add({ name: 'configuration', every: LOOK, retry: LOOK, run });
  if (!database) return;
  const { stores, coordination } = database;
  coordination.onChange((areas) => {
    if (areas === 'unknown' || areas.has(stores.areaOf(CONFIGURATION_AREA))) job.wake();
  });
}

/** The store directory; a service that has all in its database gets an empty one for its run. */
function rootDirectory({ store, databaseUrl }: AppOptions): { root: string; close(): Promise<void> } {
  if (store !== undefined) return { root: storeDirectory(store), close: async () => {} };
  if (databaseUrl === undefined) {
    throw new ServiceError('config_invalid', 'The service needs a store directory or a database.');
  }
  return temporaryDirectory('accession-');
}

/** An empty directory, for the run of the service. */
function temporaryDirectory(prefix: string): { root: string; close(): Promise<void> } {
  const root = realpathSync(mkdtempSync(join(tmpdir(), prefix)));
  return { root, close: async () => rmSync(root, { recursive: true, force: true }) };
}

/** The log of the configuration: a second service on one store finds it in use, before it does anything else. */
export async function openConfigurationLog(
  root: string,
  store: RecordStore,
  logs: LogOpener,
): Promise<AuditLog> {
  const source = { store, select: configurationEntry };
  const path = 'config_audit';
  try {
    const backend = { type: 'gitaudit', path, auto_flush_timeout: 60 } as const;
    const log = await logs.open(backend, join(root, PRIVATE_FOLDER, path), PRIVATE_FOLDER, source);
    return { ...log, history: (pids) => historyOf(source, log, CONFIGURATION_PID, pids) };
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const message = `The store ${root} can't be opened: ${error.message}`;
    throw new ServiceError(error.code, message, [], { cause: error });
  }
}

/** The time that requests in flight have to end. */
const GRACE_MILLISECONDS = 8_000;

/** Waits for requests, but not for clients that hold a connection without asking for anything. */
async function stop(server: FastifyInstance): Promise<void> {
  const closeIdle = setInterval(() => server.server.closeIdleConnections(), 50);
  const closeAll = setTimeout(() => server.server.closeAllConnections(), GRACE_MILLISECONDS);
  try {
    await server.close();
  } finally {
    clearInterval(closeIdle);
    clearTimeout(closeAll);
  }
}

/** @throws ServiceError `config_invalid` if the directory does not exist */
export function storeDirectory(path: string): string {
  const found = statSync(path, { throwIfNoEntry: false });
  if (!found) throw new ServiceError('config_invalid', `The store directory ${path} does not exist.`);
  if (!found.isDirectory())
    throw new ServiceError('config_invalid', `The store ${path} is a file, expected a directory.`);
  return realpathSync(path);
}

function adminTokenMissing(): ServiceError {
  return new ServiceError(
    'admin_token_missing',
    'The configuration is empty, so an admin token is needed: give its hash with --admin-token-hash, or the token ' +
      'itself in the environment variable ACCESSION_ADMIN_TOKEN.',
  );
}
