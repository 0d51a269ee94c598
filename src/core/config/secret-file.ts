/**
 * Secrets for other services, in files. Administrators name the file, and the host that its content is sent to: so it is a file of the
 * store that is meant for this, and none of the host.
 */
import { pathToFileURL } from 'node:url';
import { type ErrorCode, ServiceError } from '../errors.ts';
import { readLocal } from '../schema/download.ts';
import { confine } from './paths.ts';

/** The schema of a path in the store directory. */
export const secretFileSchema = {
  type: 'string',
  maxLength: 1000,
  pattern: '^(?!/)(?!(?:.*/)?\\.\\./)[^\\u0000-\\u001f]+\\.secret$',
} as const;

/** Larger files are not read, in bytes. */
const MOST_BYTES = 2 ** 20;
/** Matches the names of such files, also where links lead. */
const NAME = /[^/]\.secret$/;
/** Matches what a secret may be (RFC 6749, A.2). */
const SECRET = /^[\x20-\x7e]{1,4096}$/;

/**
 * Reads a secret, without white space around it.
 *
 * @param root the store directory
 * @param file as configured under `key`, relative to it
 * @throws ServiceError `path_outside_store` for a file elsewhere, `code` for one that cannot be read or has no secret
 */
export async function readSecretFile(
  root: string,
  file: string,
  { key, code }: { readonly key: string; readonly code: ErrorCode },
): Promise<string> {
  const path = confine(root, file, key);
  const refuse = (why: string) => new ServiceError(code, `${path}: ${why}.`);
  if (!NAME.test(path)) throw refuse("expected a name that ends in '.secret'");
  const { text, reason } = await readLocal(pathToFileURL(path), MOST_BYTES);
  if (text === undefined) throw refuse(reason ?? 'the file cannot be read');
  const secret = text.trim();
  if (!SECRET.test(secret)) throw refuse('expected one line of 1–4,096 printable characters of ASCII');
  return secret;
}
