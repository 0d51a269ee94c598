/** The log of the service: JSON lines, or text for people, on standard error, or in a file that is opened again when it was rotated. */
import { type Logger, pino } from 'pino';
import { ServiceError } from '../errors.ts';
import { asText } from './log-text.ts';

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
 * @param asked `text` or `json`; without it, text on a terminal
 * @throws ServiceError `config_invalid` for another format; an error of the file system if the file cannot be opened
 */
export function openLog(level: string, file?: string, asked?: string): Logger {
  const format = asked ?? (file === undefined && process.stderr.isTTY ? 'text' : 'json');
  if (format !== 'text' && format !== 'json') throw formatUnknown(format);
  const known = LOG_LEVELS[level.toLowerCase()];
  const dest = file ?? STANDARD_ERROR;
  const destination = pino.destination({ dest, sync: true, maxLength: MAX_WAITING_LOG });
  destination.on('error', () => {});
  process.stderr.on('error', () => {});
  const logger = pino({ level: known ?? 'warn' }, format === 'text' ? asText(destination) : destination);
  if (known === undefined) logger.warn({ given: level }, 'the log level is unknown, using warning');
  // A terminal that is closed sends the same signal, and ends the service as it ends other programs.
  if (file !== undefined) process.on('SIGHUP', () => destination.reopen());
  else if (!process.stderr.isTTY) process.on('SIGHUP', () => {});
  return logger;
}

function formatUnknown(format: string): ServiceError {
  return new ServiceError('config_invalid', `--log-format is '${format}', expected text or json.`);
}
