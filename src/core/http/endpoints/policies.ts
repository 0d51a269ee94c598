/** Policies: read again from the location that a collection names, who sees a record, and what a change would mean. */
import type { Collection } from '../../collections/collection.ts';
import { noLocation } from '../../collections/policies.ts';
import {
  policyDryRun,
  policyDryRunSchema,
  policyOverview,
  policyOverviewSchema,
  readersOf,
  readersSchema,
} from '../../collections/policy-report.ts';
import { type PolicyConfig, policyInformationSchema } from '../../config/config.ts';
import { parsePolicyInformation, withoutUnsetPolicies, writtenPolicies } from '../../config/policies.ts';
import { ServiceError } from '../../errors.ts';
import { presentedToken } from '../client.ts';
import { type Call, type Endpoint, row } from '../endpoint.ts';
import { enterArea, enterForAdministration, heldCollection, needing, storeInPath } from '../enter.ts';
import { replying, replyingTo } from '../replying.ts';
import { pid } from './record-parameters.ts';
import { jsonAnswer, NULL } from './schemas.ts';

/** The collection, for a curator of it, also in maintenance mode. @throws ServiceError `permission_missing` */
const enterToReload = needing('reload', async (call): Promise<Collection> => {
  const collection = await heldCollection(call);
  const { name } = collection;
  const { permissions } = await collection.authorize(presentedToken(call.request.headers));
  if (!permissions.curate)
    throw new ServiceError(
      'permission_missing',
      `To reload the policies of the collection '${name}' requires a curator token.`,
    );
  return collection;
});

/** Reads the policy information again: what was in force stays so if it cannot be read. */
async function reloadPolicies({ policies, name }: Collection): Promise<null> {
  if (!policies) throw noLocation(name);
  await policies.reload();
  return null;
}

/** Who sees a record of the curated area, or of the zone in the path; null if the record does not exist. */
async function readersIn(call: Call, collection: Collection, pid: string) {
  const store = await storeInPath(call, collection);
  return (store && (await readersOf(collection, store, pid))) ?? null;
}

/** No path and no URL is longer; it takes long to find that out. */
const LONGEST_LOCATION = 10_000;

const triedSchema = {
  ...policyInformationSchema,
  properties: {
    ...policyInformationSchema.properties,
    policy_info_location: { type: ['string', 'null'], maxLength: LONGEST_LOCATION },
  },
} as const;

const forCurators = { tag: 'Stewardship', action: 'read' } as const;
const readers = {
  ...forCurators,
  answers: { 200: jsonAnswer('The readers; null if there is no such record.', readersSchema) },
  ...replying(enterArea, { pid }, ({ collection }, { pid: given }, call) =>
    readersIn(call, collection, given),
  ),
} as const;

export const policyEndpoints: readonly Endpoint[] = [
  row('GET', '/management/reload/policy_info/{collection}', 'reload_policies', {
    writes: true,
    tag: 'Service',
    summary: 'Read the policy information of a collection again',
    description: 'From its `policy_info_location`.',
    answers: { 200: jsonAnswer('The policies are in force.', NULL) },
    ...replying(enterToReload, {}, reloadPolicies),
  }),
  row('GET', '/-/{collection}/policies', 'policies', {
    ...forCurators,
    area: 'curated',
    summary: 'List the policies of a collection',
    answers: { 200: jsonAnswer('The policies.', policyOverviewSchema) },
    ...replying(enterArea, {}, ({ collection }) => policyOverview(collection)),
  }),
  row('GET', '/-/{collection}/curated/readers', 'curated.readers', {
    ...readers,
    area: 'curated',
    summary: 'Who sees a record of the curated area',
  }),
  row('GET', '/-/{collection}/incoming/{label}/readers', 'incoming.readers', {
    ...readers,
    area: 'incoming',
    summary: 'Who sees a record of an incoming zone',
  }),
  row('POST', '/-/{collection}/policies/dry-run', 'policies.dry-run', {
    tag: 'Administration',
    changesNothing: true,
    summary: 'What other policies would mean for callers; changes nothing',
    description: 'The keys are those of a collection; a missing one is not set.',
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
  }),
];
