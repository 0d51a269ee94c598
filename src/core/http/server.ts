/** The server: plugins, hooks, and a route for each row of the endpoint table. */
import compress from '@fastify/compress';
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import { TIMEOUT } from '../durations.ts';
import { ServiceError } from '../errors.ts';
import type { Gauges } from '../metrics/metrics.ts';
import { readOnlyWork } from '../storage/open-database.ts';
import { workFor } from '../work/admission.ts';
import { Proxies } from './client.ts';
import { collectionPaths } from './collection-paths.ts';
import { CODINGS, negotiateCodings } from './content-codings.ts';
import { cors } from './cors.ts';
import { emptyServer } from './empty-server.ts';
import { answersHead, type Call, changes, type Endpoint, routeOf } from './endpoint.ts';
import { encodedTag } from './etag.ts';
import { gate, noteHandling, onResponseStart } from './gate.ts';
import { serviceOf } from './make-service.ts';
import { answerNotFound, RouteTable, withoutEmptyParameters } from './not-found.ts';
import { addVary, type Statuses, setCaching } from './reply.ts';
import type { ServerParts, Service } from './service.ts';

/** What the server has, besides the parts of the service. */
type Table = {
  /** The endpoints of the core and of all modules. */
  readonly endpoints: readonly Endpoint[];
  /** The error codes of modules, with their statuses. */
  readonly codes: Partial<Statuses>;
  /** The gauges of modules. */
  readonly gauges: Gauges;
};

/** The server, ready to listen or to be sent requests with `inject`. */
export async function createServer(
  parts: ServerParts,
  { endpoints, codes, gauges }: Table,
): Promise<FastifyInstance> {
  const { registry, origins, rootPath, logger } = parts;
  const routed = collectionPaths(endpoints, () => registry.current().configuration);
  const app = emptyServer(logger, parts.limits, parts.proxies, routed, codes);
  const service = serviceOf(parts, { endpoints, gauges });
  app.addHook('onRequest', dropUnreadableType);
  app.addHook('onRequest', takeTypesAsSent);
  app.addHook('onRequest', cors(origins));
  app.addHook('onRequest', keepApart);
  app.addHook(
    'onRequest',
    gate(service.limits, new Proxies(parts.proxies), service.metrics, parts.projector),
  );
  app.addHook('onSend', onResponseStart(service.responses));
  refuseWhileStopping(app, service);
  const routes = new RouteTable();
  const notFound = answerNotFound(routes, rootPath);
  app.addHook('onRequest', withoutEmptyParameters(notFound));
  app.addHook('onRoute', (route) => routes.add(route));
  app.setNotFoundHandler(notFound);
  await compressAnswers(app);
  for (const endpoint of endpoints) addRoute(app, service, endpoint, endpoints);
  return app;
}

/** Removes a `Content-Type` that is not a media type: as in the peer, it says as little as none, where fastify refuses the request. */
function dropUnreadableType(request: FastifyRequest, _reply: FastifyReply, done: () => void): void {
  if (request.mediaType === undefined) delete request.raw.headers['content-type'];
  done();
}

/** A browser might take a record that somebody stored for a page, and run the scripts of the record. */
function takeTypesAsSent(_request: FastifyRequest, reply: FastifyReply, done: () => void): void {
  reply.header('x-content-type-options', 'nosniff');
  done();
}

/** Responses depend on the token, which is in headers that caches do not know. */
function keepApart(_request: FastifyRequest, reply: FastifyReply, done: () => void): void {
  setCaching(reply);
  addVary(reply, 'X-Service-Token, X-DumpThings-Token, Authorization');
  done();
}

function addRoute(
  app: FastifyInstance,
  service: Service,
  endpoint: Endpoint,
  all: readonly Endpoint[],
): void {
  const { method, path } = endpoint;
  const handle =
    changes(endpoint) || endpoint.writes
      ? endpoint.handle
      : (call: Call) => readOnlyWork(`${method} ${path}`, () => endpoint.handle(call));
  app.route({
    method,
    url: routeOf(endpoint),
    exposeHeadRoute: answersHead(endpoint),
    ...(endpoint.secretQuery && { config: { secretQuery: true } }),
    ...(service.database.readOnly && changes(endpoint) && { onRequest: refuseChange(all, endpoint) }),
    handler: (request, reply) =>
      noteHandling(
        request,
        workFor(request.client, () => handle({ service, endpoint, request, reply })),
      ),
  });
}

/** Requests on connections that are still open while the service stops. */
function refuseWhileStopping(app: FastifyInstance, { wakeups }: Service): void {
  let stopping = false;
  app.addHook('preClose', async () => {
    stopping = true;
    wakeups.close();
  });
  app.addHook('onRequest', (_request, reply, done) => {
    if (!stopping) return done();
    reply.header('connection', 'close');
    done(new ServiceError('stopping', 'The service is stopping. Try again later.'));
  });
}

/** Matches media types that are worth compressing, if the client asks for it. An event would wait for the next ones. */
const COMPRESSIBLE = /^(text\/(?!event-stream)|application\/(json|ld\+json|n-quads|x-ndjson|xml))/;

/**
 * Compresses answers with Brotli or gzip if the client asks for it. Each coding is a separate representation: an entity tag is
 * strong, so no two of them may share one (RFC 9110, 8.8.3.3), and caches have to know that there are several.
 */
async function compressAnswers(app: FastifyInstance): Promise<void> {
  app.addHook('onRequest', negotiateCodings);
  await app.register(compress, { encodings: [...CODINGS], customTypes: COMPRESSIBLE });
  // The hooks of a route run in the order in which they were added: this one after those that decide on compression.
  app.addHook('onRoute', (route: RouteOptions) => {
    if ([route.method].flat().includes('GET')) route.onSend = [route.onSend ?? [], tellCoding].flat();
  });
}

function tellCoding(
  _request: FastifyRequest,
  reply: FastifyReply,
  payload: unknown,
  done: (error: null, payload: unknown) => void,
): void {
  const etag = reply.getHeader('etag');
  if (typeof etag === 'string') {
    const coding = reply.getHeader('content-encoding');
    if (typeof coding === 'string') reply.header('etag', encodedTag(etag, coding));
    // A compressed response already has the header.
    else addVary(reply, 'accept-encoding');
  }
  done(null, payload);
}

/**
 * The hook of a process that only reads the store: it refuses whatever would change anything, before a token or a body is read.
 *
 * @param all the table, for the methods that are left on the path
 */
function refuseChange(all: readonly Endpoint[], { method, path }: Endpoint) {
  const left = all.filter((other) => other.path === path && !changes(other));
  const allow = left.flatMap((other) => [other.method, ...(answersHead(other) ? ['HEAD'] : [])]).sort();
  return (_request: FastifyRequest, reply: FastifyReply, done: (error: Error) => void): void => {
    reply.header('allow', allow.join(', '));
    const why = `This process only reads the store, so ${method} is not supported here.`;
    done(new ServiceError('read_only', `${why} Send changes to the service that owns the store.`));
  };
}

/** Waits for requests, but not for clients that hold a connection without asking for anything. */
export async function closeServer(server: FastifyInstance): Promise<void> {
  const closeIdle = setInterval(() => server.server.closeIdleConnections(), 50);
  const closeAll = setTimeout(() => server.server.closeAllConnections(), TIMEOUT.lastRequests);
  try {
    await server.close();
  } finally {
    clearInterval(closeIdle);
    clearTimeout(closeAll);
  }
}
