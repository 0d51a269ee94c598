/** The types of requests and responses for clients, read from the schemas of the endpoints. */
import type { FromSchema } from '../../core/http/schema-types.ts';
import type { peopleSchema } from './access-endpoints.ts';
import type { personDetailSchema, personSchema } from './administration.ts';
import type { meSchema, newPersonalTokenSchema, signedInSchema, signInSourcesSchema } from './endpoints.ts';
import type { blockSchema, grantSchema, putGrantSchema } from './grants.ts';
import type { newTokenSchema, personalTokenSchema } from './personal-tokens.ts';
import type { accessRequestSchema } from './requests.ts';

/** A source that people can sign in by. */
export type SignInSource = FromSchema<typeof signInSourcesSchema>['items'][number];
/** The session that the desk accepts. */
export type SignedIn = FromSchema<typeof signedInSchema>;
/** Who has signed in, with all sessions. */
export type OwnSessions = FromSchema<typeof meSchema>;
export type Person = FromSchema<typeof personSchema>;
export type PersonDetail = FromSchema<typeof personDetailSchema>;
export type People = FromSchema<typeof peopleSchema>;
export type PersonalToken = FromSchema<typeof personalTokenSchema>;
export type NewPersonalToken = FromSchema<typeof newPersonalTokenSchema>;
export type PersonalTokenRequest = FromSchema<typeof newTokenSchema>;
/** A source with the subject that it knows the person by. */
export type Identity = FromSchema<typeof blockSchema>;
export type IdentityGrant = FromSchema<typeof grantSchema>;
export type PutIdentityGrant = FromSchema<typeof putGrantSchema>;
export type AccessRequest = FromSchema<typeof accessRequestSchema>;
