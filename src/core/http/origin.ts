/** The URLs of the service, as a client finds them. */
import { ServiceError } from '../errors.ts';
import type { Call } from './endpoint.ts';

/** A name or an address, with a port. */
const HOST = /^(?:[\w.-]+|\[[\da-f:.]+\])(?::\d{1,5})?$/i;

type OriginSource = Pick<Call, 'request'> & { readonly service: Pick<Call['service'], 'rootPath'> };

/**
 * Where the service is found by this client, without a slash at the end: as the client or a trusted proxy names it.
 *
 * @throws ServiceError `request_malformed` for what is not a host (RFC 9110, 7.2): it would be part of links and redirects
 */
export function originOf({ service, request: { protocol, host } }: OriginSource): string {
  if (!HOST.test(host))
    throw new ServiceError('request_malformed', 'The header Host or X-Forwarded-Host does not name a host.');
  return `${protocol === 'https' ? 'https' : 'http'}://${host}${service.rootPath}`;
}

/**
 * Whether a name that ends a path, with `%2F` for its slashes, leads to itself. Clients resolve `.` and `..` before they send
 * a request (RFC 3986, 5.2.4). nginx and Caddy resolve them behind `%2F` too, to choose a location: `..` must not leave the
 * name, or another location answers, or 400.
 */
export function isFoundInPath(name: string): boolean {
  let depth = 0;
  for (const segment of name.split('/')) {
    if (segment === '..' && depth-- === 0) return false;
    if (segment !== '' && segment !== '.' && segment !== '..') depth++;
  }
  return name !== '.';
}

/** The URL of a collection, below which the endpoints are that the peer does not have. */
export function collectionUrl(origin: string, collection: string): string {
  return `${origin}/-/${encodeURIComponent(collection)}`;
}
