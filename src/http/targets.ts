/** What requests are about: an area of a collection, found in the order collection, class, token, label. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Grant } from '../access/grant.ts';
import type { Area } from '../collections/area.ts';
import { curatedArea, incomingArea, userArea } from '../collections/areas.ts';
import type { Collection } from '../collections/collection.ts';
import type { Registry } from '../collections/registry.ts';
import { ServiceError } from '../errors.ts';
import { authenticate } from './authenticate.ts';
import type { Query } from './query.ts';

/** Finds the area that a request is about, and the collection that it belongs to; who asks is settled when it returns. */
export type OpenTarget = (
  request: FastifyRequest,
) => Promise<{ readonly collection: Collection; readonly area: Area }>;

/** Finds the collection that a request is about, and what the token of the request is granted in it. */
export type OpenGrant = (
  request: FastifyRequest,
) => Promise<{ readonly collection: Collection; readonly grant: Grant }>;

/** The areas that requests are about. Each settles the collection, the class, and then who asks. */
export function targets(registry: Registry) {
  const user: OpenTarget = async (request) => {
    const collection = collectionOf(registry, request);
    const grant = await authenticate(collection, request.headers);
    return { collection, area: userArea(collection, grant) };
  };
  const curated: OpenTarget = async (request) => {
    const collection = collectionOf(registry, request);
    const grant = await authenticate(collection, request.headers, 'token');
    const { author_id: authorId } = request.query as Query;
    return { collection, area: curatedArea(collection, grant, authorId || undefined) };
  };
  const incoming: OpenTarget = async (request) => {
    const collection = collectionOf(registry, request);
    const grant = await authenticate(collection, request.headers, 'token');
    const { label } = request.params as { label: string };
    return { collection, area: incomingArea(collection, grant, label) };
  };
  const zones: OpenGrant = async (request) => {
    const collection = collectionOf(registry, request);
    return { collection, grant: await authenticate(collection, request.headers, 'token') };
  };
  return { user, curated, incoming, zones };
}

function collectionOf(registry: Registry, request: FastifyRequest): Collection {
  const { collection: name, class: className } = request.params as { collection: string; class?: string };
  const collection = heldCollection(registry, name, request);
  if (className !== undefined && !collection.hasClass(className)) {
    throw new ServiceError('class_unknown', `The collection '${name}' has no class '${className}'.`);
  }
  return collection;
}

/**
 * The collection that a request is about, held open until the request has been answered; see {@link leaveWhenSent}.
 *
 * @throws ServiceError `collection_unknown`
 */
export function heldCollection(registry: Registry, name: string, request: FastifyRequest): Collection {
  const collection = registry.collection(name);
  collection.enter();
  request.collection = collection;
  return collection;
}

/**
 * The hook that lets go of the collection of a request: when the answer is sent, or is ready and has nobody to go to.
 * A client may go away at any time, and then no answer is ever finished.
 */
export function leaveWhenSent(
  request: FastifyRequest,
  { raw }: FastifyReply,
  payload: unknown,
  done: (error: null, payload: unknown) => void,
): void {
  const { collection } = request;
  request.collection = undefined;
  if (raw.destroyed) collection?.leave();
  else if (collection) raw.once('close', () => collection.leave());
  done(null, payload);
}

declare module 'fastify' {
  interface FastifyRequest {
    /** The collection that the request is about, from when it is known until the answer is ready. */
    collection: Collection | undefined;
  }
}
