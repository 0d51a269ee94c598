/**
 * The secret of a client in a file. Administrators name the file, and the issuer that its content is sent to: so it is a file of the
 * store that is meant for this, and none of the host.
 */
import { pathToFileURL } from 'node:url';
import { confine } from '../../core/config/paths.ts';
import { ServiceError } from '../../core/errors.ts';
import { readLocal } from '../../core/schema/download.ts';

/** Larger files are not read, in bytes. */
const MOST_BYTES = 2 ** 20;
/** Matches the names of such files, also where links lead. */
const NAME = /[^/]\.secret$/;
/** Matches what a secret may be (RFC 6749, A.2). */
const SECRET = /^[\x20-\x7e]{1,4096}$/;

/**
 * Reads the secret of a client, without white space around it.
 *
 * @param root the store directory
 * @param file as configured, relative to it
 * @throws ServiceError `path_outside_store` for a file elsewhere, `sign_in_unavailable` for one that cannot be read or has no secret
 */
export async function readClientSecret(root: string, file: string): Promise<string> {
  const path = confine(root, file, 'client_secret_file');
  const refuse = (why: string) => new ServiceError('sign_in_unavailable', `${path}: ${why}.`);
  if (!NAME.test(path)) throw refuse("expected a name that ends in '.secret'");
  const { text, reason } = await readLocal(pathToFileURL(path), MOST_BYTES);
  if (text === undefined) throw refuse(reason ?? 'the file cannot be read');
  const secret = text.trim();
  if (!SECRET.test(secret)) throw refuse('expected one line of 1–4,096 printable characters of ASCII');
  return secret;
}
