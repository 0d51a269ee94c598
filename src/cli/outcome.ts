/** How commands end: a status, and one plain line on standard error where something is in the way. */
import { ServiceError } from '../errors.ts';

/** The arguments are wrong, or something needed for a start was not given. */
export const USAGE_ERROR = 2;
/** The work could not be done, or found something wrong. */
export const FAILURE = 1;

/** Says why a command ends, and gives its exit status. */
export function complain(message: string, status: number): number {
  process.stderr.write(`accession: ${message.trimEnd()}\n`);
  return status;
}

/**
 * The same for an error that an operator can act on: one of ours, with what the system said beneath it, or one of the
 * system. Any other is thrown on.
 */
export function complainOf(error: unknown, status: number): number {
  if (isOfSystem(error)) return complain(error.message, status);
  if (!(error instanceof ServiceError)) throw error;
  const { message, cause } = error;
  return complain(isOfSystem(cause) ? `${message} (${cause.message})` : message, status);
}

/** Of the file system or of SQLite: its message names the place. */
function isOfSystem(error: unknown): error is Error {
  return error instanceof Error && ('syscall' in error || 'errcode' in error);
}
