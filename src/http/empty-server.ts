/** A server without routes: what it takes of requests, and how errors are answered and requests are logged. */
import { type FastifyBaseLogger, type FastifyInstance, fastify, LogController } from 'fastify';
import type { Logger } from 'pino';
import { BODY_LIMIT } from './bodies.ts';
import { parseQuery } from './query.ts';
import { replyError, replyToClientError } from './reply.ts';
import { logRequests, requestId } from './request-log.ts';

/** The URL and the headers of a request may have this many bytes together; pids and patterns are part of URLs. */
const HEADER_LIMIT = 64 * 1024;
/** How long clients have for the headers of a request, and for all of it; slow bodies end earlier, see `bodies.ts`. */
const HEADERS_TIMEOUT_MS = 20_000;
const REQUEST_TIMEOUT_MS = 300_000;
/** How often connections are checked for that. */
const CHECK_INTERVAL_MS = 5_000;

/** So many connections are open at the same time; more are closed at once. */
const MOST_CONNECTIONS = 10_000;

export function emptyServer(logger: Logger): FastifyInstance {
  const app = fastify({
    loggerInstance: logger as FastifyBaseLogger,
    // One line for each request is ours, see `request-log.ts`.
    logController: new LogController({ disableRequestLogging: true }),
    childLoggerFactory: (parent) => parent,
    requestIdHeader: false,
    genReqId: requestId,
    bodyLimit: BODY_LIMIT,
    exposeHeadRoutes: false,
    frameworkErrors: replyError,
    clientErrorHandler: replyToClientError,
    return503OnClosing: false,
    requestTimeout: REQUEST_TIMEOUT_MS,
    // A proxy on the same machine reports which protocol and host its clients use; redirects need them.
    trustProxy: 'loopback',
    http: {
      maxHeaderSize: HEADER_LIMIT,
      headersTimeout: HEADERS_TIMEOUT_MS,
      connectionsCheckingInterval: CHECK_INTERVAL_MS,
    },
    routerOptions: { querystringParser: parseQuery, maxParamLength: HEADER_LIMIT },
  });
  // Bodies are read by handlers, when it is known who asks.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (_request, stream, done) => done(null, stream));
  app.setErrorHandler(replyError);
  logRequests(app, logger);
  app.server.maxConnections = MOST_CONNECTIONS;
  return app;
}
