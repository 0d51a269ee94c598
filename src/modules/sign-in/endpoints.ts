/** The way in, and what people have of their own. */
import { type Endpoint, inPath, numberInPath, row } from '../../core/http/endpoint.ts';
import { jsonAnswer, NULL } from '../../core/http/endpoints/schemas.ts';
import { flag, textParameter } from '../../core/http/query.ts';
import { replying, replyingTo } from '../../core/http/replying.ts';
import { listOf, objectOf, textSchema } from '../../core/shapes.ts';
import { accessEndpoints } from './access-endpoints.ts';
import { listedPerson, personSchema, sessionSchema } from './administration.ts';
import { enterAsPerson, enterToSignIn } from './enter.ts';
import { begin, end, explained, takeSession } from './flow.ts';
import { personRow } from './people.ts';
import {
  endPersonalToken,
  listPersonalTokens,
  makePersonalToken,
  newTokenSchema,
  personalTokenSchema,
} from './personal-tokens.ts';
import { endSession, endSessions, listSessions } from './sessions.ts';
import { signInOf } from './sign-in.ts';
import { withPreset } from './source-config.ts';

const service = 'Service';
const REDIRECT = { 303: { description: 'The browser is led on.' } };
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
    refusals: [405],
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
      await endSession(signIn.database, person.id, numberInPath(call, 'id'));
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
      await endPersonalToken(signIn.database, person.id, numberInPath(call, 'id'));
      return null;
    }),
  }),
];

export const signInEndpoints: readonly Endpoint[] = [...flowEndpoints, ...ownEndpoints, ...accessEndpoints];
