/** Who asks: the token of a request, and what it is granted in a collection (specification 5). */
import type { IncomingHttpHeaders } from 'node:http';
import type { Grant } from '../access/grant.ts';
import { ServiceError } from '../errors.ts';

/** What a collection tells about who may use it. */
export type Guarded = {
  readonly name: string;
  authorize(token: string | undefined): Promise<Grant>;
  inMaintenance(): boolean;
};

const TOKEN_HEADER = 'x-service-token';
/** The name that clients of the peer use. */
const TOKEN_HEADER_ALIAS = 'x-dumpthings-token';

/** The token of a request; undefined for none, as for an empty header. */
export function presentedToken(headers: IncomingHttpHeaders): string | undefined {
  const ours = headers[TOKEN_HEADER] || undefined;
  const alias = headers[TOKEN_HEADER_ALIAS] || undefined;
  if (ours !== undefined && alias !== undefined && ours !== alias) {
    throw new ServiceError(
      'header_conflict',
      'The headers X-Service-Token and X-DumpThings-Token hold different tokens: send one of them.',
    );
  }
  const token = ours ?? alias;
  return token === undefined ? undefined : String(token);
}

/**
 * The grant of a request in a collection.
 *
 * @param need `token` where the default token does not do: the curation endpoints
 * @throws ServiceError `token_required`, `token_refused`, `header_conflict`; `maintenance` for everyone but curators of
 *   a collection that is in maintenance mode (specification 3)
 */
export async function authenticate(
  collection: Guarded,
  headers: IncomingHttpHeaders,
  need?: 'token',
): Promise<Grant> {
  const token = presentedToken(headers);
  if (need === 'token' && token === undefined) {
    throw new ServiceError(
      'token_required',
      'The curated area and the incoming zones need a token, and none was given.',
    );
  }
  const grant = await collection.authorize(token);
  if (collection.inMaintenance() && !grant.permissions.curate) {
    throw new ServiceError(
      'maintenance',
      `The collection '${collection.name}' is under maintenance: only curators have access for now.`,
    );
  }
  return grant;
}
