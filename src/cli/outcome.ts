/** How commands end: a status, and one plain line on standard error where something is in the way. */

/** The arguments are wrong, or something needed for a start was not given. */
export const USAGE_ERROR = 2;
/** The work could not be done, or found something wrong. */
export const FAILURE = 1;

/** Says why a command ends, and gives its exit status. */
export function complain(message: string, status: number): number {
  process.stderr.write(`accession: ${message.trimEnd()}\n`);
  return status;
}
