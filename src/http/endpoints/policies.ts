/** Policy information that is read again from the location that a collection names. */
import type { FastifyReply } from 'fastify';
import { noLocation } from '../../collections/policies.ts';
import { ServiceError } from '../../errors.ts';
import { presentedToken } from '../client.ts';
import type { Call, Endpoint } from '../endpoint.ts';
import { collectionNamed } from '../enter.ts';
import { parametersOf } from '../query.ts';
import { sendJson } from '../reply.ts';
import { jsonAnswer, NULL } from './schemas.ts';

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
];
