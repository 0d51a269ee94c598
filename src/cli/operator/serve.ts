/** `accession serve`: from options to a running service. */
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import { type App, type AppOptions, openApp } from '../../app.ts';
import { bootstrapHash, metricsHash } from '../../core/config/admin-token.ts';
import { configurationDifferences, differenceText } from '../../core/config/compare.ts';
import { removeNote, writeNote } from '../../core/config/notes.ts';
import { asReadAgain } from '../../core/config/record.ts';
import { initialConfiguration } from '../../core/config/startup.ts';
import {
  lostLog,
  movedStore,
  noteDatabase,
  runningService,
  storeDirectory,
} from '../../core/config/store-directory.ts';
import { RETRY } from '../../core/durations.ts';
import { isServiceError, ServiceError } from '../../core/errors.ts';
import { waitingServer } from '../../core/http/empty-server.ts';
import type { LimitOptions } from '../../core/http/limits.ts';
import { parseSchemaMap } from '../../core/schema/schema-map.ts';
import { configurationSchemas } from '../configuration-schemas.ts';
import { FAILURE, UsageError, withCause } from '../outcome.ts';
import { areaProgress } from '../progress.ts';
import { version } from '../version.ts';
import { openLog } from './log.ts';
import { hasConfiguration, type OwnerOptions, refuseOwnerOptions, storeOfFolder } from './read-only.ts';

type ServeOptions = OwnerOptions & {
  readonly readOnly?: boolean;
  readonly host: string;
  readonly port: number;
  readonly ignoreDefaultConfigFile?: boolean;
  readonly adminTokenHash?: string;
  readonly origins?: readonly string[];
  readonly rootPath?: string;
  readonly trustedProxies?: readonly string[];
  readonly memory?: number;
  readonly schemaMap?: readonly string[];
  readonly schemaHosts?: readonly string[];
  readonly logLevel: string;
  readonly logFile?: string;
  readonly logFormat?: 'text' | 'json';
  readonly limit?: Partial<LimitOptions>;
};

/** Starts the service, and stops it on SIGTERM and SIGINT after the requests in flight. */
export async function serve(place: string | undefined, options: ServeOptions): Promise<undefined> {
  const isReader = options.readOnly === true && hasConfiguration(place);
  if (isReader) refuseOwnerOptions(place as string, options);
  const folder = options.readOnly && !isReader ? storeOfFolder(place, options.schema) : undefined;
  const databaseUrl =
    isReader || folder ? undefined : (options.databaseUrl ?? (process.env.DATABASE_URL || undefined));
  const store = folder?.store ?? place;
  if (store === undefined && databaseUrl === undefined)
    throw new UsageError('Expected a store or --database-url.');
  const owned = isReader ? undefined : store;
  const configFile = folder?.configFile ?? options.config;
  const logger = openLog(options.logLevel, options.logFile, options.logFormat);
  const lostThread = Promise.withResolvers<unknown>();
  try {
    const lost = owned === undefined ? undefined : lostLog(owned);
    if (lost !== undefined) logger.warn(lost);
    const moved = owned === undefined || databaseUrl !== undefined ? undefined : movedStore(owned);
    if (moved !== undefined) logger.warn(moved);
    const sources = { store, databaseUrl, configFile, readOnly: isReader, lost: lostThread.resolve };
    const { app, port } = await openOrExplain({ ...sources, ...appOptions(options, logger) }, options);
    if (owned !== undefined) noteDatabase(owned, databaseUrl !== undefined);
    if (configFile !== undefined && store !== undefined) await reportIgnored(app, store, configFile);
    await app.server.listen({ host: options.host, port }).catch(async (error) => {
      await app.close();
      throw error;
    });
    const cleanUp = () => {
      if (owned !== undefined) removeNote(owned, 'service');
      folder?.remove();
    };
    for (const signal of ['SIGTERM', 'SIGINT'] as const)
      process.once(signal, () => void stop(app, logger, cleanUp, 0));
    void lostThread.promise.then((err) => {
      logger.fatal({ err }, 'the thread that writes to the database has ended, the service stops');
      return stop(app, logger, cleanUp, FAILURE);
    });
    const url = urlOf(options.host, (app.server.server.address() as AddressInfo).port);
    if (owned !== undefined) writeNote(owned, 'service', { url, process: process.pid });
    const how = isReader ? ' and only reads the store' : '';
    process.stderr.write(
      `accession ${version()} listens on ${url}${how}\n` +
        `  desk, for browsers:  ${url}/-/desk/\n  documentation:       ${url}/docs\n`,
    );
  } catch (error) {
    folder?.remove();
    throw error;
  }
}

/** The options of the service that do not depend on where its store is. */
function appOptions(options: ServeOptions, logger: Logger): AppOptions {
  const metricsToken = metricsHash(process.env);
  return {
    ignoreDefaultConfigFile: options.ignoreDefaultConfigFile === true,
    bootstrap: bootstrapHash(options.adminTokenHash, process.env),
    origins: options.origins ?? [],
    proxies: options.trustedProxies ?? [],
    ...(options.keepEntries !== undefined && { keepEntries: options.keepEntries }),
    schemaMap: parseSchemaMap(options.schemaMap ?? []),
    schemaHosts: (options.schemaHosts ?? []).map((host) => host.toLowerCase()),
    limits: options.limit ?? {},
    ...(options.memory !== undefined && { memory: options.memory * 1024 * 1024 }),
    ...(metricsToken !== undefined && { metricsToken }),
    rootPath: (options.rootPath ?? '').replace(/\/+$/, ''),
    version: version(),
    logger,
  };
}

/** Opens the service. If another one runs on the store, the error names it. */
async function openOrExplain(options: AppOptions, { host, port }: ServeOptions): Promise<RunningService> {
  using progress = areaProgress((now) => options.logger.warn(now, 'importing the store'));
  try {
    return await openWhenAvailable({ ...options, adopting: progress.report }, host, port);
  } catch (error) {
    // The note alone proves nothing, since it outlives a crash.
    const isInUse = isServiceError(error) && error.message.includes('in use by another process');
    const running = isInUse ? runningService(options.store ?? '') : undefined;
    if (running === undefined) throw error;
    const { url, process: id } = running;
    const message = `A service already runs on the store ${options.store}: ${url} (process ${id}).`;
    throw new ServiceError('config_invalid', message);
  }
}

/** A store that has a configuration does not read the file: the differences are reported. */
async function reportIgnored({ state }: App, store: string, file: string): Promise<void> {
  let text: string;
  try {
    const root = storeDirectory(store);
    const schemas = await configurationSchemas();
    const named = initialConfiguration({ root, schemas, configFile: file });
    const differences = configurationDifferences(
      asReadAgain(state.configuration, root),
      asReadAgain(named, root),
      schemas,
    );
    if (differences.length === 0) return;
    text = `differs by\n${differences.map((one) => `  ${differenceText(one)}`).join('\n')}`;
  } catch (error) {
    if (!isServiceError(error)) throw error;
    text = `cannot be read: ${error.message}`;
  }
  process.stderr.write(
    `accession: The store has a configuration, so ${file} is ignored; it ${text}\n` +
      "'accession config upload' changes the configuration of a running service.\n",
  );
}

function urlOf(host: string, port: number): string {
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** Requests in flight are answered, stores and logs are closed; a second signal ends the program at once. */
async function stop(app: App, logger: Logger, cleanUp: () => void, status: number): Promise<never> {
  try {
    await app.close();
    cleanUp();
  } catch (error) {
    logger.error(error, 'the service failed while it stopped');
    process.exit(FAILURE);
  }
  process.exit(status);
}

/** The service, which does not listen yet, and the port to listen on. */
type RunningService = { readonly app: App; readonly port: number };

/**
 * @returns the service as soon as it can be opened, which is at once unless its database is away
 * @throws whatever keeps it from being opened for other reasons, and the error of the system if the port is in use
 */
async function openWhenAvailable(options: AppOptions, host: string, port: number): Promise<RunningService> {
  const { version, origins = [], limits = {}, logger } = options;
  let problem = '';
  let explained = '';
  const attempt = async (): Promise<App | undefined> => {
    try {
      return await openApp(options);
    } catch (error) {
      const isAway = isServiceError(error) && error.code === 'storage_unavailable';
      if (!isAway || options.databaseUrl === undefined) throw error;
      if (problem === '') logger.warn({ err: error }, 'the database is not available, will retry');
      problem = error.message;
      explained = withCause(error);
      return undefined;
    }
  };
  const first = await attempt();
  if (first) return { app: first, port };
  const server = waitingServer({ problem: () => problem, version, origins, limits, logger });
  await server.listen({ host, port });
  const { port: bound } = server.server.address() as AddressInfo;
  const end = () => void server.close().finally(() => process.exit(0));
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, end);
  process.stderr.write(
    `accession ${version}: ${explained} The service answers 503 on port ${bound} until it is.\n`,
  );
  try {
    for (;;) {
      await pause(RETRY.database);
      const app = await attempt();
      if (app) return { app, port: bound };
    }
  } finally {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.off(signal, end);
    await server.close();
  }
}
