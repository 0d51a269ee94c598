/** The source of tokens of an entry of `auth_sources` by which people sign in: sessions, personal tokens, tokens of the issuer. */
import type { TokenSource } from '../../core/access/grant.ts';
import type { Registry } from '../../core/collections/registry.ts';
import { curatorsIn, grantIn } from './grants.ts';
import { type Bearer, hasZones, isOurs, type SignIn } from './sign-in.ts';
import type { SignInConfig } from './source-config.ts';

export function signInTokens(
  config: SignInConfig,
  collection: string,
  signIn: SignIn,
  registry: Registry,
): TokenSource {
  const { type, name } = config;
  return {
    name: `${type} ${name}`,
    async authenticate(token) {
      const bearer = (await signIn.bearer(token)) ?? (await signedBearer(config, token, signIn));
      if ('reason' in bearer) return bearer;
      const { person } = bearer;
      if (person.source !== name) return { reason: `the person has signed in by '${person.source}'` };
      const most = bearer.kind === 'personal' ? bearer.modes : null;
      const mode = most === null ? undefined : Object.hasOwn(most, collection) ? most[collection] : 'NOTHING';
      const grant = await grantIn(signIn.database, collection, config, person, mode);
      const { label: _, ...withoutZone } = grant;
      const { configuration } = registry.current();
      return { grant: hasZones(configuration, collection) ? grant : { ...withoutZone, label: undefined } };
    },
    curators: (among) => curatorsIn(signIn.database, collection, config, among),
  };
}

async function signedBearer(
  config: SignInConfig,
  token: string,
  signIn: SignIn,
): Promise<Bearer | { readonly reason: string }> {
  if (isOurs(token)) return { reason: ENDED };
  if (config.type === 'oidc') return signIn.signed(config, token);
  return { reason: NONE };
}

const NONE = 'not a session or a personal token';
const ENDED = 'the session or personal token has ended: sign in again';
