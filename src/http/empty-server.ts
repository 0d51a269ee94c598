/** A server without routes: what it takes of requests, and how errors are answered and requests are logged. */
import type { IncomingMessage } from 'node:http';
import { type FastifyBaseLogger, type FastifyInstance, fastify, LogController } from 'fastify';
import type { Logger } from 'pino';
import { EVERY } from '../durations.ts';
import { DEFAULT_LIMITS, type LimitOptions } from './limits.ts';
import { parseQuery } from './query.ts';
import { replyError, replyToClientError } from './reply.ts';
import { logRequests, requestIds, sameLogger } from './request-log.ts';

/** The URL and the headers of a request may have this many bytes together; pids and patterns are part of URLs. */
const HEADER_LIMIT = 64 * 1024;

/** The most open connections; further ones are closed at once. */
const MOST_CONNECTIONS = 10_000;

/**
 * @param given limits that differ from the defaults
 * @param proxies those on other machines, as addresses and subnets
 * @param rewriteUrl how the router gets the URL of a request
 */
export function emptyServer(
  logger: Logger,
  given: Partial<LimitOptions> = {},
  proxies: readonly string[] = [],
  rewriteUrl?: (request: IncomingMessage) => string,
): FastifyInstance {
  const limits = { ...DEFAULT_LIMITS, ...given };
  const app = fastify({
    loggerInstance: logger as FastifyBaseLogger,
    // One line for each request is ours, see `request-log.ts`.
    logController: new LogController({ disableRequestLogging: true }),
    childLoggerFactory: sameLogger,
    requestIdHeader: false,
    genReqId: requestIds(),
    ...(rewriteUrl && { rewriteUrl }),
    bodyLimit: limits.bodyMebibytes * 2 ** 20,
    exposeHeadRoutes: false,
    frameworkErrors: replyError,
    clientErrorHandler: replyToClientError,
    return503OnClosing: false,
    requestTimeout: limits.requestSeconds * 1000,
    // Proxies report which protocol and host their clients use; redirects need them.
    trustProxy: ['loopback', ...proxies],
    http: {
      maxHeaderSize: HEADER_LIMIT,
      headersTimeout: Math.min(limits.headerSeconds, limits.requestSeconds) * 1000,
      connectionsCheckingInterval: Math.min(EVERY.connections, limits.headerSeconds * 250),
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
