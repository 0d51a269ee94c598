/** Hashes of tokens: SHA-256 in hexadecimal digits (specification 2.6 and 2.7). */
import { ServiceError } from '../errors.ts';

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
