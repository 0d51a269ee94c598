/**
 * A server without routes: what it takes of requests, and how errors are answered and requests are logged; and that of a
 * service whose database is not available yet, which answers every request with 503.
 */
import type { IncomingMessage } from 'node:http';
import {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  fastify,
  LogController,
} from 'fastify';
import type { Logger } from 'pino';
import { EVERY } from '../durations.ts';
import { ServiceError } from '../errors.ts';
import { Proxies } from './client.ts';
import { limitConnections } from './connections.ts';
import { cors } from './cors.ts';
import { DEFAULT_LIMITS, type LimitOptions } from './limits.ts';
import { parseQuery } from './query.ts';
import { CORE_STATUSES, replyError, replyToClientError, type Statuses, sendJson } from './reply.ts';
import { logRequests, requestIds, sameLogger } from './request-log.ts';

/** The URL and the headers of a request may have this many bytes together; pids and patterns are part of URLs. */
const HEADER_LIMIT = 64 * 1024;

/**
 * @param given limits that differ from the defaults
 * @param proxies those on other machines, as addresses and subnets
 * @param rewriteUrl how the router gets the URL of a request
 * @param codes the error codes of modules, with their statuses
 */
export function emptyServer(
  logger: Logger,
  given: Partial<LimitOptions> = {},
  proxies: readonly string[] = [],
  rewriteUrl?: (request: IncomingMessage) => string,
  codes: Partial<Statuses> = {},
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
  app.decorate('statuses', { ...CORE_STATUSES, ...codes } as Statuses);
  // Bodies are read by handlers, when it is known who asks.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (_request, stream, done) => done(null, stream));
  app.setErrorHandler(replyError);
  logRequests(app, logger);
  limitConnections(app.server, limits.connections, new Proxies(proxies));
  return app;
}

type WaitingParts = {
  /** Why the service is not ready; asked for each request. */
  readonly problem: () => string;
  readonly version: string;
  readonly origins: readonly string[];
  /** Limits that differ from the defaults. */
  readonly limits?: Partial<LimitOptions>;
  readonly logger: Logger;
};

export function waitingServer({ problem, version, origins, limits, logger }: WaitingParts): FastifyInstance {
  const app = emptyServer(logger, limits);
  app.addHook('onRequest', cors(origins));
  app.addHook('onRequest', async (_request, reply) => {
    // The next request is for the service that listens on the port after this one.
    reply.header('connection', 'close');
  });
  const refuse = () => {
    throw new ServiceError('storage_unavailable', problem());
  };
  const health = async (_request: FastifyRequest, reply: FastifyReply) => {
    const state = { status: 'degraded', version, problems: [problem()] };
    return sendJson(reply.code(503), JSON.stringify(state));
  };
  app.route({ method: 'GET', url: '/-/health', exposeHeadRoute: true, handler: health });
  app.setNotFoundHandler(refuse);
  return app;
}
