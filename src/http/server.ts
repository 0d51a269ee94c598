/** The server: plugins, hooks, and a route for each row of the endpoint table. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import type { AuditLog } from '../audit/audit-log.ts';
import type { PageCache } from '../collections/page-cache.ts';
import type { Registry } from '../collections/registry.ts';
import type { ConfigurationState } from '../config/state.ts';
import { Duplicates } from '../curate/duplicates.ts';
import { ServiceError } from '../errors.ts';
import { Metrics } from '../metrics/metrics.ts';
import { SchemaChanges } from '../migrate/schema-change.ts';
import type { Database } from '../storage/database.ts';
import type { Jobs } from '../work/jobs.ts';
import type { Pool } from '../work/pool.ts';
import type { Projector } from '../work/projector.ts';
import { Bodies } from './bodies.ts';
import { compressAnswers } from './compression.ts';
import { cors } from './cors.ts';
import { emptyServer } from './empty-server.ts';
import { changes, type Endpoint, routeOf, type Service } from './endpoint.ts';
import { ENDPOINTS } from './endpoints.ts';
import { gate, noteAnswering } from './gate.ts';
import { keptHealth } from './health.ts';
import { DEFAULT_LIMITS, type LimitOptions, Limits } from './limits.ts';
import { answerNotFound, RouteTable, withoutEmptyParameters } from './not-found.ts';
import { ApiDescription } from './openapi.ts';
import { refuseChange } from './read-only.ts';
import { samplesOf } from './samples.ts';

export type ServerParts = {
  readonly registry: Registry;
  readonly state: ConfigurationState;
  /** The log of the configuration. */
  readonly audit: AuditLog;
  /** The store directory. */
  readonly root: string;
  readonly database: Database;
  readonly jobs: Pick<Jobs, 'list' | 'stop'>;
  readonly pool: Pool;
  readonly projector: Pick<Projector, 'list' | 'noteRequest'>;
  readonly cache: PageCache;
  /** Why the store accepts no writes; undefined if it does. */
  readonly canWrite: () => Promise<string | undefined>;
  /** For how many milliseconds a state of health is used. */
  readonly healthInterval?: number;
  /** The bytes of the store directory and of the database; null while they are not known. */
  readonly sizes: () => Promise<{
    readonly store_bytes: number | null;
    readonly database_bytes: number | null;
  }>;
  /** The hash of the admin token that the service was started with. */
  readonly bootstrap?: string;
  /** The release of this program. */
  readonly version: string;
  /** Limits that differ from the defaults. */
  readonly limits?: Partial<LimitOptions>;
  /** The hash of the token that may read the metrics. */
  readonly metricsToken?: string;
  /** Where browser clients may come from. */
  readonly origins: readonly string[];
  /** The path below which a proxy makes the service available; empty for none. */
  readonly rootPath: string;
  readonly logger: Logger;
};

/** The server, ready to listen or to be sent requests with `inject`. */
export async function createServer(parts: ServerParts): Promise<FastifyInstance> {
  const { origins, rootPath, logger } = parts;
  const app = emptyServer(logger, parts.limits);
  const service = serviceOf(parts);
  app.addHook('onRequest', takeTypesAsSent);
  app.addHook('onRequest', cors(origins));
  app.addHook('onRequest', gate(service.limits, service.metrics, parts.projector));
  refuseWhileStopping(app);
  const routes = new RouteTable();
  const notFound = answerNotFound(routes, rootPath);
  app.addHook('onRequest', withoutEmptyParameters(notFound));
  app.addHook('onRoute', (route) => routes.add(route));
  app.setNotFoundHandler(notFound);
  await compressAnswers(app);
  for (const endpoint of ENDPOINTS) addRoute(app, service, endpoint);
  return app;
}

/** A browser might take a record that somebody stored for a page, and run the scripts of the record. */
function takeTypesAsSent(_request: FastifyRequest, reply: FastifyReply, done: () => void): void {
  reply.header('x-content-type-options', 'nosniff');
  done();
}

function serviceOf(parts: ServerParts): Service {
  const { state, root, bootstrap, version, rootPath, metricsToken } = parts;
  const options = { ...DEFAULT_LIMITS, ...parts.limits };
  const bodies = new Bodies({ each: options.bodyMebibytes * 2 ** 20 });
  const limits = new Limits(options);
  const administration = { state, root, bootstrap };
  const sampled = { ...parts, bodies, limits };
  return {
    ...parts,
    health: keptHealth(parts, parts.healthInterval),
    administration,
    bodies,
    limits,
    metrics: new Metrics(version, () => samplesOf(sampled)),
    metricsToken,
    schemaChanges: new SchemaChanges({ administration, registry: parts.registry }),
    duplicates: new Duplicates(),
    api: new ApiDescription(ENDPOINTS, { version, rootPath }),
  };
}

function addRoute(app: FastifyInstance, service: Service, endpoint: Endpoint): void {
  const { method, head = false } = endpoint;
  app.route({
    method,
    url: routeOf(endpoint),
    exposeHeadRoute: head,
    ...(service.database.readOnly && changes(endpoint) && { onRequest: refuseChange(ENDPOINTS, endpoint) }),
    handler: (request, reply) =>
      noteAnswering(request, endpoint.handle({ service, endpoint, request, reply })),
  });
}

/** Requests on connections that are still open while the service stops. */
function refuseWhileStopping(app: FastifyInstance): void {
  let stopping = false;
  app.addHook('preClose', async () => {
    stopping = true;
  });
  app.addHook('onRequest', (_request, reply, done) => {
    if (!stopping) return done();
    reply.header('connection', 'close');
    done(new ServiceError('stopping', 'The service is stopping. Try again later.'));
  });
}
