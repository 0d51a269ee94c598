/** The id of a request, which its response carries, and a line in the log for each request. */
import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';

const HEADER = 'x-request-id';
/** The ids that clients may send: they are copied into logs and headers. */
const GIVEN = /^[\w.:-]{1,64}$/;

/**
 * The ids of the requests of a process: that of the client or proxy, if it has a usable one. Others are counted, since
 * random ones would cost as much as all of a cached response; the random beginning is of this process alone.
 */
export function requestIds(): (request: IncomingMessage) => string {
  const beginning = randomBytes(6).toString('base64url');
  let count = 0;
  return ({ headers }) => {
    const given = headers[HEADER];
    if (typeof given === 'string' && GIVEN.test(given)) return given;
    return `${beginning}-${(++count).toString(36)}`;
  };
}

/** Who made a request, as far as it is known; never a secret. */
type Requester = {
  readonly collection: string;
  readonly area: string | undefined;
  readonly user: string | undefined;
  /** The name of the token in the configuration. */
  readonly token: string | undefined;
};

/** The URL of a request for logs: without the query, if that has secrets. */
export function loggedUrl({ originalUrl, routeOptions }: FastifyRequest): string {
  return routeOptions.config.secretQuery ? (originalUrl.split('?')[0] ?? '') : originalUrl;
}

/** Requests have no loggers of their own: their lines name the id. */
export function sameLogger<L>(logger: L): L {
  return logger;
}

/** Every response has the id of its request; at the level `info`, every request has a line in the log. */
export function logRequests(app: FastifyInstance, logger: Logger): void {
  app.decorateRequest('requester', undefined);
  app.decorateRequest('acceptedToken', undefined);
  app.addHook('onRequest', (request, reply, done) => {
    reply.header(HEADER, request.id);
    done();
  });
  if (!logger.isLevelEnabled('info')) return;
  app.addHook('onResponse', (request, reply, done) => {
    const { id, method, requester } = request;
    const milliseconds = Math.round(reply.elapsedTime * 10) / 10;
    logger.info(
      { request: id, method, url: loggedUrl(request), status: reply.statusCode, milliseconds, ...requester },
      'request',
    );
    done();
  });
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** See `Endpoint`. */
    secretQuery?: boolean;
  }
  interface FastifyRequest {
    /** Who made the request, once it is known. */
    requester: Requester | undefined;
  }
}
