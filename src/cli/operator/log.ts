/** The log of the service: JSON lines, or text for people, on standard error, or in a file that is opened again when it was rotated. */
import { Writable } from 'node:stream';
import { type Logger, pino } from 'pino';
import { isServiceError } from '../../core/errors.ts';
import { isExplained, withCause } from '../outcome.ts';

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

/** Bytes that wait for a log that cannot be written; later lines are discarded. */
const MAX_WAITING_LOG = 1024 * 1024;

const STANDARD_ERROR = 2;

/**
 * Opens the log. A log that cannot be written, on a full disk, fails no request.
 *
 * @param file appended to; without it, the log is standard error
 * @param asked without it, text on a terminal
 * @throws an error of the file system if the file cannot be opened
 */
export function openLog(level: string, file?: string, asked?: 'text' | 'json'): Logger {
  const format = asked ?? (file === undefined && process.stderr.isTTY ? 'text' : 'json');
  const known = LOG_LEVELS[level.toLowerCase()];
  const dest = file ?? STANDARD_ERROR;
  const destination = pino.destination({ dest, sync: true, maxLength: MAX_WAITING_LOG });
  destination.on('error', () => {});
  process.stderr.on('error', () => {});
  const options = { level: known ?? 'warn', serializers: { err: errorFacts } };
  const logger = pino(options, format === 'text' ? asText(destination) : destination);
  if (known === undefined) logger.warn({ given: level }, 'the log level is unknown, using warning');
  // A terminal that is closed sends the same signal, and ends the service as it ends other programs.
  if (file !== undefined) process.on('SIGHUP', () => destination.reopen());
  else if (!process.stderr.isTTY) process.on('SIGHUP', () => {});
  return logger;
}

/** A failure that the service explains needs no stack. */
export function errorFacts(error: Error): object {
  if (!isServiceError(error) || (error.cause !== undefined && !isExplained(error.cause)))
    return pino.stdSerializers.err(error);
  return { type: error.name, code: error.code, message: withCause(error) };
}

const NUMBERED_LEVELS: Readonly<Record<number, string>> = {
  10: 'trace',
  20: 'debug',
  30: 'info',
  40: 'warning',
  50: 'error',
  60: 'fatal',
};

/** Members of every line of pino that people need not see. */
const HIDDEN = new Set(['level', 'time', 'pid', 'hostname', 'msg', 'err', 'name', 'v']);

/** One line of pino's JSON as text. */
export function textLine(json: string): string {
  let line: Record<string, unknown>;
  try {
    line = JSON.parse(json) as Record<string, unknown>;
  } catch {
    return json;
  }
  const { level, time, msg = '', err } = line;
  const facts = Object.entries(line).flatMap(([key, value]) =>
    HIDDEN.has(key) || value === undefined ? [] : [`${key}=${factText(value)}`],
  );
  const word = NUMBERED_LEVELS[level as number] ?? String(level);
  const head = `${new Date(time as number).toISOString()} ${word.padEnd(7)} ${msg}`;
  const { stack, message } = (err ?? {}) as { stack?: string; message?: string };
  const cause = stack ?? message;
  const tail = cause === undefined ? '' : `\n${cause.replace(/^/gm, '    ')}`;
  return `${[head, ...facts].join('  ').trimEnd()}${tail}\n`;
}

function factText(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return /^[^\s"=]+$/.test(text) ? text : JSON.stringify(text);
}

/** A destination of pino that writes text to another one. */
function asText(destination: { write(line: string): unknown }): Writable {
  return new Writable({
    decodeStrings: false,
    write(chunk: string | Buffer, _encoding, done) {
      for (const line of String(chunk).split('\n')) if (line !== '') destination.write(textLine(line));
      done();
    },
  });
}
