/**
 * Administration: collections, tokens, admin tokens (specification 4.3). The three kinds of elements share their five
 * routes; what differs between them stands in the table {@link elementKinds}.
 */
import type { FastifyRequest } from 'fastify';
import { authenticateAdmin, bootstrapEntry } from '../config/admin-token.ts';
import { type Configuration, entryOf, type TokenConfig } from '../config/config.ts';
import { collectionOf, type Placement, putCollection, removeCollection } from '../config/edit-collections.ts';
import {
  adminTokenOf,
  putAdminToken,
  putToken,
  removeAdminToken,
  removeToken,
  tokenOf,
} from '../config/edit-tokens.ts';
import { parseAdminToken, parseCollection, parseToken } from '../config/parse.ts';
import type { ConfigurationState } from '../config/state.ts';
import { ServiceError } from '../errors.ts';
import { isJsonObject, type JsonValue } from '../json.ts';
import { presentedToken } from './authenticate.ts';
import { jsonBody } from './body.ts';
import { type Handler, sendJson } from './reply.ts';

/** What the administration works on. */
export type Administration = {
  readonly state: ConfigurationState;
  /** The store directory, which no path of a collection may leave. */
  readonly root: string;
  /** The hash of the admin token that the service was started with. */
  readonly bootstrap: string | undefined;
};

/** One kind of elements. The functions throw what their edits throw. */
export type ElementKind = {
  /** `/collections` and the like. */
  readonly path: string;
  /** Whether the answer of a create or replace tells the address of the element. */
  readonly located: boolean;
  /** Reads the body of a create or replace, and gives the edit that it asks for. */
  plan(body: JsonValue, admin: Administration): { readonly name: string; readonly edit: Edit };
  remove(current: Configuration, name: string): Configuration;
  /** The elements as they are listed. */
  list(current: Configuration, admin: Administration): object[];
  /** One of them. */
  get(current: Configuration, name: string, admin: Administration): object;
};

type Edit = (current: Configuration, placement: Placement) => Edited;
/** The next configuration, and what the answer says. */
type Edited = { readonly configuration: Configuration; readonly answer: object | null };

/** The table of the three kinds. */
export const elementKinds: readonly ElementKind[] = [
  {
    path: '/collections',
    located: true,
    plan(body, { root }) {
      const payload = parseCollection(body);
      const edit: Edit = (current, placement) => ({
        configuration: putCollection(current, payload, placement, root),
        answer: null,
      });
      return { name: payload.name, edit };
    },
    remove: removeCollection,
    list: ({ collections }) => Object.entries(collections).map(([name, config]) => ({ name, ...config })),
    get: collectionOf,
  },
  {
    path: '/tokens',
    located: true,
    plan(body) {
      const payload = parseToken(body);
      const edit: Edit = (current, placement) => {
        const { configuration, token } = putToken(current, payload, placement);
        return { configuration, answer: token };
      };
      return { name: payload.name, edit };
    },
    remove: removeToken,
    list: ({ tokens }) => Object.entries(tokens).map(([name, token]) => named(name, token)),
    get: (current, name) => named(name, tokenOf(current, name)),
  },
  {
    path: '/admin_tokens',
    located: false,
    plan(body) {
      const payload = parseAdminToken(body);
      const edit: Edit = (current, placement) => ({
        configuration: putAdminToken(current, payload, placement),
        answer: null,
      });
      return { name: payload.name, edit };
    },
    remove: removeAdminToken,
    list: ({ admin_tokens }, { bootstrap }) =>
      [...Object.entries(admin_tokens), ...bootstrapEntry(bootstrap)].map(([name, token]) => ({
        name,
        ...token,
      })),
    get(current, name, { bootstrap }) {
      const own = entryOf(Object.fromEntries(bootstrapEntry(bootstrap)), name);
      return { name, ...(own ?? adminTokenOf(current, name)) };
    },
  },
];

function named(name: string, token: TokenConfig): object {
  return { name, ...token };
}

/** `POST` creates, `PUT` creates or replaces; the name stands in the body, and with `PUT` it may stand in the path. */
export function putElement(kind: ElementKind, admin: Administration, placement: Placement): Handler {
  return async (request, reply) => {
    const author = authenticate(admin, request);
    const { name, edit } = kind.plan(withName(jsonBody(request.body), nameInPath(request)), admin);
    let answer: object | null = null;
    await admin.state.change((current) => {
      const edited = edit(current, placement);
      answer = edited.answer;
      return edited.configuration;
    }, author);
    if (kind.located) reply.header('location', `${kind.path}/${encodeURIComponent(name)}`);
    return sendJson(reply.code(201), JSON.stringify(answer));
  };
}

/** `GET` of all elements of a kind, each with its name. */
export function listElements(kind: ElementKind, admin: Administration): Handler {
  return async (request, reply) => {
    authenticate(admin, request);
    return sendJson(reply, JSON.stringify(kind.list(admin.state.configuration, admin)));
  };
}

/** `GET` of one element. */
export function readElement(kind: ElementKind, admin: Administration): Handler {
  return async (request, reply) => {
    authenticate(admin, request);
    return sendJson(
      reply,
      JSON.stringify(kind.get(admin.state.configuration, nameInPath(request) ?? '', admin)),
    );
  };
}

/** `DELETE` of one element. */
export function removeElement(kind: ElementKind, admin: Administration): Handler {
  return async (request, reply) => {
    const author = authenticate(admin, request);
    await admin.state.change((current) => kind.remove(current, nameInPath(request) ?? ''), author);
    return sendJson(reply, 'null');
  };
}

/** The name of the admin token of a request. */
function authenticate({ state, bootstrap }: Administration, request: FastifyRequest): string {
  return authenticateAdmin(state.configuration, bootstrap, presentedToken(request.headers));
}

function nameInPath(request: FastifyRequest): string | undefined {
  return (request.params as { name?: string }).name;
}

/** The element as it was sent, with the name of the path. */
function withName(body: JsonValue, name: string | undefined): JsonValue {
  if (name === undefined || !isJsonObject(body)) return body;
  if (body.name === undefined) return { ...body, name };
  if (body.name === name) return body;
  const msg = `expected ${JSON.stringify(name)}, the name in the path, or no name`;
  throw new ServiceError('payload_invalid', `body.name: ${msg}`, [
    { type: 'name_mismatch', loc: ['body', 'name'], msg },
  ]);
}
