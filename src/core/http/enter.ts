/**
 * Who asks for what, from the headers alone and before a body is read: collection, class, token, permission, in this
 * order (specification 5).
 */
import type { FastifyRequest } from 'fastify';
import type { Grant } from '../access/grant.ts';
import type { Area } from '../collections/area.ts';
import { curatedArea, curatorOf, incomingArea, userArea } from '../collections/areas.ts';
import type { Collection } from '../collections/collection.ts';
import { requireCurator, sharedRefused, userRefused } from '../collections/refusals.ts';
import type { Actor } from '../collections/stores.ts';
import type { Unavailable } from '../collections/unavailable.ts';
import { authenticateAdmin } from '../config/admin-token.ts';
import { isServiceError, ServiceError } from '../errors.ts';
import type { RecordStore } from '../storage/store.ts';
import { presentedToken } from './client.ts';
import { type AreaKind, type Call, type DeclaredNeed, inPath } from './endpoint.ts';
import { authorId, type Query, readParameters } from './query.ts';
import type { Service } from './service.ts';
import type { StillAllowed } from './stream-reply.ts';

/** Lets a request in, and returns what it is let in to. */
export type Enter<E, N extends DeclaredNeed = DeclaredNeed> = ((call: Call) => E) & { readonly need: N };

/** Declares which permission a function checks before it lets requests in: the need of every row that enters by it. */
export function needing<E, const N extends DeclaredNeed>(need: N, enter: (call: Call) => E): Enter<E, N> {
  return Object.assign((call: Call) => enter(call), { need });
}

/** Enters like another function, with the same need, and goes on with its result. */
export function enterThen<E, F, N extends DeclaredNeed>(
  enter: Enter<Promise<E>, N>,
  then: (entered: E, call: Call) => F | Promise<F>,
): Enter<Promise<F>, N> {
  return needing(enter.need, async (call) => then(await enter(call), call));
}

/** A collection, and what the token of a request is granted in it. */
export type Entered = { readonly collection: Collection; readonly grant: Grant };

/**
 * The collection in the path, and what the token of the request is granted there.
 *
 * @throws ServiceError `collection_unknown`, `collection_unavailable`, `class_unknown`, `token_required`,
 *   `token_refused`, `header_conflict`, `permission_missing` for a shared link, `maintenance`
 */
export const enter = needing('known', async (call): Promise<Entered> => {
  const { service, endpoint, request } = call;
  const parameters = request.params as { collection: string; class?: string };
  const { collection: name, class: given } = parameters;
  const collection = await collectionNamed(service, name, request);
  if (given !== undefined) parameters.class = collection.requireClass(given);
  const token = presentedToken(request.headers);
  if (endpoint.token === 'required' && token === undefined) {
    const message = `The request requires a token of the collection '${name}', and has none.`;
    throw new ServiceError('token_required', message);
  }
  const grant = await collection.authorize(token).catch((error: unknown) => {
    const isRefused = isServiceError(error) && error.code === 'token_refused';
    if (!isRefused || administratorOf(call) === undefined) throw error;
    const why = 'The token is an admin token, which permits administration only';
    throw new ServiceError('token_refused', `${why}: send a token of the collection '${name}'.`);
  });
  request.acceptedToken = token;
  const { userId: user, token: ofUser } = grant;
  request.requester = { collection: name, area: areaPath(call), user, token: ofUser };
  if (grant.isShared && endpoint.token === 'required') throw sharedRefused(name);
  // Specification 3.
  if (service.registry.current().maintenance.has(name) && !grant.permissions.curate)
    throw new ServiceError(
      'maintenance',
      `The collection '${name}' is in maintenance mode: only curators have access.`,
    );
  return { collection, grant };
});

/** Enters for the user of a token: requests with the default token are refused. */
export const enterAsUser = needing('user', (call) => enter(call));

/** The area of a request, as it is in paths. */
function areaPath(call: Call): string | undefined {
  const { area } = call.endpoint;
  return area === 'incoming' ? `incoming/${inPath(call, 'label')}` : area;
}

export type EnteredArea = Entered & { readonly area: Area };

/** Enters the area that the endpoint is about, if the token permits its action. */
export const enterArea = needing('area', async (call): Promise<EnteredArea> => {
  const { collection, grant } = await enter(call);
  const area = areaOf(call.endpoint.area ?? 'user', collection, grant, call.request);
  if (call.endpoint.action) await area.require(call.endpoint.action);
  return { collection, grant, area };
});

/** Enters with a token that reads the curated area. @throws ServiceError `permission_missing` */
export const enterToRead = needing('curated', async (call): Promise<EnteredArea> => {
  const entered = await enterArea(call);
  const { collection, grant } = entered;
  if (!grant.permissions.readCurated) throw userRefused('read', collection.name, grant);
  return entered;
});

/** Enters with a token that reads its zone; `store` is undefined if nothing was ever written to it. @throws ServiceError `permission_missing` */
export const enterOwnZone = needing('zone', async (call) => {
  const { collection, grant } = await enter(call);
  const { label, permissions } = grant;
  if (!permissions.readZone || label === undefined) throw userRefused('read-zone', collection.name, grant);
  const zone = collection.zones.exist ? await collection.zones.existing(label) : undefined;
  const store = zone && (await collection.seen(zone.store, collection.visibilityOf(grant)));
  return { collection, grant, label, store };
});

/** What a request was let in to. */
type LetIn = {
  readonly collection: Collection;
  readonly grant?: Grant;
  readonly area?: Area;
  readonly store?: RecordStore | undefined;
};

/**
 * Asks whether a stream may go on: enters again, and compares what the token grants.
 *
 * @param enter as the request did
 */
export function whileEntered<E extends LetIn>(
  call: Call,
  enter: (call: Call) => Promise<E>,
  entered: LetIn,
): StillAllowed {
  const granted = ({ collection, grant, area, store }: LetIn) =>
    JSON.stringify([
      collection.curated.area.id,
      grant?.permissions,
      grant?.label,
      area?.visibility()?.key,
      store?.visibility?.key,
    ]);
  const before = granted(entered);
  return async () => {
    if (granted(await enter(call)) === before) return;
    throw new ServiceError(
      'permission_missing',
      'What the token may read has changed since the response began: request it again.',
    );
  };
}

/** The store of the curated area, or of the zone in the path; undefined for a zone that was never written to. */
export async function storeInPath({ request }: Call, { curated, zones }: Collection) {
  const { label } = request.params as { label?: string };
  return label === undefined ? curated : (await zones.existing(label))?.store;
}

const AUTHOR = { author_id: authorId };

function areaOf(kind: AreaKind, collection: Collection, grant: Grant, request: FastifyRequest): Area {
  switch (kind) {
    case 'user':
      return userArea(collection, grant);
    case 'curated':
      return curatedArea(
        collection,
        grant,
        readParameters(request.query as Query, AUTHOR).author_id || undefined,
      );
    case 'incoming':
      return incomingArea(collection, grant, inPath({ request }, 'label'));
  }
}

/** The name of the admin token of a request. @throws ServiceError `token_required`, `token_refused`, `header_conflict` */
export function requireAdministrator(
  { service, request }: Pick<Call, 'service' | 'request'>,
  required?: string,
): string {
  const { state, bootstrap } = service.administration;
  const token = presentedToken(request.headers);
  const other = token === undefined ? undefined : service.registry.tokens.ownToken(token)?.name;
  const name = authenticateAdmin(state.configuration, bootstrap, token, other, required);
  request.acceptedToken = token;
  return name;
}

/** Enters with an admin token, and returns its name. */
export const enterAsAdministrator = needing('admin', (call) => requireAdministrator(call));

/** The name of the admin token of a request, if it has one. */
export function administratorOf(call: Pick<Call, 'service' | 'request'>): string | undefined {
  try {
    return requireAdministrator(call);
  } catch (error) {
    if (isServiceError(error) && /^token_/.test(error.code)) return undefined;
    throw error;
  }
}

/** The collection, for a curator of it or an administrator, and as whom they write. */
export const enterAsSteward = needing('steward', async (call): Promise<EnteredToManage> => {
  const admin = administratorOf(call);
  if (admin !== undefined) return { collection: await heldCollection(call), by: administrator(admin) };
  const { collection, grant } = await enterAsCurator(call);
  return { collection, by: curatorOf(grant) };
});

/** The collection, for administrators alone. */
export const enterForAdministration = needing('admin', async (call): Promise<EnteredToManage> => {
  const by = administrator(enterAsAdministrator(call));
  return { collection: await heldCollection(call), by };
});

type EnteredToManage = { readonly collection: Collection; readonly by: Actor };

/** The collection in the path, before it is known what the token permits. */
export function heldCollection(call: Call): Promise<Collection> {
  return collectionNamed(call.service, inPath(call, 'collection'), call.request);
}

function administrator(name: string): Actor {
  return { committer: name, author: name, role: 'administrator' };
}

/** The collection, for a curator of it. @throws ServiceError `permission_missing` */
export const enterAsCurator = forCurators('curated area');

/** The collection, for a curator who works on incoming zones. @throws ServiceError `permission_missing` */
export const enterZones = forCurators('incoming zones');

function forCurators(what: Parameters<typeof requireCurator>[1]) {
  return needing('curate', async (call): Promise<Entered> => {
    const entered = await enter(call);
    requireCurator(entered.collection.name, what, entered.grant);
    return entered;
  });
}

/**
 * The collection that a request is about.
 *
 * @throws ServiceError `collection_unknown`, `collection_unavailable`
 */
export async function collectionNamed(
  service: Service,
  name: string,
  request: FastifyRequest,
): Promise<Collection> {
  const { unavailable } = service.registry.current();
  const closed = unavailable.get(name);
  if (closed) throw await explained(closed, service, request);
  return service.registry.collection(name);
}

/** Why a collection is not available: the cause for its curators and for administrators, who can mend it. */
async function explained(
  closed: Unavailable,
  service: Service,
  request: FastifyRequest,
): Promise<ServiceError> {
  if (administratorOf({ service, request }) !== undefined) return closed.explained;
  const grant = await closed.authorize(presentedToken(request.headers));
  return grant.permissions.curate ? closed.explained : closed.plain;
}
