/** `accession serve`: from flags to a running service. */
import type { AddressInfo } from 'node:net';
import { parseArgs } from 'node:util';
import type { Logger } from 'pino';
import { type App, openApp } from '../app.ts';
import { bootstrapHash } from '../config/admin-token.ts';
import { ServiceError } from '../errors.ts';
import { limitOptions } from './limit-flags.ts';
import { openLog } from './log.ts';
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
  --log-file FILE               append the log to FILE, opened again on SIGHUP (standard error)
  --metrics-token-hash HASH     SHA-256 of a token that reads /-/metrics; the environment variable
                                ACCESSION_METRICS_TOKEN gives the token itself
  --max-requests N              requests that are answered at the same time (256)
  --max-requests-per-token N    requests with one token in a minute (any number)
  --max-requests-per-address N  requests from one address in a minute (any number)
  --max-refused-tokens N        refused tokens from one address in a minute; 0 for any number (100)
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
  'log-file': { type: 'string' },
  'metrics-token-hash': { type: 'string' },
  'max-requests': { type: 'string' },
  'max-requests-per-token': { type: 'string' },
  'max-requests-per-address': { type: 'string' },
  'max-refused-tokens': { type: 'string' },
  help: { type: 'boolean', short: 'h', default: false },
} as const;

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
  let logger: Logger;
  let app: App;
  let port: number;
  try {
    logger = openLog(values['log-level'], values['log-file']);
    port = portNumber(values.port);
    app = await openApp({
      store,
      configFile: values.config,
      ignoreDefaultConfigFile: values['ignore-default-config-file'],
      bootstrap: bootstrapHash(values['admin-token-hash'], process.env),
      origins: values.origins ?? [],
      ...keepEntries(values['keep-entries']),
      ...limitOptions((flag) => values[flag as keyof typeof values] as string | undefined, process.env),
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
