/** Invitations of persons to a collection: made and revoked by administrators, accepted by whom they are for. */
import { tokenModes } from '../../access/modes.ts';
import { acceptInvitation, invite, listInvitations, revokeInvitation } from '../../config/invitations.ts';
import { ServiceError } from '../../errors.ts';
import { presentedToken } from '../client.ts';
import { type Endpoint, inPath } from '../endpoint.ts';
import { replying, replyingTo } from '../replying.ts';
import { enterForAdministration, heldCollection } from './curate.ts';
import {
  bodyOf,
  countSchema,
  jsonAnswer,
  listOf,
  NULL,
  objectOf,
  ref,
  textOrNull,
  textSchema,
} from './schemas.ts';

const grantedTo = {
  name: { ...textSchema, description: 'The name of the token.' },
  user_id: { ...textSchema, description: 'Who the person is in histories.' },
  mode: { enum: tokenModes, description: 'What the token permits in the collection.' },
} as const;
const incoming_label = {
  ...textSchema,
  description: 'The zone of the token, if the mode needs one.',
} as const;

/** Whom an administrator invites. */
export const inviteSchema = bodyOf(grantedTo, {
  incoming_label: { ...incoming_label, default: '' },
  expires: { ...textSchema, description: 'Until when the token is accepted; default: forever.' },
  until: {
    ...textSchema,
    description:
      'The last day or the time until which the invitation can be accepted; default: 7 days from now, at most 90.',
  },
});

const members = {
  id: countSchema,
  ...{ ...grantedTo, incoming_label },
  expires: { ...textOrNull, description: 'Until when the token is accepted; null: forever.' },
  until: { ...textSchema, description: 'Until when the invitation can be accepted.' },
  created: textSchema,
  by: { ...textSchema, description: 'The admin token that made it.' },
  state: { enum: ['open', 'accepted', 'revoked', 'expired'] },
  ended: { ...textOrNull, description: 'When it was accepted or revoked.' },
  ended_by: { ...textOrNull, description: 'The user that accepted it, or the admin token that revoked it.' },
} as const;

export const invitationsSchema = objectOf({ items: listOf(objectOf(members)) });
export const newInvitationSchema = objectOf({
  ...members,
  secret: { ...textSchema, description: 'What the person exchanges for the token; not shown again.' },
});

const path = '/-/{collection}/invitations';
const shared = { tag: 'Administration', token: 'admin' } as const;

export const invitationEndpoints: readonly Endpoint[] = [
  {
    ...shared,
    method: 'GET',
    path,
    id: 'invitations',
    summary: 'List the invitations to a collection, newest first',
    answers: { 200: jsonAnswer('The last 1,000.', invitationsSchema) },
    ...replying(enterForAdministration, {}, async ({ collection }) => ({
      items: await listInvitations(collection),
    })),
  },
  {
    ...shared,
    method: 'POST',
    path,
    id: 'invitations.create',
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
  },
  {
    ...shared,
    method: 'DELETE',
    path: `${path}/{id}`,
    id: 'invitations.revoke',
    summary: 'Revoke an open invitation',
    answers: { 200: jsonAnswer('It is revoked.', NULL) },
    ...replying(enterForAdministration, {}, async ({ collection, by }, _, call) => {
      await revokeInvitation(collection, Number(inPath(call, 'id')), by.author);
      return null;
    }),
  },
  {
    ...shared,
    token: 'required',
    method: 'POST',
    path: `${path}/accept`,
    id: 'invitations.accept',
    summary: 'Exchange the secret of an invitation for a token',
    description:
      'The secret is sent as the token of the request. The response has the secret of the token, which is not shown again.',
    answers: { 200: jsonAnswer('The token.', ref('Token')) },
    refusals: [406, 409],
    ...replying(heldCollection, {}, (collection, _, { service, request }) => {
      const secret = presentedToken(request.headers);
      if (secret === undefined)
        throw new ServiceError(
          'token_required',
          'The secret of the invitation is missing: send it as the token.',
        );
      return acceptInvitation(service.administration, collection, secret);
    }),
  },
];
