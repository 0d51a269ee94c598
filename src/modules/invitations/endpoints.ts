import { ServiceError } from '../../core/errors.ts';
import { presentedToken } from '../../core/http/client.ts';
import { type Call, type Endpoint, numberInPath, row } from '../../core/http/endpoint.ts';
import { jsonAnswer, NULL, ref } from '../../core/http/endpoints/schemas.ts';
import { enterForAdministration, heldCollection, needing } from '../../core/http/enter.ts';
import { replying, replyingTo } from '../../core/http/replying.ts';
import { listOf, objectOf, textSchema } from '../../core/shapes.ts';
import {
  acceptInvitation,
  invitationSchema,
  invite,
  inviteSchema,
  listInvitations,
  openInvitation,
  revokeInvitation,
} from './invitations.ts';

const invitationsSchema = objectOf({ items: listOf(invitationSchema) });
export const newInvitationSchema = objectOf({
  ...invitationSchema.properties,
  secret: { ...textSchema, description: 'What the person exchanges for the token; not shown again.' },
});

const path = '/-/{collection}/invitations';
const tag = 'Administration';

export const invitationEndpoints: readonly Endpoint[] = [
  row('GET', path, 'invitations', {
    tag,
    summary: 'List the invitations to a collection, newest first',
    answers: { 200: jsonAnswer('The last 1,000.', invitationsSchema) },
    ...replying(enterForAdministration, {}, async ({ collection }) => ({
      items: await listInvitations(collection),
    })),
  }),
  row('POST', path, 'invitations.create', {
    tag,
    summary: 'Invite a person: make a secret that is exchanged for a token once',
    answers: { 200: jsonAnswer('The invitation with its secret.', newInvitationSchema) },
    refusals: [404, 406, 409],
    ...replyingTo(
      enterForAdministration,
      {},
      {
        schema: inviteSchema,
        example: { name: 'ann', user_id: 'ann@example.org', mode: 'WRITE_COLLECTION', incoming_label: 'ann' },
        limit: 64 * 1024,
      },
      ({ collection, by }, { until, incoming_label = '', ...invited }, _, { service }) =>
        invite(service.administration, collection, { ...invited, incoming_label }, until, by.author),
    ),
  }),
  row('DELETE', `${path}/{id}`, 'invitations.revoke', {
    tag,
    summary: 'Revoke an open invitation',
    answers: { 200: jsonAnswer('It is revoked.', NULL) },
    ...replying(enterForAdministration, {}, async ({ collection, by }, _, call) => {
      await revokeInvitation(collection, numberInPath(call, 'id'), by.author);
      return null;
    }),
  }),
  row('GET', `${path}/open`, 'invitations.open', {
    tag,
    summary: 'Read an invitation by its secret before it is accepted',
    description: 'The secret is sent as the token of the request.',
    answers: { 200: jsonAnswer('The invitation.', invitationSchema) },
    ...replying(needing('secret', heldCollection), {}, (collection, _, call) =>
      openInvitation(collection.database, collection, presentedSecret(call)),
    ),
  }),
  row('POST', `${path}/accept`, 'invitations.accept', {
    tag,
    summary: 'Exchange the secret of an invitation for a token',
    description:
      'The secret is sent as the token of the request. The response has the secret of the token, which is not shown again.',
    answers: { 200: jsonAnswer('The token.', ref('Token')) },
    refusals: [406, 409],
    ...replying(needing('secret', heldCollection), {}, (collection, _, call) =>
      acceptInvitation(call.service.administration, collection, presentedSecret(call)),
    ),
  }),
];

/** @throws ServiceError `token_required` */
function presentedSecret({ request }: Pick<Call, 'request'>): string {
  const secret = presentedToken(request.headers);
  if (secret !== undefined) return secret;
  throw new ServiceError('token_required', 'The secret of the invitation is missing: send it as the token.');
}
