/** The source of tokens of an entry of `auth_sources` by which people sign in: sessions, personal tokens, tokens of the issuer. */
import type { Grant, TokenSource } from '../../core/access/grant.ts';
import type { Registry } from '../../core/collections/registry.ts';
import { curatorsIn, grantIn } from './grants.ts';
import { signedInAs } from './people.ts';
import { type Bearer, hasZones, isOurs, type SignIn } from './sign-in.ts';
import { type SignInConfig, sourceKey } from './source-config.ts';

export function signInTokens(
  config: SignInConfig,
  collection: string,
  signIn: SignIn,
  registry: Registry,
): TokenSource {
  const { type, name } = config;
  const withZone = (grant: Grant): Grant => {
    const { configuration } = registry.current();
    return hasZones(configuration, collection) ? grant : { ...grant, label: undefined };
  };
  return {
    name: `${type} ${name}`,
    async authenticate(token) {
      const bearer = (await signIn.bearer(token)) ?? (await signedBearer(config, token, signIn));
      if ('reason' in bearer) return bearer;
      const { person } = bearer;
      if (person.source !== name) return { reason: `the person has signed in by '${person.source}'` };
      const most = bearer.kind === 'personal' ? bearer.modes : null;
      const mode = most === null ? undefined : Object.hasOwn(most, collection) ? most[collection] : 'NOTHING';
      return { grant: withZone(await grantIn(signIn.database, collection, config, person, mode)) };
    },
    async grantAgain({ source, userId }) {
      if (source !== sourceKey(config)) return undefined;
      const person = await signedInAs(signIn.database, name, userId);
      return person && withZone(await grantIn(signIn.database, collection, config, person));
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
