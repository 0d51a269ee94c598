/** The text of a body. */
import { ServiceError } from '../errors.ts';

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** @throws ServiceError `body_malformed` for an empty body and for one that is not UTF-8 */
export function decodeBody(body: Uint8Array): string {
  if (body.length === 0) throw new ServiceError('body_malformed', 'The request has no body.');
  try {
    return utf8.decode(body);
  } catch {
    throw new ServiceError('body_malformed', 'The body is not UTF-8.');
  }
}
