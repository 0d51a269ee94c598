/** `accession serve`: from flags to a running service. */
import type { AddressInfo } from 'node:net';
import { parseArgs } from 'node:util';
import { type Logger, pino } from 'pino';
import { type App, openApp } from '../app.ts';
import { bootstrapHash } from '../config/admin-token.ts';
import { ServiceError } from '../errors.ts';
import { complain, complainOf, FAILURE, USAGE_ERROR } from './outcome.ts';
import { version } from './version.ts';

const USAGE = `usage: accession serve <store> [options]

  <store>                       the store directory; it has to exist
  --host HOST                   address to listen on (127.0.0.1)
  --port PORT                   port to listen on; 0 for a free one (8000)
  -c, --config FILE             configuration for a store that has none yet
  --ignore-default-config-file  do not take it from <store>/.dumpthings.yaml
  --admin-token-hash HASH       SHA-256 of an admin token, 64 hexadecimal digits; the environment variable
                                ACCESSION_ADMIN_TOKEN gives the token itself
  --origins ORIGIN              let browsers on ORIGIN use the service; may be repeated
  --keep-entries DAYS           remove entries of changes that are older (all are kept)
  --root-path PATH              the path below which a proxy makes the service available
  --log-level LEVEL             error, warning, info or debug (warning)
`;

const OPTIONS = {
  host: { type: 'string', default: '127.0.0.1' },
  port: { type: 'string', default: '8000' },
  config: { type: 'string', short: 'c' },
  'ignore-default-config-file': { type: 'boolean', default: false },
  'admin-token-hash': { type: 'string' },
  origins: { type: 'string', multiple: true },
  'keep-entries': { type: 'string' },
  'root-path': { type: 'string', default: '' },
  'log-level': { type: 'string', default: 'warning' },
  help: { type: 'boolean', short: 'h', default: false },
} as const;

/** The names of the peer, in any case, and pino's. */
const LOG_LEVELS: Readonly<Record<string, string>> = {
  critical: 'fatal',
  fatal: 'fatal',
  error: 'error',
  warning: 'warn',
  warn: 'warn',
  info: 'info',
  debug: 'debug',
  trace: 'trace',
};

/** Starts the service, and stops it in good order on SIGTERM and SIGINT. */
export async function serve(args: string[]): Promise<number | undefined> {
  let parsed: ReturnType<typeof readFlags>;
  try {
    parsed = readFlags(args);
  } catch (error) {
    return complain(`${(error as Error).message}\n\n${USAGE}`, USAGE_ERROR);
  }
  const { values, store } = parsed;
  if (values.help) {
    process.stdout.write(USAGE);
    return 0;
  }
  if (store === undefined) return complain(`expected one store directory\n\n${USAGE}`, USAGE_ERROR);
  const logger = openLog(values['log-level']);
  let app: App;
  let port: number;
  try {
    port = portNumber(values.port);
    app = await openApp({
      store,
      configFile: values.config,
      ignoreDefaultConfigFile: values['ignore-default-config-file'],
      bootstrap: bootstrapHash(values['admin-token-hash'], process.env),
      origins: values.origins ?? [],
      ...keepEntries(values['keep-entries']),
      rootPath: values['root-path'].replace(/\/+$/, ''),
      version: version(),
      logger,
    });
  } catch (error) {
    const askedFor = error instanceof ServiceError && error.code === 'admin_token_missing';
    return complainOf(error, askedFor ? USAGE_ERROR : FAILURE);
  }
  try {
    await app.server.listen({ host: values.host, port });
  } catch (error) {
    await app.close();
    return complain(listenFailure(error as NodeJS.ErrnoException, values.host, port), FAILURE);
  }
  stopOnSignal(app, logger);
  const bound = app.server.server.address() as AddressInfo;
  process.stderr.write(`accession ${version()} listens on ${addressOf(values.host, bound.port)}\n`);
  return undefined;
}

function readFlags(args: string[]) {
  const { values, positionals } = parseArgs({ args, options: OPTIONS, allowPositionals: true });
  if (positionals.length > 1) throw new Error(`unexpected argument '${positionals[1]}'`);
  return { values, store: positionals[0] };
}

/** What waits for room in a log that takes nothing, in bytes; what comes on top is lost. */
const MAX_WAITING_LOG = 1024 * 1024;

/** Logs are JSON lines on standard error. One that can't be written, on a full disk, is no reason to fail a request. */
function openLog(level: string): Logger {
  const known = LOG_LEVELS[level.toLowerCase()];
  const destination = pino.destination({ dest: 2, sync: true, maxLength: MAX_WAITING_LOG });
  destination.on('error', () => {});
  process.stderr.on('error', () => {});
  const logger = pino({ level: known ?? 'warn' }, destination);
  if (known === undefined) logger.warn(`the log level '${level}' is unknown, 'warning' is used`);
  return logger;
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

function listenFailure({ code, message }: NodeJS.ErrnoException, host: string, port: number): string {
  if (code === 'EADDRINUSE') return `Port ${port} on ${host} is in use by another program.`;
  return `The service can't listen on port ${port} of ${host}: ${message}.`;
}

function addressOf(host: string, port: number): string {
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** Requests in flight are answered, stores and logs are closed; a second signal ends the program at once. */
function stopOnSignal(app: App, logger: Logger): void {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.once(signal, () => {
      app.close().then(
        () => process.exit(0),
        (error) => {
          logger.error(error, 'the service did not stop in good order');
          process.exit(FAILURE);
        },
      );
    });
  }
}
