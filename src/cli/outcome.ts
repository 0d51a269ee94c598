/** How commands end: a status, and one line on standard error if something failed. */
import { ServiceError } from '../errors.ts';

/** The work failed. */
export const FAILURE = 1;
/** The arguments are wrong. */
export const USAGE_ERROR = 1;
/** The work is done, and it found problems. */
export const PROBLEMS_FOUND = 2;

/** Reports why a command ends, and returns its exit status. */
export function complain(message: string, status: number): number {
  process.stderr.write(`accession: ${message.trimEnd()}\n`);
  return status;
}

/**
 * The same for an error that an operator can act on: one of ours, with the message of the system beneath it, or one of the
 * system. Any other is thrown again.
 */
export function complainOf(error: unknown, status: number): number {
  if (isOfSystem(error)) return complain(systemMessage(error), status);
  if (isOfClient(error)) return complain(error.message, status);
  if (!(error instanceof ServiceError)) throw error;
  return complain(withCause(error), status);
}

/** The message of an error, with that of the system or of the database beneath it. */
export function withCause({ message, cause }: ServiceError): string {
  return isOfSystem(cause) && !message.includes(cause.message) ? `${message} (${cause.message})` : message;
}

/** Of the file system, of SQLite or of PostgreSQL: its message names the location. */
function isOfSystem(error: unknown): error is Error {
  return error instanceof Error && ['syscall', 'errcode', 'severity'].some((name) => name in error);
}

/** What people can do something about, in their words. */
const CODES: Readonly<Record<string, string>> = {
  ENOENT: 'does not exist',
  EACCES: 'cannot be accessed: permission denied',
  EPERM: 'cannot be accessed: permission denied',
  EISDIR: 'is a directory, and a file is expected',
  ENOTDIR: 'is not a directory',
  ENOSPC: 'cannot be written: the disk is full',
  EROFS: 'cannot be written: the file system is read-only',
};

function systemMessage(error: Error & { code?: string; path?: string }): string {
  const words = CODES[error.code ?? ''];
  return words === undefined || error.path === undefined ? error.message : `${error.path} ${words}.`;
}

/** An error response of a service, or no response at all. */
function isOfClient(error: unknown): error is Error {
  return error instanceof Error && error.name === 'ClientError';
}
