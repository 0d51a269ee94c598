/** `GET /-/me`: what the token of a request may do, for clients that show it. */
import type { FastifyReply } from 'fastify';
import type { Grant, Permissions } from '../../access/grant.ts';
import type { Collection } from '../../collections/collection.ts';
import type { PolicyRules } from '../../collections/policy-rules.ts';
import { ServiceError } from '../../errors.ts';
import { presentedToken } from '../client.ts';
import type { Call, Endpoint } from '../endpoint.ts';
import { administratorOf, collectionNamed } from '../enter.ts';
import { parametersOf, textParameter } from '../query.ts';
import { sendJson } from '../reply.ts';
import { jsonAnswer } from './schemas.ts';

const meParameters = {
  collection: textParameter('Only this collection; default: all that accept the token.'),
};

/** GET of the user, the collections that accept the token, and its permissions there. */
async function me(call: Call): Promise<FastifyReply> {
  const { service, request, reply } = call;
  const { collection: only } = parametersOf(call, meParameters);
  const token = presentedToken(request.headers);
  const administrator = token === undefined ? undefined : administratorOf(call);
  const { collections, maintenance } = service.registry.current();
  const asked =
    only === undefined ? [...collections.values()] : [await collectionNamed(service, only, request)];
  const found = await Promise.all(asked.map((collection) => granted(collection, token)));
  const accepting = found.filter((one) => 'grant' in one);
  const refusal = found.find((one) => 'refusal' in one)?.refusal;
  if (accepting.length === 0 && token !== undefined && administrator === undefined) {
    throw refusal ?? new ServiceError('token_refused', 'The token is not valid: no collection accepts it.');
  }
  const user = token === undefined ? undefined : accepting[0]?.grant.userId;
  const answer = {
    user_id: user ?? administrator ?? null,
    admin: administrator !== undefined,
    token: token === undefined ? null : (service.registry.tokens.ownToken(token) ?? null),
    collections: Object.fromEntries(
      accepting.map(({ name, title, description, grant, policies }) => [
        name,
        {
          ...{ title, description },
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
  return sendJson(reply, JSON.stringify(answer));
}

type Granted =
  | {
      readonly name: string;
      readonly title: string | null;
      readonly description: string | null;
      readonly grant: Grant;
      readonly policies: PolicyRules | undefined;
    }
  | { readonly name: string; readonly refusal: ServiceError };

async function granted(collection: Collection, token: string | undefined): Promise<Granted> {
  const { name, schema } = collection;
  const { title = null, description = null } = schema;
  try {
    const grant = await collection.authorize(token);
    return { name, title, description, grant, policies: collection.policies?.known() };
  } catch (error) {
    if (error instanceof ServiceError && /^token_/.test(error.code)) return { name, refusal: error };
    throw error;
  }
}

const PERMISSIONS: Readonly<Record<keyof Permissions, string>> = {
  readCurated: 'read_curated',
  readZone: 'read_zone',
  writeZone: 'write_zone',
  curate: 'curate',
};

function permissionsIn(permissions: Permissions): string[] {
  return Object.entries(PERMISSIONS).flatMap(([name, word]) =>
    permissions[name as keyof Permissions] ? [word] : [],
  );
}

export const meSchema = {
  type: 'object',
  required: ['user_id', 'admin', 'token', 'collections'],
  properties: {
    user_id: { type: ['string', 'null'], description: 'The user of the token; null without a token.' },
    admin: { type: 'boolean', description: 'Whether the token is an admin token.' },
    token: {
      type: ['object', 'null'],
      description: 'The token, if the configuration has it.',
      required: ['name', 'expires', 'replaced'],
      properties: {
        name: { type: 'string' },
        expires: { type: ['string', 'null'], description: 'Until when the presented secret is accepted.' },
        replaced: { type: 'boolean', description: 'Whether the token has a newer secret.' },
      },
    },
    collections: {
      type: 'object',
      description: 'The collections that accept the token, by name.',
      additionalProperties: {
        type: 'object',
        required: ['title', 'description', 'user_id', 'permissions', 'label', 'default', 'maintenance'],
        properties: {
          title: { type: ['string', 'null'], description: 'The title of the schema.' },
          description: { type: ['string', 'null'], description: 'The description of the schema.' },
          user_id: { type: 'string' },
          permissions: {
            type: 'array',
            items: { enum: ['read_curated', 'read_zone', 'write_zone', 'curate'] },
          },
          label: { type: ['string', 'null'], description: 'The incoming zone of the token.' },
          default: {
            type: 'boolean',
            description: 'Whether these are the permissions of the default token.',
          },
          maintenance: { type: 'boolean' },
          policies: {
            type: 'array',
            items: { type: 'string' },
            description: 'The policies of the user, in a collection that restricts records by policies.',
          },
          policy_tags: {
            type: 'array',
            items: { type: 'string' },
            description:
              'The ways to write the annotation that names the policy of a record, in such a collection.',
          },
        },
      },
    },
  },
} as const;

export const meEndpoints: readonly Endpoint[] = [
  {
    method: 'GET',
    path: '/-/me',
    id: 'me',
    tag: 'Service',
    summary: 'Read the permissions of the token',
    token: 'optional',
    query: meParameters,
    answers: { 200: jsonAnswer('The user and the permissions.', meSchema) },
    refusals: [404, 503],
    handle: me,
  },
];
