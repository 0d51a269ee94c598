/** Who is an administrator: the admin tokens of the configuration, and the one that the operator starts with. */
import { timingSafeEqual } from 'node:crypto';
import { sha256 } from '../access/config-tokens.ts';
import { ServiceError } from '../errors.ts';
import type { Configuration } from './config.ts';
import { BOOTSTRAP_NAME } from './names.ts';

/**
 * The hash of the admin token that the service is started with: the command line option wins, then
 * `ACCESSION_ADMIN_TOKEN`, then the peer's `DTS_ADMIN_TOKEN`, both in plain text.
 *
 * @param option the value of `--admin-token-hash`
 * @throws ServiceError `hash_malformed`
 */
export function bootstrapHash(
  option: string | undefined,
  environment: NodeJS.ProcessEnv,
): string | undefined {
  if (option) return tokenHash(option, '--admin-token-hash');
  const secret = environment.ACCESSION_ADMIN_TOKEN || environment.DTS_ADMIN_TOKEN;
  return secret ? sha256(secret) : undefined;
}

/** The hash of the token that may read `/-/metrics`, from `ACCESSION_METRICS_TOKEN`. */
export function metricsHash({ ACCESSION_METRICS_TOKEN: secret }: NodeJS.ProcessEnv): string | undefined {
  return secret ? sha256(secret) : undefined;
}

/** Whether a token has this hash, compared in constant time. */
export function isHashOf(hash: string | undefined, token: string | undefined): boolean {
  if (hash === undefined || !token) return false;
  return isSameDigest(Buffer.from(sha256(token)), Buffer.from(hash));
}

/**
 * The name of the admin token that was presented.
 *
 * @param bootstrap the hash that the service was started with
 * @param other the name of the token, if it is one of collections
 * @param required the start of the message
 * @throws ServiceError `token_required`, `token_refused`
 */
export function authenticateAdmin(
  { admin_tokens }: Configuration,
  bootstrap: string | undefined,
  token: string | undefined,
  other?: string,
  required = 'Administration requires an admin token',
): string {
  if (!token) throw new ServiceError('token_required', `${required}, and the request has none.`);
  const presented = Buffer.from(sha256(token));
  const names = [...Object.entries(admin_tokens), ...bootstrapEntry(bootstrap)]
    .filter(([, { representation }]) => isSameDigest(presented, Buffer.from(representation.toLowerCase())))
    .map(([name]) => name);
  if (names[0] === undefined) {
    const found = other === undefined ? 'the token of the request is not valid' : `'${other}' is not one`;
    throw new ServiceError('token_refused', `${required}, and ${found}.`);
  }
  return names[0];
}

/** The bootstrap token, which is last in the list of admin tokens, if there is one. */
export function bootstrapEntry(bootstrap: string | undefined): [string, { representation: string }][] {
  return bootstrap === undefined ? [] : [[BOOTSTRAP_NAME, { representation: bootstrap }]];
}

function isSameDigest(a: Buffer, b: Buffer): boolean {
  return a.length === b.length && timingSafeEqual(a, b);
}

/**
 * A hash in lower case, as hashes are computed and compared.
 *
 * @param what names the value in the error
 * @throws ServiceError `hash_malformed`
 */
export function tokenHash(text: string, what: string): string {
  if (/^[0-9a-f]{64}$/i.test(text)) return text.toLowerCase();
  const expected = 'the SHA-256 hash of the token, 64 hexadecimal digits';
  throw new ServiceError('hash_malformed', `${what}: expected ${expected}.`);
}
