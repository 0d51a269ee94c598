/** `accession serve`: from flags to a running service. */
import type { AddressInfo } from 'node:net';
import type { Logger } from 'pino';
import { type App, storeDirectory } from '../app.ts';
import { bootstrapHash } from '../config/admin-token.ts';
import { configurationDifferences, differenceText } from '../config/compare.ts';
import { initialConfiguration } from '../config/startup.ts';
import { ServiceError } from '../errors.ts';
import { parseSchemaMap } from '../schema/load/schema-map.ts';
import { type Given, UsageError } from './command.ts';
import { limitOptions } from './limit-flags.ts';
import { openLog } from './log.ts';
import { complain, complainOf, FAILURE } from './outcome.ts';
import { areaProgress } from './progress.ts';
import { hasConfiguration, refuseOwnersFlags, storeOfFolder } from './read-only.ts';
import {
  forgetRunning,
  lostLog,
  noteDatabase,
  noteRunning,
  type RunningService,
  runningService,
} from './running.ts';
import { version } from './version.ts';
import { openWhenAvailable } from './wait-for-database.ts';

/** The exit status of the peer for a service that no client could configure. */
const ADMIN_TOKEN_MISSING = 2;

/** Starts the service, and stops it on SIGTERM and SIGINT after the requests in flight. */
export async function serve(given: Given): Promise<number | undefined> {
  const readOnly = given.is('read-only') && hasConfiguration(given.args[0]);
  if (readOnly) refuseOwnersFlags(given);
  const folder = given.is('read-only') && !readOnly ? storeOfFolder(given) : undefined;
  const directory = folder?.store ?? given.args[0];
  const databaseUrl = given.text('database-url') ?? (process.env.DATABASE_URL || undefined);
  if (directory === undefined && databaseUrl === undefined) {
    throw new UsageError("expected a STORE or '--database-url'.");
  }
  const store = directory ?? '';
  const host = given.text('host') as string;
  let logger: Logger;
  let app: App;
  let port: number;
  const adopting = areaProgress();
  const lostThread = Promise.withResolvers<unknown>();
  try {
    logger = openLog(given.text('log-level') as string, given.text('log-file'), given.text('log-format'));
    const asked = portNumber(given.text('port') as string);
    const lost = directory === undefined || readOnly ? undefined : lostLog(store);
    if (lost !== undefined) logger.warn(lost);
    const configFile = folder?.configFile ?? given.text('config');
    const options = {
      ...(directory !== undefined && { store }),
      ...(databaseUrl !== undefined && !folder && !readOnly && { databaseUrl }),
      readOnly,
      configFile,
      ignoreDefaultConfigFile: given.is('ignore-default-config-file'),
      bootstrap: bootstrapHash(given.text('admin-token-hash'), process.env),
      origins: given.texts('origins'),
      ...keepEntries(given.text('keep-entries')),
      schemaMap: parseSchemaMap(given.texts('schema-map')),
      schemaHosts: given.texts('schema-hosts').map((host) => host.toLowerCase()),
      ...limitOptions((flag) => given.text(flag), process.env),
      rootPath: (given.text('root-path') ?? '').replace(/\/+$/, ''),
      version: version(),
      adopting: adopting.report,
      lost: (error: unknown) => lostThread.resolve(error),
      logger,
    };
    ({ app, port } = await openWhenAvailable(options, host, asked).finally(adopting.end));
    if (directory !== undefined && !readOnly) noteDatabase(store, 'databaseUrl' in options);
    if (configFile !== undefined && directory !== undefined) reportIgnored(app, store, configFile);
  } catch (error) {
    const running = error instanceof ServiceError && isInUse(error) ? runningService(store) : undefined;
    folder?.remove();
    if (running) return complain(alreadyRunning(store, running), FAILURE);
    if (isListenFailure(error)) return complain(listenFailure(error, host), FAILURE);
    const askedFor = error instanceof ServiceError && error.code === 'admin_token_missing';
    return complainOf(error, askedFor ? ADMIN_TOKEN_MISSING : FAILURE);
  }
  try {
    await app.server.listen({ host, port });
  } catch (error) {
    await app.close();
    folder?.remove();
    return complain(listenFailure(error as NodeJS.ErrnoException, host), FAILURE);
  }
  const cleanUp = () => {
    if (directory !== undefined && !readOnly) forgetRunning(store);
    folder?.remove();
  };
  stopOnSignal(app, logger, cleanUp);
  void lostThread.promise.then((err) => {
    logger.fatal({ err }, 'the thread that writes to the database has ended, the service stops');
    return stop(app, logger, cleanUp, FAILURE);
  });
  const bound = app.server.server.address() as AddressInfo;
  const url = addressOf(host, bound.port);
  if (directory !== undefined && !readOnly) noteRunning(store, url);
  process.stderr.write(
    `accession ${version()} listens on ${url}${readOnly ? ' and only reads the store' : ''}\n`,
  );
  return undefined;
}

/** Another process owns the store: the note alone proves nothing, since it outlives a crash. */
function isInUse({ message }: ServiceError): boolean {
  return message.includes('in use by another process');
}

/** What a second service on a store ends with. */
function alreadyRunning(store: string, { url, process: id }: RunningService): string {
  return `A service already runs on the store ${store}: ${url} (process ${id}).`;
}

/** A store that has a configuration does not read the file: the differences are reported. */
function reportIgnored({ state }: App, store: string, file: string): void {
  let text: string;
  try {
    const named = initialConfiguration({ root: storeDirectory(store), configFile: file });
    const differences = configurationDifferences(state.configuration, named);
    if (differences.length === 0) return;
    text = `differs by\n${differences.map((one) => `  ${differenceText(one)}`).join('\n')}`;
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    text = `cannot be read: ${error.message}`;
  }
  process.stderr.write(
    `accession: The store has a configuration, so ${file} is ignored; it ${text}\n` +
      "'accession config upload' changes the configuration of a running service.\n",
  );
}

function portNumber(text: string): number {
  const port = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (port <= 65535) return port;
  throw new ServiceError('config_invalid', `--port is '${text}', expected a number from 0 to 65535.`);
}

function keepEntries(text: string | undefined): { keepEntries?: number } {
  if (text === undefined) return {};
  if (/^[1-9]\d{0,5}$/.test(text)) return { keepEntries: Number(text) };
  throw new ServiceError(
    'config_invalid',
    `--keep-entries is '${text}', expected a number of days from 1 to 999999.`,
  );
}

type ListenFailure = NodeJS.ErrnoException & { readonly port?: number };

function isListenFailure(error: unknown): error is ListenFailure {
  return error instanceof Error && (error as ListenFailure).syscall === 'listen';
}

function listenFailure({ code, port, message }: ListenFailure, host: string): string {
  if (code === 'EADDRINUSE') return `Port ${port} on ${host} is in use by another program.`;
  return `The service can't listen on ${host}: ${message}.`;
}

function addressOf(host: string, port: number): string {
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** Requests in flight are answered, stores and logs are closed; a second signal ends the program at once. */
function stopOnSignal(app: App, logger: Logger, cleanUp: () => void): void {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.once(signal, () => void stop(app, logger, cleanUp, 0));
  }
}

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
