/**
 * Administration: collections, tokens, admin tokens (specification 4.3). The three kinds of elements have the same
 * operations; what differs between them is in the table {@link ELEMENT_KINDS}.
 */

import { isJsonObject, type JsonValue } from '#linkml/json.ts';
import { isMet, type Precondition } from '../entity-tag.ts';
import { ServiceError } from '../errors.ts';
import type { Draft } from '../storage/database.ts';
import { endAdminToken, removeRowsOf } from '../storage/tables.ts';
import { bootstrapEntry } from './admin-token.ts';
import { type Configuration, type ConfigurationSchemas, entryOf } from './config.ts';
import {
  collectionOf,
  type Placement,
  putCollection,
  removeCollection,
  revokeTokens,
  tokensOf,
} from './edit-collections.ts';
import {
  adminTokenOf,
  putAdminToken,
  putToken,
  removeAdminToken,
  removeToken,
  rotateToken,
  setPublic,
  tokenOf,
} from './edit-tokens.ts';
import { parseAdminToken, parseCollection, parseToken } from './parse.ts';
import type { ConfigurationState } from './state.ts';

/** The parts that the administration works on. */
export type Administration = {
  readonly state: ConfigurationState;
  /** The store directory, which no path of a collection may leave. */
  readonly root: string;
  readonly schemas: ConfigurationSchemas;
  /** The hash of the admin token that the service was started with. */
  readonly bootstrap: string | undefined;
};

export type KindName = 'collections' | 'tokens' | 'admin_tokens';

/** The next configuration, and what the request that asked for it is answered. */
type EditResult = { readonly configuration: Configuration; readonly answer: object | null };

type Kind = {
  /** @throws ServiceError `payload_invalid` and what the edit throws */
  put(current: Configuration, body: JsonValue, placement: Placement, admin: Administration): EditResult;
  remove(current: Configuration, name: string, admin: Administration): Configuration;
  list(current: Configuration, admin: Administration): object[];
  get(current: Configuration, name: string, admin: Administration): object;
};

const ELEMENT_KINDS: Readonly<Record<KindName, Kind>> = {
  collections: {
    put: (current, body, placement, admin) => ({
      configuration: putCollection(current, parseCollection(body, admin.schemas), placement, admin),
      answer: null,
    }),
    remove: removeCollection,
    list: ({ collections }) => Object.entries(collections).map(([name, config]) => ({ name, ...config })),
    get: collectionOf,
  },
  tokens: {
    put(current, body, placement) {
      const { configuration, token } = putToken(current, parseToken(body), placement);
      return { configuration, answer: token };
    },
    remove: removeToken,
    list: ({ tokens }) => Object.entries(tokens).map(([name, token]) => ({ name, ...token })),
    get: (current, name) => ({ name, ...tokenOf(current, name) }),
  },
  admin_tokens: {
    put: (current, body, placement) => ({
      configuration: putAdminToken(current, parseAdminToken(body), placement),
      answer: null,
    }),
    remove: (current, name, { bootstrap }) => removeAdminToken(current, name, bootstrap !== undefined),
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
};

/**
 * Creates or replaces an element.
 *
 * @param body the element as it was sent, with its name
 * @param authorId the name of the admin token that asks for it
 * @throws ServiceError `payload_invalid`, `precondition_failed`, and what keeps the element
 * @returns what the creator gets to see: of a token, the secret
 */
export function putElement(
  admin: Administration,
  kind: KindName,
  body: JsonValue,
  {
    placement,
    precondition,
  }: { readonly placement: Placement; readonly precondition?: Precondition | undefined },
  authorId: string,
): Promise<object | null> {
  const { put } = ELEMENT_KINDS[kind];
  return admin.state.apply((current) => {
    requirePrecondition(admin, kind, body, precondition, current);
    return put(current, body, placement, admin);
  }, authorId);
}

/** @throws ServiceError `precondition_failed` */
export function requirePrecondition(
  admin: Administration,
  kind: KindName,
  body: JsonValue,
  precondition: Precondition | undefined,
  current: Configuration = admin.state.configuration,
): void {
  const name = isJsonObject(body) && typeof body.name === 'string' ? body.name : '';
  const exists = entryOf<object>(current[kind], name) !== undefined;
  if (isMet(precondition, exists ? ELEMENT_KINDS[kind].get(current, name, admin) : undefined)) return;
  throw new ServiceError(
    'precondition_failed',
    `The element '${name}' is not in the state that the request demands: read it again.`,
  );
}

/**
 * Gives a collection another schema.
 *
 * @param others the keys of modules that change with it
 * @param also adds writes to its areas to the same transaction
 * @param former the configuration of the collection that the change was made for
 * @throws ServiceError `precondition_failed` if the collection was set otherwise, or deleted, meanwhile
 */
export function replaceSchema(
  admin: Administration,
  {
    name,
    former,
    address,
    others,
  }: {
    readonly name: string;
    readonly former: object;
    readonly address: string;
    readonly others: object;
  },
  authorId: string,
  also: (draft: Draft) => Promise<void>,
): Promise<null> {
  const body = parseCollection(
    JSON.parse(JSON.stringify({ name, ...former, schema: address, ...others })),
    admin.schemas,
  );
  return admin.state.apply(
    (current) => {
      if (entryOf(current.collections, name) !== former)
        throw new ServiceError(
          'precondition_failed',
          `The collection '${name}' was set by another administrator meanwhile. Rehearse the schema again.`,
        );
      return {
        configuration: putCollection(current, body, 'create or replace', admin),
        answer: null,
      };
    },
    authorId,
    also,
  );
}

type Removal = {
  readonly authorId: string;
  /** Whether all tokens lose their permissions in a collection that is deleted. */
  readonly revoke: boolean;
};

/**
 * Deletes an element, and does what modules have noted for its end: rows of a collection go with it.
 *
 * @returns the names of the tokens that have, or had, permissions in the deleted collection
 * @throws ServiceError `collection_unknown`, `token_unknown`, `admin_token_unknown` and what keeps it
 */
export function removeElement(
  admin: Administration,
  kind: KindName,
  name: string,
  { authorId, revoke }: Removal,
): Promise<string[]> {
  const { remove } = ELEMENT_KINDS[kind];
  return admin.state.apply(
    (current) => {
      const next = remove(current, name, admin);
      if (kind !== 'collections') return { configuration: next, answer: [] };
      return { configuration: revoke ? revokeTokens(next, name) : next, answer: tokensOf(current, name) };
    },
    authorId,
    async (draft) => {
      if (kind === 'collections') await removeRowsOf(draft, name);
      if (kind === 'admin_tokens') await endAdminToken(draft, name, authorId);
    },
  );
}

/**
 * Replaces the secret of a token; the new one is in the result once. The former one is accepted for some more days.
 *
 * @throws ServiceError `token_unknown`
 */
export function rotate(
  admin: Administration,
  name: string,
  graceDays: number,
  authorId: string,
): Promise<object> {
  return admin.state.apply((current) => {
    const { configuration, token } = rotateToken(current, name, graceDays);
    return { configuration, answer: token };
  }, authorId);
}

/**
 * Makes a collection public, or closes it: see {@link setPublic}.
 *
 * @throws ServiceError `collection_unknown`, `default_token_permits_more`, `default_token_expired`
 */
export function openToPublic(
  admin: Administration,
  collection: string,
  isPublic: boolean,
  authorId: string,
): Promise<null> {
  return admin.state.apply(
    (current) => ({ configuration: setPublic(current, collection, isPublic), answer: null }),
    authorId,
  );
}

export function listElements(admin: Administration, kind: KindName): object[] {
  return ELEMENT_KINDS[kind].list(admin.state.configuration, admin);
}

/** One element. @throws ServiceError if there is none */
export function readElement(admin: Administration, kind: KindName, name: string): object {
  return ELEMENT_KINDS[kind].get(admin.state.configuration, name, admin);
}

/** The element as it was sent, with the name of the path, which it may repeat. @throws ServiceError `payload_invalid` */
export function withName(body: JsonValue, name: string | undefined): JsonValue {
  if (name === undefined || !isJsonObject(body)) return body;
  if (body.name === undefined) return { ...body, name };
  if (body.name === name) return body;
  const msg = `expected ${JSON.stringify(name)}, the name in the path, or no name`;
  throw new ServiceError('payload_invalid', `body.name: ${msg}`, [
    { type: 'name_mismatch', loc: ['body', 'name'], msg },
  ]);
}
