/** Policies: read again from the location that a collection names, who sees a record, and what a change would mean. */
import type { FastifyReply } from 'fastify';
import { noLocation } from '../../collections/policies.ts';
import { policyDryRun, policyOverview, readersOf } from '../../collections/policy-report.ts';
import { type PolicyConfig, policyInformationSchema } from '../../config/config.ts';
import { parsePolicyInformation, withoutUnsetPolicies, writtenPolicies } from '../../config/policies.ts';
import { ServiceError } from '../../errors.ts';
import { jsonBody } from '../body.ts';
import { presentedToken } from '../client.ts';
import type { Call, Endpoint } from '../endpoint.ts';
import { collectionNamed, enterArea, enterAsAdministrator } from '../enter.ts';
import { parametersOf } from '../query.ts';
import { sendJson } from '../reply.ts';
import { pid } from './records.ts';
import { jsonAnswer, jsonContent, NULL } from './schemas.ts';

/** GET that reads the policy information again, also in maintenance mode: what was in force stays so if it cannot be read. */
async function reloadPolicies(call: Call): Promise<FastifyReply> {
  const { service, request, reply } = call;
  const { collection: name } = request.params as { collection: string };
  const collection = await collectionNamed(service, name, request);
  const { permissions } = await collection.authorize(presentedToken(request.headers));
  if (!permissions.curate)
    throw new ServiceError(
      'permission_missing',
      `To reload the policies of the collection '${name}' requires a curator token.`,
    );
  parametersOf(call, {});
  if (!collection.policies) throw noLocation(name);
  await collection.policies.reload();
  return sendJson(reply, 'null');
}

/** GET of the policies that callers have, for forms. */
async function readPolicies(call: Call): Promise<FastifyReply> {
  const { collection } = await enterArea(call);
  parametersOf(call, {});
  return sendJson(call.reply, JSON.stringify(policyOverview(collection)));
}

/** GET of who sees a record of the curated area, or of a zone. */
async function readReaders(call: Call): Promise<FastifyReply> {
  const { collection } = await enterArea(call);
  const { pid: given } = parametersOf(call, { pid });
  const { label } = call.request.params as { label?: string };
  const store = label === undefined ? collection.curated : (await collection.zones.existing(label))?.store;
  const readers = store && (await readersOf(collection, store, given));
  return sendJson(call.reply, JSON.stringify(readers ?? null));
}

/** POST of the policies that a collection might have. */
async function tryPolicies(call: Call): Promise<FastifyReply> {
  const { service, request, reply } = call;
  enterAsAdministrator(call);
  const { collection: name } = request.params as { collection: string };
  const collection = await collectionNamed(service, name, request);
  const given = withoutUnsetPolicies(await jsonBody<PolicyConfig>(call));
  const information =
    writtenPolicies(given) ??
    parsePolicyInformation(await service.registry.readPolicies(given.policy_info_location!));
  return sendJson(reply, JSON.stringify(await policyDryRun(collection, collection.config, information)));
}

const string = { type: 'string' } as const;
const count = { type: 'integer' } as const;
const callerProperties = { auth_source: string, user_id: string } as const;
const callerKeys = ['auth_source', 'user_id'] as const;

export const policyOverviewSchema = {
  type: 'object',
  required: ['tags', 'default_policy', 'policies'],
  properties: {
    tags: {
      type: 'array',
      items: string,
      description:
        'The ways to write the annotation that names the policy of a record, the configured one first.',
    },
    default_policy: { type: ['string', 'null'] },
    policies: {
      type: 'array',
      description: 'The policies that callers have, and how many callers.',
      items: { type: 'object', required: ['name', 'callers'], properties: { name: string, callers: count } },
    },
  },
} as const;

export const readersSchema = {
  type: ['object', 'null'],
  required: ['policies', 'from', 'everyone', 'without_token', 'readers', 'number'],
  properties: {
    policies: {
      type: 'array',
      items: { type: ['string', 'null'] },
      description: 'The policies that a caller needs, all of them; null for a value that no caller can have.',
    },
    from: { enum: ['record', 'default', 'none'], description: 'What names the policies.' },
    everyone: {
      type: 'boolean',
      description: 'Whether every caller who may read the collection sees the record.',
    },
    without_token: { type: 'boolean', description: 'Whether requests without a token show the record.' },
    readers: {
      type: 'array',
      description: 'The callers of `policy_mapping` who see the record; at most 1000.',
      items: { type: 'object', required: callerKeys, properties: callerProperties },
    },
    number: { ...count, description: 'How many callers of `policy_mapping` see the record.' },
  },
} as const;

const changeProperties = { before: count, after: count, gained: count, lost: count } as const;
const changeKeys = ['before', 'after', 'gained', 'lost'] as const;

export const policyDryRunSchema = {
  type: 'object',
  required: ['records', 'restricted', 'callers', 'changed', 'unchanged', 'others', 'without_token'],
  properties: {
    records: { ...count, description: 'The records of the curated area.' },
    restricted: {
      type: 'object',
      description: 'How many records a caller without policies does not see.',
      required: ['before', 'after'],
      properties: { before: count, after: count },
    },
    callers: {
      type: 'array',
      description:
        'The callers who gain or lose records, with the number of records that they see; at most 1000.',
      items: {
        type: 'object',
        required: [...callerKeys, ...changeKeys],
        properties: { ...callerProperties, ...changeProperties },
      },
    },
    changed: { ...count, description: 'How many callers gain or lose records.' },
    unchanged: { ...count, description: 'How many callers of the mappings do not.' },
    others: {
      type: 'object',
      description: 'Callers whom no mapping names.',
      required: changeKeys,
      properties: changeProperties,
    },
    without_token: {
      type: ['object', 'null'],
      description: 'Requests without a token.',
      required: changeKeys,
      properties: changeProperties,
    },
  },
} as const;

const triedSchema = {
  ...policyInformationSchema,
  properties: { ...policyInformationSchema.properties, policy_info_location: { type: ['string', 'null'] } },
} as const;

const forCurators = { method: 'GET', tag: 'Stewardship', token: 'required', action: 'read' } as const;
const readers = {
  ...forCurators,
  query: { pid },
  answers: { 200: jsonAnswer('The readers; null if there is no such record.', readersSchema) },
  handle: readReaders,
} as const;

export const policyEndpoints: readonly Endpoint[] = [
  {
    method: 'GET',
    path: '/management/reload/policy_info/{collection}',
    id: 'reload_policies',
    tag: 'Service',
    summary: 'Read the policy information of a collection again',
    description: 'From its `policy_info_location`. Requires a curator token.',
    token: 'optional',
    answers: { 200: jsonAnswer('The policies are in force.', NULL) },
    handle: reloadPolicies,
  },
  {
    ...forCurators,
    path: '/-/{collection}/policies',
    id: 'policies',
    area: 'curated',
    summary: 'List the policies of a collection',
    answers: { 200: jsonAnswer('The policies.', policyOverviewSchema) },
    handle: readPolicies,
  },
  {
    ...readers,
    path: '/-/{collection}/curated/readers',
    id: 'curated.readers',
    area: 'curated',
    summary: 'Who sees a record of the curated area',
  },
  {
    ...readers,
    path: '/-/{collection}/incoming/{label}/readers',
    id: 'incoming.readers',
    area: 'incoming',
    summary: 'Who sees a record of an incoming zone',
  },
  {
    method: 'POST',
    path: '/-/{collection}/policies/dry-run',
    id: 'policies.dry-run',
    tag: 'Administration',
    token: 'admin',
    changesNothing: true,
    summary: 'What other policies would mean for callers; changes nothing',
    description: 'Requires an admin token. The keys are those of a collection; a missing one is not set.',
    body: {
      content: jsonContent(triedSchema, { policy_annotation_tag: 'lab:policy' }),
      limit: 16 * 1024 * 1024,
    },
    answers: { 200: jsonAnswer('Who gains and who loses how many records.', policyDryRunSchema) },
    handle: tryPolicies,
  },
];
