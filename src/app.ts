/**
 * The composition root: builds every room with plain calls, and takes all of it down again. Tests start here, without
 * a port.
 */
import { realpathSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import type { AuditLog } from './audit/audit-log.ts';
import { historyOf } from './audit/history.ts';
import { AuditLogs } from './audit/logs.ts';
import { Registry } from './collections/registry.ts';
import { isEmpty } from './config/config.ts';
import { strayPlaces } from './config/edit-collections.ts';
import { tokensWithoutZone } from './config/edit-tokens.ts';
import { PRIVATE_FOLDER } from './config/paths.ts';
import { CONFIGURATION_PID, configurationEntry } from './config/record.ts';
import { initialConfiguration } from './config/startup.ts';
import { ConfigurationState } from './config/state.ts';
import { openConfigurationStore } from './config/store.ts';
import { keepTokenUses, saveTokenUses } from './config/token-uses.ts';
import { ServiceError } from './errors.ts';
import type { LimitOptions } from './http/limits.ts';
import { createServer } from './http/server.ts';
import { Jobs } from './jobs/jobs.ts';
import type { RecordStore } from './storage/store.ts';
import { StoreHandles } from './storage/store-handles.ts';
import { writeProbe } from './storage/write-probe.ts';

export type AppOptions = {
  /** The store directory, which has to exist. */
  readonly store: string;
  /** Read where the store holds no configuration yet. */
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
  /** For how many milliseconds `/-/health` remembers whether the store accepts writes. Default 5000. */
  readonly healthInterval?: number;
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
  const root = storeDirectory(options.store);
  const jobs = new Jobs(options.logger);
  const handles = new StoreHandles();
  const logs = new AuditLogs(jobs, options.logger);
  const store = await openConfigurationStore(root, options.logger);
  const audit = await openConfigurationLog(root, store, logs).catch(async (error) => {
    await store.close();
    throw error;
  });
  const registry = new Registry({
    storeRoot: root,
    handles,
    logs,
    jobs,
    ...(options.keepEntries !== undefined && { keepEntries: options.keepEntries }),
    log: options.logger,
  });
  const closeAll = async () => {
    await registry.close();
    await audit.close();
    await store.close();
    await jobs.stopAll();
  };
  let state: ConfigurationState;
  try {
    state = await ConfigurationState.open({ store, realizer: registry }, async () =>
      initialConfiguration({ root, ...options }),
    );
    const { configuration } = state;
    for (const oddity of [...strayPlaces(configuration, root), ...tokensWithoutZone(configuration)])
      options.logger.warn(oddity);
    if (isEmpty(state.configuration) && options.bootstrap === undefined) throw adminTokenMissing();
  } catch (error) {
    await closeAll();
    throw error;
  }
  const uses = await keepTokenUses(store, registry.tokens, jobs);
  const canWrite = writeProbe(join(root, PRIVATE_FOLDER), options.healthInterval ?? 5000);
  const server = await createServer({
    ...{ origins: [], rootPath: '', ...options },
    ...{ registry, state, audit, root, jobs, canWrite },
  });
  return {
    server,
    registry,
    state,
    async close() {
      await stop(server);
      await uses.stop();
      await saveTokenUses(store, registry.tokens).catch((err) => {
        options.logger.warn({ err }, 'could not store the last uses of tokens');
      });
      await state.close();
      await closeAll();
    },
  };
}

/** The log of the configuration: a second service on one store finds it in use, before it does anything else. */
export async function openConfigurationLog(
  root: string,
  store: RecordStore,
  logs: AuditLogs,
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

/** Requests in flight have this long to come to their end. */
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
  if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) {
    throw new ServiceError('config_invalid', `The store directory ${path} does not exist.`);
  }
  return realpathSync(path);
}

function adminTokenMissing(): ServiceError {
  return new ServiceError(
    'admin_token_missing',
    'The configuration is empty, so an admin token is needed: give its hash with --admin-token-hash, or the token ' +
      'itself in the environment variable ACCESSION_ADMIN_TOKEN.',
  );
}
