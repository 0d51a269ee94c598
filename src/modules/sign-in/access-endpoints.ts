/** Who may do what in a collection, and the people of the service. */
import { userIdSchema } from '../../core/access/config-tokens.ts';
import { userRefused } from '../../core/collections/refusals.ts';
import { type Endpoint, numberInPath, row } from '../../core/http/endpoint.ts';
import { jsonAnswer, NULL } from '../../core/http/endpoints/schemas.ts';
import {
  enter,
  enterAsAdministrator,
  enterAsSteward,
  enterForAdministration,
  needing,
} from '../../core/http/enter.ts';
import { integer, shortText } from '../../core/http/query.ts';
import { replying, replyingTo } from '../../core/http/replying.ts';
import { bodyOf, listOf, objectOf, orNull, textSchema } from '../../core/shapes.ts';
import { acceptInvitationAs } from '../invitations/invitations.ts';
import { listPeople, personDetailSchema, personSchema, readPerson } from './administration.ts';
import { enterCollectionAsPerson } from './enter.ts';
import {
  addGrant,
  blockSchema,
  checkGrant,
  grantSchema,
  listGrants,
  putGrant,
  putGrantSchema,
  removeGrant,
  requireNoGrant,
} from './grants.ts';
import { blockIdentity, unblock, userIdOf, userNames } from './people.ts';
import {
  accessRequestSchema,
  askForAccess,
  listRequests,
  newRequestSchema,
  removeRequest,
} from './requests.ts';
import { endSession, endSessions } from './sessions.ts';
import { signInOf } from './sign-in.ts';

const tag = 'Administration';
const ofCollection = '/-/{collection}';
const LIMIT = 64 * 1024;

export const peopleSchema = objectOf({
  items: listOf(personSchema),
  next: { ...orNull({ type: 'integer' }), description: '`before` of the next page; null at the end.' },
});
const grantsSchema = objectOf({ items: listOf(grantSchema) });
const requestsSchema = objectOf({ items: listOf(accessRequestSchema) });
const usersSchema = bodyOf({ users: { type: 'array', items: userIdSchema, maxItems: 200 } });
const userNamesSchema = objectOf({ names: { type: 'object', additionalProperties: textSchema } });
const acceptSchema = bodyOf({ secret: { ...textSchema, description: 'The secret of the invitation.' } });

/** Those who may see what people have changed. @throws ServiceError `permission_missing` */
const enterAsReader = needing('reader', async (call) => {
  const { collection, grant } = await enter(call);
  const { readCurated, readZone } = grant.permissions;
  if (!readCurated && !readZone) throw userRefused('read', collection.name, grant);
  return collection;
});

/** The names of people beside what they have changed. */
const nameEndpoints: readonly Endpoint[] = [
  row('POST', `${ofCollection}/user-names`, 'userNames', {
    tag: 'History',
    summary: 'Read the names of users who have signed in, by the ids that histories have',
    changesNothing: true,
    answers: { 200: jsonAnswer('User id → name; ids without a name are left out.', userNamesSchema) },
    ...replyingTo(
      enterAsReader,
      {},
      { schema: usersSchema, example: { users: ['institute:ann'] }, limit: LIMIT },
      async ({ database }, { users }) => ({
        names: Object.fromEntries(await userNames(database)(users)),
      }),
    ),
  }),
];

/** Who may do what in a collection. */
const grantEndpoints: readonly Endpoint[] = [
  row('GET', `${ofCollection}/grants`, 'grants', {
    tag,
    summary: 'List what was granted to identities, by name',
    answers: { 200: jsonAnswer('At most 10,000.', grantsSchema) },
    ...replying(enterForAdministration, {}, async ({ collection: { name, database } }) => ({
      items: await listGrants(database, name),
    })),
  }),
  row('PUT', `${ofCollection}/grants`, 'grants.put', {
    tag,
    summary: 'Grant a mode to an identity, in place of a former one',
    answers: { 200: jsonAnswer('It is granted.', NULL) },
    ...replyingTo(
      enterForAdministration,
      {},
      {
        schema: putGrantSchema,
        example: { source: 'institute', subject: '6f1c2a', name: 'Ann Ash', mode: 'WRITE_COLLECTION' },
        limit: LIMIT,
      },
      async ({ collection: { name, database }, by }, granted) => {
        await putGrant(database, name, granted, by.author);
        return null;
      },
    ),
  }),
  row('DELETE', `${ofCollection}/grants/{id}`, 'grants.remove', {
    tag,
    summary: 'Take a grant from an identity',
    answers: { 200: jsonAnswer('It is removed.', NULL) },
    ...replying(enterForAdministration, {}, async ({ collection: { name, database } }, _, call) => {
      await removeGrant(database, name, numberInPath(call, 'id'));
      return null;
    }),
  }),
  row('GET', `${ofCollection}/access-requests`, 'accessRequests', {
    tag,
    summary: 'List who asks for access, oldest first',
    answers: { 200: jsonAnswer('At most 1,000.', requestsSchema) },
    ...replying(enterAsSteward, {}, async ({ collection: { name, database } }) => ({
      items: await listRequests(database, name),
    })),
  }),
  row('POST', `${ofCollection}/access-requests`, 'accessRequests.ask', {
    tag: 'Service',
    summary: 'Ask for access as a person who has signed in',
    answers: { 200: jsonAnswer('The curators see the request.', NULL) },
    ...replyingTo(
      enterCollectionAsPerson,
      {},
      {
        schema: newRequestSchema,
        example: { message: 'I curate the instruments of my group.' },
        limit: LIMIT,
      },
      async ({ person, collection: { name, database } }, { message }) => {
        await askForAccess(database, name, person.id, message);
        return null;
      },
    ),
  }),
  row('DELETE', `${ofCollection}/access-requests/{id}`, 'accessRequests.remove', {
    tag,
    summary: 'Remove a request that is not granted',
    answers: { 200: jsonAnswer('It is removed.', NULL) },
    ...replying(enterForAdministration, {}, async ({ collection: { name, database } }, _, call) => {
      await removeRequest(database, name, numberInPath(call, 'id'));
      return null;
    }),
  }),
  row('POST', `${ofCollection}/invitations/accept-signed-in`, 'invitations.acceptSignedIn', {
    tag,
    summary: 'Accept an invitation as a person who has signed in',
    description: 'What was offered is granted to the identity, in place of a token.',
    answers: { 200: jsonAnswer('It is granted.', NULL) },
    ...replyingTo(
      enterCollectionAsPerson,
      {},
      { schema: acceptSchema, example: { secret: '…' }, limit: LIMIT },
      async ({ person, collection }, { secret }) => {
        await acceptInvitationAs(collection, secret, userIdOf(person), async (draft, invited) => {
          const { mode, incoming_label, expires, by } = invited;
          const { source, subject, claims } = person;
          await requireNoGrant(draft, collection.name, person);
          const granted = { source, subject, name: claims.name, mode, incoming_label };
          addGrant(draft, collection.name, checkGrant({ ...granted, ...(expires && { expires }) }), by);
        });
        return null;
      },
    ),
  }),
];

/** The people of the service. */
const peopleEndpoints: readonly Endpoint[] = [
  row('GET', '/-/people', 'people', {
    tag,
    summary: 'List the people who have signed in, those who were here last first',
    answers: { 200: jsonAnswer('At most 200.', peopleSchema) },
    ...replying(
      enterAsAdministrator,
      {
        q: shortText('Only people whose names, addresses or ids have this text.', 100),
        before: integer('`next` of the former page.', undefined, 0),
      },
      (_, query, call) => listPeople(call.service.database, query),
    ),
  }),
  row('GET', '/-/people/{id}', 'person', {
    tag,
    summary: 'Read a person with sessions, personal tokens and grants',
    answers: { 200: jsonAnswer('The person.', personDetailSchema) },
    ...replying(enterAsAdministrator, {}, (_, __, call) =>
      readPerson(call.service.database, numberInPath(call, 'id')),
    ),
  }),
  row('DELETE', '/-/people/{id}/sessions', 'person.endSessions', {
    tag,
    summary: 'End all sessions of a person, or one',
    answers: { 200: jsonAnswer('They are ended.', NULL) },
    ...replying(
      enterAsAdministrator,
      { session: integer('Only this session.', undefined, 0) },
      async (_, { session }, call) => {
        const { database } = call.service;
        const { id } = await readPerson(database, numberInPath(call, 'id'));
        if (session === undefined) await endSessions(database, id);
        else await endSession(database, id, session);
        return null;
      },
    ),
  }),
  row('PUT', '/-/people/block', 'people.block', {
    tag,
    summary: 'Block an identity that may not have signed in yet',
    description: 'It is listed among the people from then on, and can be let in again.',
    refusals: [404],
    answers: { 200: jsonAnswer('It is blocked.', NULL) },
    ...replyingTo(
      enterAsAdministrator,
      {},
      {
        schema: blockSchema,
        example: { source: 'institute', subject: '6f1c2a' },
        limit: LIMIT,
      },
      async (by, identity, _, call) => {
        const { registry, database } = call.service;
        // A source that does not exist has no identities.
        signInOf(registry).source(identity.source);
        await blockIdentity(database, identity, by);
        return null;
      },
    ),
  }),
  row('PUT', '/-/people/{id}/block', 'person.block', {
    tag,
    summary: 'Block an identity: sessions and personal tokens end',
    answers: { 200: jsonAnswer('It is blocked.', NULL) },
    ...replying(enterAsAdministrator, {}, async (by, _, call) => {
      const { database } = call.service;
      await blockIdentity(database, await readPerson(database, numberInPath(call, 'id')), by);
      return null;
    }),
  }),
  row('DELETE', '/-/people/{id}/block', 'person.unblock', {
    tag,
    summary: 'Let a blocked identity in again',
    answers: { 200: jsonAnswer('It may sign in.', NULL) },
    ...replying(enterAsAdministrator, {}, async (_, __, call) => {
      await unblock(call.service.database, numberInPath(call, 'id'));
      return null;
    }),
  }),
];

export const accessEndpoints: readonly Endpoint[] = [...nameEndpoints, ...grantEndpoints, ...peopleEndpoints];
