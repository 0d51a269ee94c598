/** The types of requests and responses for clients, read from the schemas of the endpoints. */
import type { FromSchema } from '../../core/http/schema-types.ts';
import type { newInvitationSchema } from './endpoints.ts';
import type { invitationSchema, inviteSchema } from './invitations.ts';

/** Whom an administrator invites. */
export type Invite = FromSchema<typeof inviteSchema>;
/** An invitation of a person to a collection. */
export type Invitation = FromSchema<typeof invitationSchema>;
/** An invitation with its secret, which is shown once. */
export type NewInvitation = FromSchema<typeof newInvitationSchema>;
