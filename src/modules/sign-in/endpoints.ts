import { type Endpoint, inPath, row } from '../../core/http/endpoint.ts';
import { jsonAnswer, NULL } from '../../core/http/endpoints/schemas.ts';
import {
  enterAsAdministrator,
  enterAsSteward,
  enterAsUser,
  enterForAdministration,
} from '../../core/http/enter.ts';
import { flag, integer, shortText, textParameter } from '../../core/http/query.ts';
import { replying, replyingTo } from '../../core/http/replying.ts';
import { bodyOf, listOf, objectOf, orNull, textSchema } from '../../core/shapes.ts';
import { acceptInvitationAs } from '../invitations/invitations.ts';
import {
  listedPerson,
  listPeople,
  personDetailSchema,
  personSchema,
  readPerson,
  sessionSchema,
} from './administration.ts';
import { enterAsPerson, enterCollectionAsPerson, enterToSignIn } from './enter.ts';
import { begin, end, explained, takeSession } from './flow.ts';
import {
  addGrant,
  checkGrant,
  grantSchema,
  listGrants,
  putGrant,
  putGrantSchema,
  removeGrant,
} from './grants.ts';
import { personRow, setBlocked, userIdOf, userNames } from './people.ts';
import {
  endPersonalToken,
  listPersonalTokens,
  makePersonalToken,
  newTokenSchema,
  personalTokenSchema,
} from './personal-tokens.ts';
import {
  accessRequestSchema,
  askForAccess,
  listRequests,
  newRequestSchema,
  removeRequest,
} from './requests.ts';
import { endSession, endSessions, listSessions } from './sessions.ts';
import { signInOf } from './sign-in.ts';
import { withPreset } from './source-config.ts';

const service = 'Service';
const tag = 'Administration';
const ofCollection = '/-/{collection}';
const REDIRECT = { 303: { description: 'The browser is led on.' } };
const number = (call: Parameters<typeof inPath>[0], name: string) => Number(inPath(call, name));
const LIMIT = 64 * 1024;

export const signInSourcesSchema = objectOf({
  items: listOf(
    objectOf({
      name: textSchema,
      title: { ...textSchema, description: 'What its button says.' },
      kind: { ...textSchema, description: 'The preset, the provider, or `oidc`.' },
    }),
  ),
});
export const signedInSchema = objectOf({
  token: { ...textSchema, description: 'The token of the session; not sent again.' },
  return: { ...textSchema, description: 'The path in the desk that the person came from.' },
});
export const meSchema = objectOf({
  person: personSchema,
  sessions: listOf(sessionSchema),
});
const tokensSchema = objectOf({ items: listOf(personalTokenSchema) });
export const newPersonalTokenSchema = objectOf({
  ...personalTokenSchema.properties,
  representation: { ...textSchema, description: 'The secret, which is not shown again.' },
});
export const peopleSchema = objectOf({
  items: listOf(personSchema),
  next: { ...orNull({ type: 'integer' }), description: '`before` of the next page; null at the end.' },
});
const grantsSchema = objectOf({ items: listOf(grantSchema) });
const requestsSchema = objectOf({ items: listOf(accessRequestSchema) });
const usersSchema = bodyOf({ users: { type: 'array', items: textSchema, maxItems: 200 } });
export const userNamesSchema = objectOf({ names: { type: 'object', additionalProperties: textSchema } });
const acceptSchema = bodyOf({ secret: { ...textSchema, description: 'The secret of the invitation.' } });

/** The way in. */
const flowEndpoints: readonly Endpoint[] = [
  row('GET', '/-/sign-in', 'signIn.sources', {
    tag: service,
    summary: 'List the sources that people can sign in by',
    answers: { 200: jsonAnswer('The sources.', signInSourcesSchema) },
    ...replying(enterToSignIn, {}, (call) => ({
      items: signInOf(call.service.registry)
        .sources()
        .map((source) => ({
          name: source.name,
          title: (source.type === 'oidc' ? withPreset(source).title : source.title) ?? source.name,
          kind: source.type === 'oidc' ? (source.preset ?? 'oidc') : source.provider,
        })),
    })),
  }),
  row('GET', '/-/sign-in/{source}', 'signIn.begin', {
    tag: service,
    summary: 'Lead a browser to an issuer to sign in',
    answers: REDIRECT,
    ...replying(
      enterToSignIn,
      { return: textParameter('The path in the desk that the person comes back to.') },
      async (call, query) => {
        const source = inPath(call, 'source');
        await explained(call, source, () => begin(call, source, query.return));
      },
    ),
  }),
  row('GET', '/-/sign-in/{source}/callback', 'signIn.end', {
    tag: service,
    summary: 'Take a browser back from an issuer',
    answers: REDIRECT,
    secretQuery: true,
    writes: true,
    need: enterToSignIn.need,
    // The parameters are those of the protocol, and some issuers add further ones.
    async handle(call) {
      const source = inPath(call, 'source');
      return explained(call, source, () => end(call, source));
    },
  }),
  row('POST', '/-/sign-in/session', 'signIn.session', {
    tag: service,
    summary: 'Hand the token of a new session to the desk, once',
    answers: { 200: jsonAnswer('The token.', signedInSchema) },
    ...replying(enterToSignIn, {}, (call) => takeSession(call)),
  }),
];

/** What people have of their own. */
const ownEndpoints: readonly Endpoint[] = [
  row('GET', '/-/me/sessions', 'me.sessions', {
    tag: service,
    summary: 'Read who has signed in, with all sessions of the person',
    answers: { 200: jsonAnswer('The person, and the sessions, newest first.', meSchema) },
    ...replying(enterAsPerson, {}, async ({ signIn, person, session }) => ({
      person: listedPerson((await personRow(signIn.database, person))!),
      sessions: (await listSessions(signIn.database, person.id)).map((one) => ({
        ...one,
        current: one.id === session,
      })),
    })),
  }),
  row('DELETE', '/-/me/sessions', 'me.signOut', {
    tag: service,
    summary: 'Sign out: end the session of the request, or all sessions of the person',
    answers: { 200: jsonAnswer('It is ended.', NULL) },
    ...replying(
      enterAsPerson,
      { everywhere: flag('Ends all sessions of the person.', false) },
      async ({ signIn, person, session }, { everywhere }) => {
        if (everywhere) await endSessions(signIn.database, person.id);
        else await endSession(signIn.database, person.id, session);
        return null;
      },
    ),
  }),
  row('DELETE', '/-/me/sessions/{id}', 'me.endSession', {
    tag: service,
    summary: 'End another session of the person',
    answers: { 200: jsonAnswer('It is ended.', NULL) },
    ...replying(enterAsPerson, {}, async ({ signIn, person }, _, call) => {
      await endSession(signIn.database, person.id, number(call, 'id'));
      return null;
    }),
  }),
  row('GET', '/-/me/tokens', 'me.tokens', {
    tag: service,
    summary: 'List the personal tokens of the person, newest first',
    answers: { 200: jsonAnswer('The tokens, without their secrets.', tokensSchema) },
    ...replying(enterAsPerson, {}, async ({ signIn, person }) => ({
      items: await listPersonalTokens(signIn.database, person.id),
    })),
  }),
  row('POST', '/-/me/tokens', 'me.makeToken', {
    tag: service,
    summary: 'Make a personal token for a script',
    description: 'It never permits more than the person may when it is used.',
    answers: { 200: jsonAnswer('The token with its secret.', newPersonalTokenSchema) },
    ...replyingTo(
      enterAsPerson,
      {},
      {
        schema: newTokenSchema,
        example: { name: 'nightly import', collections: { laboratory: 'WRITE_COLLECTION' }, days: 90 },
        limit: LIMIT,
      },
      ({ signIn, person }, wanted) => makePersonalToken(signIn.database, person.id, wanted),
    ),
  }),
  row('DELETE', '/-/me/tokens/{id}', 'me.endToken', {
    tag: service,
    summary: 'End a personal token',
    answers: { 200: jsonAnswer('It is ended.', NULL) },
    ...replying(enterAsPerson, {}, async ({ signIn, person }, _, call) => {
      await endPersonalToken(signIn.database, person.id, number(call, 'id'));
      return null;
    }),
  }),
];

/** The names of people beside what they have changed. */
const nameEndpoints: readonly Endpoint[] = [
  row('POST', `${ofCollection}/user-names`, 'userNames', {
    tag: 'History',
    summary: 'Read the names of users who have signed in, by the ids that histories have',
    changesNothing: true,
    answers: { 200: jsonAnswer('User id → name; ids without a name are left out.', userNamesSchema) },
    ...replyingTo(
      enterAsUser,
      {},
      { schema: usersSchema, example: { users: ['institute:ann'] }, limit: LIMIT },
      async ({ collection: { database } }, { users }) => ({
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
      await removeGrant(database, name, number(call, 'id'));
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
    tag: service,
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
      await removeRequest(database, name, number(call, 'id'));
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
        await acceptInvitationAs(collection, secret, userIdOf(person), (draft, invited) => {
          const { mode, incoming_label, expires, by } = invited;
          const { source, subject, claims } = person;
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
        before: integer('`next` of the former page.', undefined, 0, Number.MAX_SAFE_INTEGER),
      },
      (_, query, call) => listPeople(call.service.database, query),
    ),
  }),
  row('GET', '/-/people/{id}', 'person', {
    tag,
    summary: 'Read a person with sessions, personal tokens and grants',
    answers: { 200: jsonAnswer('The person.', personDetailSchema) },
    ...replying(enterAsAdministrator, {}, (_, __, call) =>
      readPerson(call.service.database, number(call, 'id')),
    ),
  }),
  row('DELETE', '/-/people/{id}/sessions', 'person.endSessions', {
    tag,
    summary: 'End all sessions of a person, or one',
    answers: { 200: jsonAnswer('They are ended.', NULL) },
    ...replying(
      enterAsAdministrator,
      { session: integer('Only this session.', undefined, 0, Number.MAX_SAFE_INTEGER) },
      async (_, { session }, call) => {
        const { database } = call.service;
        const { id } = await readPerson(database, number(call, 'id'));
        if (session === undefined) await endSessions(database, id);
        else await endSession(database, id, session);
        return null;
      },
    ),
  }),
  row('PUT', '/-/people/{id}/block', 'person.block', {
    tag,
    summary: 'Block an identity: sessions and personal tokens end',
    answers: { 200: jsonAnswer('It is blocked.', NULL) },
    ...replying(enterAsAdministrator, {}, async (by, _, call) => {
      await setBlocked(call.service.database, number(call, 'id'), true, by);
      return null;
    }),
  }),
  row('DELETE', '/-/people/{id}/block', 'person.unblock', {
    tag,
    summary: 'Let a blocked identity in again',
    answers: { 200: jsonAnswer('It may sign in.', NULL) },
    ...replying(enterAsAdministrator, {}, async (by, _, call) => {
      await setBlocked(call.service.database, number(call, 'id'), false, by);
      return null;
    }),
  }),
];

export const signInEndpoints: readonly Endpoint[] = [
  ...flowEndpoints,
  ...ownEndpoints,
  ...nameEndpoints,
  ...grantEndpoints,
  ...peopleEndpoints,
];
