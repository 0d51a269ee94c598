/**
 * Cross-origin requests, for browser clients on the origins that `--origins` names. Headers are set
 * before anything else happens, so that errors carry them too: a client cannot read an answer without them.
 */
import type { FastifyReply, FastifyRequest } from 'fastify';

const METHODS = 'DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT';
/** Always allowed, whatever a preflight asks for. */
const HEADERS =
  'Accept, Accept-Language, Authorization, Content-Language, Content-Type, X-DumpThings-Token, X-Service-Token';
/** Headers that scripts may read, beyond the few that they always may. */
const EXPOSED =
  'Accession-Dangling, Accession-Duplicates, Accession-Error, Accession-Ignored, Accession-Newly-Invalid, Accession-Referrers, Accession-Revision, Content-Location, ETag, Location, Retry-After, X-Request-Id';
const MAX_AGE_SECONDS = '600';

/** The hook for one list of origins; `*` means all. */
export function cors(origins: readonly string[]) {
  const all = origins.includes('*');
  const allowed = new Set(origins);
  return (request: FastifyRequest, reply: FastifyReply, done: () => void): void => {
    // Also without an origin, or with one that is not allowed: a cache must not return that response to an allowed one.
    if (allowed.size > 0) reply.header('vary', 'Origin');
    const { origin } = request.headers;
    if (origin === undefined) return void done();
    const accepted = all || allowed.has(origin);
    const isPreflight =
      request.method === 'OPTIONS' && request.headers['access-control-request-method'] !== undefined;
    if (accepted) {
      // With `*`, any site may ask, and none of them with the credentials of the user's browser.
      reply.header('access-control-allow-origin', allowed.has(origin) ? origin : '*');
      if (allowed.has(origin)) reply.header('access-control-allow-credentials', 'true');
      if (!isPreflight) reply.header('access-control-expose-headers', EXPOSED);
    }
    if (!isPreflight) return void done();
    reply.header('content-type', 'text/plain; charset=utf-8');
    if (!accepted) return void reply.code(400).send('the origin is not allowed');
    const requested = request.headers['access-control-request-headers'];
    reply.header('access-control-allow-methods', METHODS);
    reply.header('access-control-allow-headers', requested ?? HEADERS);
    reply.header('access-control-max-age', MAX_AGE_SECONDS);
    reply.code(200).send('OK');
  };
}
