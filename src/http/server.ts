/** All plugins on one screen, all routes on the next. */
import {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  fastify,
  LogController,
} from 'fastify';
import type { Logger } from 'pino';
import type { AuditLog } from '../audit/audit-log.ts';
import type { Registry } from '../collections/registry.ts';
import type { ConfigurationState } from '../config/state.ts';
import { elementKinds, listElements, putElement, readElement, removeElement } from './admin.ts';
import { batch } from './batch.ts';
import { BODY_LIMIT } from './body.ts';
import { compressAnswers } from './compression.ts';
import { cors } from './cors.ts';
import { docsAsset, docsPage } from './docs.ts';
import { exportArea } from './export.ts';
import { readConfigurationHistory, readFormerState, readHistory, restoreFormerState } from './history.ts';
import { answerNotFound, RouteTable, withoutEmptyParameters } from './not-found.ts';
import { openApi } from './openapi.ts';
import { parseQuery } from './query.ts';
import {
  deleteRecord,
  listLabels,
  listRecords,
  pageRecords,
  readRecord,
  storeRecord,
  validateRecord,
} from './records.ts';
import { replyError, replyToClientError } from './reply.ts';
import { health, ready, serverInformation, switchMaintenance } from './service.ts';
import { leaveWhenSent, targets } from './targets.ts';

export type ServerParts = {
  readonly registry: Registry;
  readonly state: ConfigurationState;
  /** The log of the configuration. */
  readonly audit: AuditLog;
  /** The store directory. */
  readonly root: string;
  /** The hash of the admin token that the service was started with. */
  readonly bootstrap?: string;
  /** The release of this program. */
  readonly version: string;
  /** Where browser clients may come from. */
  readonly origins: readonly string[];
  /** The path below which a proxy makes the service available; empty for none. */
  readonly rootPath: string;
  readonly logger: Logger;
};

/** The address and the headers of a request may have this many bytes together; pids and patterns stand in addresses. */
const HEADER_LIMIT = 64 * 1024;

/** The server, ready to listen or to be sent requests with `inject`. */
export async function createServer(parts: ServerParts): Promise<FastifyInstance> {
  const { origins, rootPath, logger } = parts;
  const tellsRequests = logger.isLevelEnabled('info');
  const app = fastify({
    loggerInstance: logger as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: !tellsRequests }),
    // A logger for each request is made where there is something to log of each.
    childLoggerFactory: (parent, bindings, options) =>
      tellsRequests ? parent.child(bindings, options) : parent,
    bodyLimit: BODY_LIMIT,
    exposeHeadRoutes: false,
    frameworkErrors: replyError,
    clientErrorHandler: replyToClientError,
    // A proxy on the same machine tells which protocol and host its clients use; redirects need them.
    trustProxy: 'loopback',
    http: { maxHeaderSize: HEADER_LIMIT },
    routerOptions: { querystringParser: parseQuery, maxParamLength: HEADER_LIMIT },
  });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    '*',
    { parseAs: 'buffer' },
    async (_request: FastifyRequest, body: Buffer) => body,
  );
  app.setErrorHandler(replyError);
  app.addHook('onRequest', cors(origins));
  const routes = new RouteTable();
  const notFound = answerNotFound(routes, rootPath);
  app.addHook('onRequest', withoutEmptyParameters(notFound));
  app.addHook('onRoute', (route) => routes.add(route));
  app.setNotFoundHandler(notFound);
  app.decorateRequest('collection', undefined);
  app.addHook('onSend', leaveWhenSent);
  await compressAnswers(app);
  addRoutes(app, parts);
  return app;
}

function addRoutes(app: FastifyInstance, parts: ServerParts): void {
  const { registry, state, audit, root, bootstrap, version, rootPath } = parts;
  const admin = { state, root, bootstrap };
  const toDocs = async (_request: unknown, reply: FastifyReply) => reply.redirect(`${rootPath}/docs`, 307);
  app.get('/', toDocs);
  // The peer answers HEAD here, and nowhere else.
  const described = { exposeHeadRoute: true };
  app.get('/docs', described, docsPage);
  app.get('/redoc', described, docsPage);
  app.get('/docs/:asset', docsAsset);
  app.get('/openapi.json', described, openApi(registry, { version, rootPath }));
  app.get('/server', serverInformation(registry));
  app.post('/maintenance', switchMaintenance(registry, state));
  app.get('/-/health', health(version, registry, audit));
  app.get('/-/ready', ready(registry));
  app.get('/-/history', readConfigurationHistory(admin, audit));

  for (const kind of elementKinds) {
    app.post(kind.path, putElement(kind, admin, 'create'));
    app.put(kind.path, putElement(kind, admin, 'create or replace'));
    app.put(`${kind.path}/:name`, putElement(kind, admin, 'create or replace'));
    app.get(kind.path, listElements(kind, admin));
    app.get(`${kind.path}/:name`, readElement(kind, admin));
    app.delete(`${kind.path}/:name`, removeElement(kind, admin));
  }

  const { user, curated, incoming, zones } = targets(registry);
  app.get('/-/:collection/history', readHistory(curated));
  app.get('/-/:collection/history/record', readFormerState(curated));
  app.post('/-/:collection/history/restore', restoreFormerState(curated));
  app.post('/:collection/validate/record/:class', validateRecord(user));
  app.post('/:collection/validate/:class', validateRecord(user));
  app.get('/:collection/incoming/', listLabels(zones));
  for (const [prefix, area, answer] of [
    ['/:collection', user, 'records'],
    ['/:collection/curated', curated, 'null'],
    ['/:collection/incoming/:label', incoming, 'null'],
  ] as const) {
    app.post(`${prefix}/record/:class`, storeRecord(area, answer));
    app.get(`${prefix}/record`, readRecord(area));
    app.delete(`${prefix}/record`, deleteRecord(area));
    app.get(`${prefix}/records/`, listRecords(area));
    app.get(`${prefix}/records/:class`, listRecords(area));
    app.get(`${prefix}/records/p/`, pageRecords(area));
    app.get(`${prefix}/records/p/:class`, pageRecords(area));
    app.post(`/-${prefix}/records/`, batch(area, 'submit to'));
    app.post(`/-${prefix}/records/:class`, batch(area, 'submit to'));
    app.post(`/-${prefix}/validate/records/`, batch(area, 'validate records for'));
    app.post(`/-${prefix}/validate/records/:class`, batch(area, 'validate records for'));
    app.get(`/-${prefix}/export`, exportArea(area));
  }
}
