/** Policies: read again from the location that a collection names, who sees a record, and what a change would mean. */
import type { FastifyReply } from 'fastify';
import type { Collection } from '../../collections/collection.ts';
import { noLocation } from '../../collections/policies.ts';
import { policyDryRun, policyOverview, readersOf } from '../../collections/policy-report.ts';
import { type PolicyConfig, policyInformationSchema } from '../../config/config.ts';
import { parsePolicyInformation, withoutUnsetPolicies, writtenPolicies } from '../../config/policies.ts';
import { ServiceError } from '../../errors.ts';
import { presentedToken } from '../client.ts';
import type { Call, Endpoint } from '../endpoint.ts';
import { enterArea } from '../enter.ts';
import { parametersOf } from '../query.ts';
import { sendJson } from '../reply.ts';
import { replying, replyingTo } from '../replying.ts';
import { enterForAdministration, heldCollection } from './curate.ts';
import { pid } from './records.ts';
import { flagSchema, jsonAnswer, listOf, NULL, objectOf, orNull, textOrNull, textSchema } from './schemas.ts';

/** GET that reads the policy information again, also in maintenance mode: what was in force stays so if it cannot be read. */
async function reloadPolicies(call: Call): Promise<FastifyReply> {
  const collection = await heldCollection(call);
  const { name } = collection;
  const { permissions } = await collection.authorize(presentedToken(call.request.headers));
  if (!permissions.curate)
    throw new ServiceError(
      'permission_missing',
      `To reload the policies of the collection '${name}' requires a curator token.`,
    );
  parametersOf(call, {});
  if (!collection.policies) throw noLocation(name);
  await collection.policies.reload();
  return sendJson(call.reply, 'null');
}

/** Who sees a record of the curated area, or of the zone in the path; null if the record does not exist. */
async function readersIn({ request }: Call, collection: Collection, pid: string) {
  const { label } = request.params as { label?: string };
  const store = label === undefined ? collection.curated : (await collection.zones.existing(label))?.store;
  return (store && (await readersOf(collection, store, pid))) ?? null;
}

const count = { type: 'integer' } as const;
const caller = { auth_source: textSchema, user_id: textSchema } as const;

export const policyOverviewSchema = objectOf({
  tags: {
    description:
      'The ways to write the annotation that names the policy of a record, the configured one first.',
    ...listOf(textSchema),
  },
  default_policy: textOrNull,
  policies: {
    description: 'The policies that callers have, and how many callers.',
    ...listOf(objectOf({ name: textSchema, callers: count })),
  },
});

export const readersSchema = orNull(
  objectOf({
    policies: {
      description: 'The policies that a caller needs, all of them; null for a value that no caller can have.',
      ...listOf(textOrNull),
    },
    from: { enum: ['record', 'default', 'none'], description: 'What names the policies.' },
    everyone: {
      ...flagSchema,
      description: 'Whether every caller who may read the collection sees the record.',
    },
    without_token: { ...flagSchema, description: 'Whether requests without a token show the record.' },
    readers: {
      description: 'The callers of `policy_mapping` who see the record; at most 1000.',
      ...listOf(objectOf(caller)),
    },
    number: { ...count, description: 'How many callers of `policy_mapping` see the record.' },
  }),
);

const change = { before: count, after: count, gained: count, lost: count } as const;

export const policyDryRunSchema = objectOf({
  records: { ...count, description: 'The records of the curated area.' },
  restricted: {
    description: 'How many records a caller without policies does not see.',
    ...objectOf({ before: count, after: count }),
  },
  callers: {
    description:
      'The callers who gain or lose records, with the number of records that they see; at most 1000.',
    ...listOf(objectOf({ ...caller, ...change })),
  },
  changed: { ...count, description: 'How many callers gain or lose records.' },
  unchanged: { ...count, description: 'How many callers of the mappings do not.' },
  others: { description: 'Callers whom no mapping names.', ...objectOf(change) },
  without_token: {
    description: 'Requests without a token; null if the default token does not read curated records.',
    ...orNull(objectOf(change)),
  },
});

const triedSchema = {
  ...policyInformationSchema,
  properties: { ...policyInformationSchema.properties, policy_info_location: { type: ['string', 'null'] } },
} as const;

const forCurators = { method: 'GET', tag: 'Stewardship', token: 'required', action: 'read' } as const;
const readers = {
  ...forCurators,
  answers: { 200: jsonAnswer('The readers; null if there is no such record.', readersSchema) },
  ...replying(enterArea, { pid }, ({ collection }, { pid: given }, call) =>
    readersIn(call, collection, given),
  ),
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
    ...replying(enterArea, {}, ({ collection }) => policyOverview(collection)),
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
    answers: { 200: jsonAnswer('Who gains and who loses how many records.', policyDryRunSchema) },
    ...replyingTo(
      enterForAdministration,
      {},
      { schema: triedSchema, example: { policy_annotation_tag: 'lab:policy' }, limit: 16 * 1024 * 1024 },
      async ({ collection }, sent, _, { service }) => {
        const given = withoutUnsetPolicies(sent as PolicyConfig);
        const information =
          writtenPolicies(given) ??
          parsePolicyInformation(await service.registry.readPolicies(given.policy_info_location!));
        return policyDryRun(collection, collection.config, information);
      },
    ),
  },
];
