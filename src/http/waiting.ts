/** The server of a service whose database is not available yet: it answers every request with 503. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { ServiceError } from '../errors.ts';
import { cors } from './cors.ts';
import { emptyServer } from './empty-server.ts';
import type { LimitOptions } from './limits.ts';
import { sendJson } from './reply.ts';

export type WaitingParts = {
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
    // The next request is for the service that takes over the port.
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
