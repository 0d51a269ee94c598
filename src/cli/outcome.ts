/** How commands end: the exit statuses, and the one place that turns errors into them and into messages. */
import { CommanderError } from 'commander';
import type { ClientError } from '../client/client.ts';
import { isServiceError, type ServiceError } from '../core/errors.ts';

/** The work failed, or the arguments are wrong. */
export const FAILURE = 1;
/** The work is done, and it found problems. */
export const PROBLEMS_FOUND = 2;
/** The command was removed, and the message names another one. */
export const REMOVED = 2;
/** The exit status of the peer for a service that no client could configure. */
const ADMIN_TOKEN_MISSING = 2;

/** The arguments do not go together: reported with where the command is explained. */
export class UsageError extends Error {}

/**
 * Reports an error that the user can act on: of the arguments, of the service, or of the system. Any other is a defect
 * and thrown again.
 *
 * @returns the exit status
 */
export function reportError(error: unknown): number {
  // Commander has printed its own.
  if (error instanceof CommanderError) return error.exitCode;
  if (isServiceError(error)) {
    complain(withCause(error));
    return error.code === 'admin_token_missing' ? ADMIN_TOKEN_MISSING : FAILURE;
  }
  if (isOfSystem(error)) complain(systemMessage(error));
  else if (isOfClient(error))
    complain(`${clientMessage(error)}${error.code === 'token_required' ? `\n${HOW_TO_SEND_A_TOKEN}` : ''}`);
  else throw error;
  return FAILURE;
}

function clientMessage({ code, problems, message }: ClientError): string {
  // The messages of records name their slots; those of other bodies do not name the key.
  if (code === 'payload_invalid' && problems.length > 0)
    return problems
      .map(({ loc, msg }) =>
        loc[0] === 'body' && loc.length > 1 ? `${loc.slice(1).join('.')}: ${msg}` : msg,
      )
      .join('\n');
  return problems.length > 1 ? problems.map(({ msg }) => msg).join('\n') : message;
}

const HOW_TO_SEND_A_TOKEN = 'Set the variable ACCESSION_TOKEN, or run "accession login URL" once.';

/** Prints why something failed. */
export function complain(message: string): void {
  process.stderr.write(`accession: ${message.trimEnd()}\n`);
}

/** The message of an error, with that of the system or of the database beneath it. */
export function withCause({ message, cause }: ServiceError): string {
  return isExplained(cause) && !message.includes(cause.message) ? `${message} (${cause.message})` : message;
}

type SystemError = Error & { readonly code?: string; readonly path?: string; readonly syscall?: string };

/** Whether an error is explained by its message alone; any other is a defect. */
export function isExplained(error: unknown): error is ServiceError | SystemError {
  return isServiceError(error) || isOfSystem(error);
}

/** Of the file system, of a socket, of SQLite or of PostgreSQL: its message names the location. */
function isOfSystem(error: unknown): error is SystemError {
  return error instanceof Error && ['syscall', 'errcode', 'severity'].some((name) => name in error);
}

/** Errors that people can do something about, in their words. */
const CODES: Readonly<Record<string, string>> = {
  ENOENT: 'does not exist',
  EACCES: 'cannot be accessed: permission denied',
  EPERM: 'cannot be accessed: permission denied',
  EISDIR: 'is a directory, and a file is expected',
  ENOTDIR: 'is not a directory',
  ENOSPC: 'cannot be written: the disk is full',
  EROFS: 'cannot be written: the file system is read-only',
};

function systemMessage({ code = '', message, path, syscall, ...rest }: SystemError): string {
  if (syscall === 'listen') {
    const { port, address } = rest as { readonly port?: number; readonly address?: string };
    if (code === 'EADDRINUSE')
      return `Port ${port} on ${address} is in use by another program: choose another one with --port.`;
    return `The service can't listen on ${address}: ${message}.`;
  }
  return path === undefined || CODES[code] === undefined ? message : `${path} ${CODES[code]}.`;
}

/** An error response of a service, or no response at all. */
function isOfClient(error: unknown): error is ClientError {
  return error instanceof Error && error.name === 'ClientError';
}
