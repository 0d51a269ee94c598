/** The service as a whole: what it is, whether it is well, its description, and the maintenance mode of collections. */
import type { FastifyReply } from 'fastify';
import { JsonText } from '#linkml/json.ts';
import { booleanOf } from '../../config/as-written.ts';
import { ServiceError } from '../../errors.ts';
import { listOf, objectOf, textSchema } from '../../shapes.ts';
import { presentedToken } from '../client.ts';
import { desk } from '../desk.ts';
import { docsAsset, docsPage } from '../docs.ts';
import { type Call, type Endpoint, row } from '../endpoint.ts';
import { administratorOf, collectionNamed, heldCollection, needing } from '../enter.ts';
import { clientHas } from '../etag.ts';
import { addVary } from '../reply.ts';
import { replying, replyingTo } from '../replying.ts';
import type { FromSchema } from '../schema-types.ts';
import type { Service } from '../service.ts';
import { jsonAnswer, maintenanceSchema, NULL, ref, TRUE } from './schemas.ts';

/** The release of the interface that the service implements (specification 9). */
const INTERFACE_VERSION = '6.3.3';

/** The features of the service (specification 2.3). */
function serverInformation({ registry }: Service) {
  const { collections } = registry.current();
  return {
    version: INTERFACE_VERSION,
    collections: [...collections.values()].map(({ name, config, classes }) => ({
      name,
      schema: config.schema,
      classes,
    })),
  };
}

/** The token of a request for the maintenance mode (specification 2.4 and 3). @throws ServiceError `maintenance_refused` */
const enterWithToken = needing('maintenance', ({ request }): string => {
  const token = presentedToken(request.headers);
  if (token !== undefined) return token;
  throw new ServiceError(
    'maintenance_refused',
    'The maintenance mode requires a curator token, and the request has no token.',
  );
});

const enterPublic = needing('public', (call) => call);

async function switchMaintenance(
  token: string,
  { collection: name, active }: FromSchema<typeof maintenanceSchema>,
  _: object,
  { service, request }: Call,
): Promise<null> {
  const { permissions } = await (await collectionNamed(service, name, request)).authorize(token);
  if (!permissions.curate) {
    throw new ServiceError(
      'maintenance_refused',
      `The maintenance mode of the collection '${name}' requires a curator token.`,
    );
  }
  // The peer's client sends `On` and `Off`.
  await service.state.setMaintenance(name, booleanOf(active) === true);
  return null;
}

/**
 * Whether requests can be served. Names of collections are public; the reasons, which may have paths, are for administrators.
 *
 * @throws ServiceError `storage_damaged`; `collection_unavailable` if none of the configured collections could be opened
 */
async function ready(call: Call) {
  const { state, registry, database } = call.service;
  await state.checkStore();
  const damage = await database.problem();
  if (damage !== undefined) throw new ServiceError('storage_damaged', `The service is not ready: ${damage}.`);
  await database.requireWritable();
  const { collections, unavailable } = registry.current();
  const names = [...unavailable.keys()];
  const isAdministrator = administratorOf(call) !== undefined;
  const reasons = [...unavailable.values()].map(({ name, explained: { message } }) => [name, message]);
  if (names.length > 0 && collections.size === 0) {
    const why = isAdministrator ? reasons.map(([, message]) => message).join(' ') : SEE_STATUS;
    throw new ServiceError(
      'collection_unavailable',
      `The service is not ready: no collection can be opened (${names.join(', ')}). ${why}`,
    );
  }
  return {
    status: 'ready',
    collections: collections.size,
    ...(database.readOnly && { read_only: true }),
    ...(names.length > 0 && { unavailable: names }),
    ...(names.length > 0 && isAdministrator && { reasons: Object.fromEntries(reasons) }),
  };
}

const SEE_STATUS = 'The log has the reasons, and this request with an admin token.';

/** `GET /openapi.json`: the description of the service at the time of the request. */
async function openApi(call: Call): Promise<FastifyReply> {
  const { api, registry } = call.service;
  return sendDescription(call, await api.document(registry.current()));
}

/** `GET /-/{collection}/openapi.json`: the description of one collection, with its classes. Names and classes are public, as in `/server`. */
async function openApiOfCollection(call: Call): Promise<FastifyReply> {
  return sendDescription(call, await call.service.api.documentOf(await heldCollection(call)));
}

function sendDescription(call: Call, { bytes, etag }: { bytes: Buffer; etag: string }): FastifyReply {
  if (clientHas(call, etag)) return call.reply.code(304).send();
  return call.reply.header('content-type', 'application/json').send(bytes);
}

/** Leads people to the desk and programs to the documentation, as the peer does. */
async function front({ service, request, reply }: Call): Promise<FastifyReply> {
  const path = request.headers.accept?.includes('text/html') ? '/-/desk/' : '/docs';
  addVary(reply, 'Accept');
  return reply.redirect(`${service.rootPath}${path}`, 307);
}

const page = {
  tag: 'Service',
  summary: 'The documentation',
  need: 'public',
  answers: {},
  undescribed: true,
} as const;
const open = { tag: 'Service', need: 'public' } as const;
const readOnlySchema = {
  ...TRUE,
  description: 'The process serves a store that another one owns, and refuses changes.',
} as const;

export const healthSchema = objectOf(
  {
    status: { enum: ['ok', 'degraded'] },
    version: textSchema,
    follows: { ...textSchema, description: 'The release of dump-things-service whose behavior this is.' },
  },
  {
    read_only: readOnlySchema,
    problems: listOf(textSchema),
    jobs: {
      description: 'Background work in progress.',
      ...listOf(objectOf({ name: textSchema, done: { type: 'integer' }, total: { type: 'integer' } })),
    },
    projections: {
      description: 'Projections of changes that are behind, and by how many changes at least.',
      ...listOf(objectOf({ name: textSchema, behind: { type: 'integer' } }, { collection: textSchema })),
    },
    cache: {
      description: 'The bytes that the cache of pages uses and may use (`--memory`).',
      ...objectOf({ used: { type: 'integer' }, limit: { type: 'integer' } }),
    },
  },
);

const readySchema = objectOf(
  { status: { const: 'ready' }, collections: { type: 'integer' } },
  {
    read_only: readOnlySchema,
    unavailable: { description: 'The collections that cannot be opened.', ...listOf(textSchema) },
    reasons: {
      description: 'With an admin token: why each of them cannot be opened.',
      type: 'object',
      additionalProperties: textSchema,
    },
  },
);

/** The endpoints that belong to no collection. */
export const serviceEndpoints: readonly Endpoint[] = [
  row('GET', '/', 'root', { ...page, handle: front }),
  row('GET', '/-/desk', 'desk', { ...page, handle: desk }),
  row('GET', '/-/desk/', 'desk-home', { ...page, handle: desk }),
  row('GET', '/-/desk/*', 'desk-page', { ...page, handle: desk }),
  row('GET', '/docs', 'docs', { ...page, handle: docsPage }),
  row('GET', '/redoc', 'redoc', { ...page, handle: docsPage }),
  row('GET', '/docs/{asset}', 'asset', { ...page, handle: docsAsset }),
  row('GET', '/openapi.json', 'openapi', { ...page, handle: openApi }),
  row('GET', '/-/{collection}/openapi.json', 'openapi.collection', {
    ...open,
    summary: 'The description of the API for one collection',
    description:
      'An OpenAPI document with the classes of the collection in its paths and schemas. `/openapi.json` has those of all ' +
      'collections if there are few, and parameters in their place if there are many.',
    answers: {
      200: jsonAnswer('The description.', { type: 'object' }),
      304: { description: 'The description is still the one that `If-None-Match` names.' },
    },
    handle: openApiOfCollection,
  }),
  row('GET', '/server', 'server', {
    ...open,
    summary: 'The collections, their schemas and classes',
    answers: { 200: jsonAnswer('The service and its collections.', ref('Server')) },
    ...replying(enterPublic, {}, ({ service }) => serverInformation(service)),
  }),
  row('POST', '/maintenance', 'maintenance', {
    tag: 'Service',
    summary: 'Switch the maintenance mode of a collection on or off',
    answers: { 200: jsonAnswer('The mode is switched.', NULL) },
    refusals: [404],
    ...replyingTo(
      enterWithToken,
      {},
      { schema: maintenanceSchema, example: { collection: 'lab', active: true }, limit: 64 * 1024 },
      switchMaintenance,
    ),
  }),
  row('GET', '/-/health', 'health', {
    ...open,
    summary: 'Whether the service answers',
    answers: {
      200: jsonAnswer('The service answers; problems are listed.', healthSchema),
      503: jsonAnswer(
        'The service answers, but its store accepts no writes, or cannot be read by a process that only reads, or the ' +
          'instance cannot lead.',
        healthSchema,
      ),
    },
    ...replying(
      needing('public', ({ service }) => service.health()),
      {},
      ({ accepts, text }, _, { reply }) => {
        // Load balancers go by the status: a service that only reads is not the one to send writes to.
        reply.code(accepts ? 200 : 503);
        return new JsonText(text);
      },
    ),
  }),
  row('GET', '/-/ready', 'ready', {
    ...open,
    summary: 'Whether requests can be served',
    description:
      'Returns 503 while the database cannot be read or is damaged, while a PostgreSQL server accepts no writes, and if none of ' +
      'the configured collections can be opened.',
    answers: { 200: jsonAnswer('The service is ready; unavailable collections are listed.', readySchema) },
    refusals: [503],
    ...replying(enterPublic, {}, ready),
  }),
];
