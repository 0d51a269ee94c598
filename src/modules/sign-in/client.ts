/**
 * Sign-in for clients: what people have of their own, and who may do what.
 *
 * ```ts
 * import { grants, signIn } from 'accession/client/sign-in';
 *
 * const { representation } = await service.use(signIn).makeToken({ name: 'nightly import' });
 * const granted = await laboratory.use(grants).list();
 * ```
 */
import type { Http } from '../../client/http.ts';
import type {
  AccessRequest,
  Identity,
  IdentityGrant,
  NewPersonalToken,
  OwnSessions,
  People,
  PersonalToken,
  PersonalTokenRequest,
  PersonDetail,
  PutIdentityGrant,
  SignInSource,
} from './api-types.ts';

export type * from './api-types.ts';

/** Of the service. */
export function signIn(http: Http) {
  const remove = async (path: string, query?: Record<string, string | number | boolean | undefined>) => {
    await http.send('DELETE', path, { query });
  };
  return {
    /** The sources that people can sign in by. */
    sources: (): Promise<readonly SignInSource[]> => http.items('/-/sign-in'),
    /** Who has signed in with the token of this client, and all sessions of the person. */
    sessions: (): Promise<OwnSessions> => http.json('GET', '/-/me/sessions'),
    signOut: ({ everywhere }: { everywhere?: boolean } = {}) => remove('/-/me/sessions', { everywhere }),
    endSession: (id: number) => remove(`/-/me/sessions/${id}`),
    /** The personal tokens, newest first. */
    tokens: (): Promise<readonly PersonalToken[]> => http.items('/-/me/tokens'),
    /** @returns the token with its secret, which is not shown again */
    makeToken: (json: PersonalTokenRequest): Promise<NewPersonalToken> =>
      http.json('POST', '/-/me/tokens', { json }),
    endToken: (id: number) => remove(`/-/me/tokens/${id}`),
    /** The people of the service, those who were here last first. */
    people: (query?: { q?: string; before?: number }): Promise<People> =>
      http.json('GET', '/-/people', { query }),
    person: (id: number): Promise<PersonDetail> => http.json('GET', `/-/people/${id}`),
    /** Ends all sessions of a person, or one. */
    endSessionsOf: (person: number, session?: number) => remove(`/-/people/${person}/sessions`, { session }),
    /** Blocks an identity that may not have signed in. */
    async block(json: Identity): Promise<void> {
      await http.send('PUT', '/-/people/block', { json });
    },
    /** Blocks a person, or lets them in again. */
    async setBlocked(person: number, blocked: boolean): Promise<void> {
      await http.send(blocked ? 'PUT' : 'DELETE', `/-/people/${person}/block`);
    },
  };
}

/** Of a collection. */
export function grants(http: Http, path: string) {
  return {
    /** The names of users who have signed in, by user id. */
    names: async (users: readonly string[]): Promise<Readonly<Record<string, string>>> =>
      (
        await http.json<{ names: Record<string, string> }>('POST', `${path}/user-names`, {
          json: { users },
          safe: true,
        })
      ).names,
    /** What was granted to identities, by name. */
    list: (): Promise<readonly IdentityGrant[]> => http.items(`${path}/grants`),
    /** Grants a mode to an identity, in place of a former one. */
    async put(json: PutIdentityGrant): Promise<void> {
      await http.send('PUT', `${path}/grants`, { json });
    },
    async remove(id: number): Promise<void> {
      await http.send('DELETE', `${path}/grants/${id}`);
    },
    /** Who asks for access, oldest first. */
    requests: (): Promise<readonly AccessRequest[]> => http.items(`${path}/access-requests`),
    /** Asks for access as the person of the session. */
    async ask(message: string): Promise<void> {
      await http.send('POST', `${path}/access-requests`, { json: { message } });
    },
    async removeRequest(id: number): Promise<void> {
      await http.send('DELETE', `${path}/access-requests/${id}`);
    },
    /** Accepts the invitation of a secret as the person of the session. */
    async acceptInvitation(secret: string): Promise<void> {
      await http.send('POST', `${path}/invitations/accept-signed-in`, { json: { secret } });
    },
  };
}
