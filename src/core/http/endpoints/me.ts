/** `GET /-/me`: what the token of a request may do, for clients that show it. */
import type { Grant, Permissions } from '../../access/grant.ts';
import type { Collection } from '../../collections/collection.ts';
import type { CollectionPart } from '../../collections/part.ts';
import type { PolicyRules } from '../../collections/policy-rules.ts';
import { isServiceError, ServiceError } from '../../errors.ts';
import { flagSchema, listOf, objectOf, orNull, textOrNull, textSchema } from '../../shapes.ts';
import { presentedToken } from '../client.ts';
import { type Call, type Endpoint, row } from '../endpoint.ts';
import { administratorOf, collectionNamed, needing } from '../enter.ts';
import { textParameter } from '../query.ts';
import { replying } from '../replying.ts';
import { jsonAnswer } from './schemas.ts';

/** The user, the collections that accept the token, and its permissions there. */
async function me(call: Call, only: string | undefined) {
  const { service, request } = call;
  const token = presentedToken(request.headers);
  const administrator = token === undefined ? undefined : administratorOf(call);
  const { collections, maintenance } = service.registry.current();
  const candidates =
    only === undefined ? [...collections.values()] : [await collectionNamed(service, only, request)];
  const accepting = await acceptingToken(candidates, token, administrator !== undefined);
  const user = token === undefined ? undefined : accepting[0]?.grant.userId;
  return {
    user_id: user ?? administrator ?? null,
    admin: administrator !== undefined,
    token: token === undefined ? null : (service.registry.tokens.ownToken(token) ?? null),
    collections: Object.fromEntries(
      accepting.map(({ name, title, description, contact, grant, policies }) => [
        name,
        {
          title,
          description,
          ...(contact !== undefined && { contact }),
          user_id: grant.userId,
          permissions: permissionsIn(grant.permissions),
          label: grant.label ?? null,
          default: token === undefined,
          maintenance: maintenance.has(name),
          ...(policies && { policies: policies.of(grant), policy_tags: policies.spellings }),
        },
      ]),
    ),
  };
}

/** A collection that accepts a token. */
type AcceptingCollection = {
  readonly name: string;
  readonly title: string | null;
  readonly description: string | null;
  readonly contact: string | undefined;
  readonly grant: Grant;
  readonly policies: PolicyRules | undefined;
};
type CollectionAccess = AcceptingCollection | { readonly name: string; readonly refusal: ServiceError };

/** Enters with any token of the service, or none: {@link acceptingToken} refuses others. */
export const enterWithAnyToken = needing('me', (call) => call);

/** The collections that accept a token, or have a default token if there is none. @throws ServiceError `token_refused` */
export async function acceptingToken(
  candidates: readonly Collection[],
  token: string | undefined,
  isAdministrator: boolean,
): Promise<AcceptingCollection[]> {
  const found = await Promise.all(candidates.map((collection) => granted(collection, token)));
  const accepting = found.filter((one) => 'grant' in one);
  const refusal = found.find((one) => 'refusal' in one)?.refusal;
  if (accepting.length > 0 || token === undefined || isAdministrator) return accepting;
  if (found.length === 1 && refusal) throw refusal;
  // The reasons of one of several collections would read as if it were asked for.
  throw new ServiceError('token_refused', 'The token is not valid: no collection accepts it.');
}

async function granted(collection: Collection, token: string | undefined): Promise<CollectionAccess> {
  const { name, schema } = collection;
  const { title = null, description = null } = schema;
  try {
    const grant = await collection.authorize(token);
    const contact = await contactOf(collection);
    return { name, title, description, contact, grant, policies: collection.policies?.known() };
  } catch (error) {
    if (isServiceError(error) && /^token_/.test(error.code)) return { name, refusal: error };
    throw error;
  }
}

/** A part of a collection that has its contact: the e-mail address of who answers people. */
export interface ContactSource extends CollectionPart {
  contact?(): Promise<string | undefined>;
}

async function contactOf({ attached }: Collection): Promise<string | undefined> {
  const parts: readonly ContactSource[] = [...attached.values()];
  return parts.find(({ contact }) => contact)?.contact?.();
}

const PERMISSIONS = {
  readCurated: 'read_curated',
  readZone: 'read_zone',
  writeZone: 'write_zone',
  curate: 'curate',
} as const satisfies Record<keyof Permissions, string>;

function permissionsIn(permissions: Permissions) {
  const names = Object.keys(PERMISSIONS) as (keyof Permissions)[];
  return names.filter((name) => permissions[name]).map((name) => PERMISSIONS[name]);
}

export const meSchema = objectOf({
  user_id: { ...textOrNull, description: 'The user of the token; null without a token.' },
  admin: { ...flagSchema, description: 'Whether the token is an admin token.' },
  token: {
    description: 'The token, if the configuration has it.',
    ...orNull(
      objectOf({
        name: textSchema,
        expires: { ...textOrNull, description: 'Until when the presented secret is accepted.' },
        replaced: { ...flagSchema, description: 'Whether the token has a newer secret.' },
        shared_link: {
          ...textOrNull,
          description: 'The title of the shared link that the token belongs to; null for a token of a user.',
        },
      }),
    ),
  },
  collections: {
    type: 'object',
    description: 'The collections that accept the token, by name.',
    additionalProperties: objectOf(
      {
        title: { ...textOrNull, description: 'The title of the schema.' },
        description: { ...textOrNull, description: 'The description of the schema.' },
        user_id: textSchema,
        permissions: listOf({ enum: Object.values(PERMISSIONS) }),
        label: { ...textOrNull, description: 'The incoming zone of the token.' },
        default: {
          ...flagSchema,
          description: 'Whether these are the permissions of the default token.',
        },
        maintenance: flagSchema,
      },
      {
        contact: {
          ...textSchema,
          description: 'The e-mail address of who answers questions, if one is set.',
        },
        policies: {
          description: 'The policies of the user, in a collection that restricts records by policies.',
          ...listOf(textSchema),
        },
        policy_tags: {
          description:
            'The ways to write the annotation that names the policy of a record, in such a collection.',
          ...listOf(textSchema),
        },
      },
    ),
  },
});

export const meEndpoints: readonly Endpoint[] = [
  row('GET', '/-/me', 'me', {
    tag: 'Service',
    summary: 'Read the permissions of the token',
    answers: { 200: jsonAnswer('The user and the permissions.', meSchema) },
    refusals: [404, 503],
    ...replying(
      enterWithAnyToken,
      { collection: textParameter('Only this collection; default: all that accept the token.') },
      (call, { collection }) => me(call, collection),
    ),
  }),
];
