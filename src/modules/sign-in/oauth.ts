/**
 * Forges by OAuth 2.0. The groups of a person are organizations (`data_handling`), teams (`data_handling/curators`), and for each repository
 * that the configuration names, what the person may do there (`data_handling/records:write`, with `:read` below it).
 */
import type { Configuration } from 'openid-client';
import { ForgeFailure, getJson, getList } from '../../core/access/forge-http.ts';
import { claimsOf, textOf } from './claims.ts';
import { failureOf, keptOf, type Libraries, limit } from './protocol.ts';
import { type Arrival, type Kept, type Provider, refused, unavailable } from './provider.ts';
import type { OauthSourceConfig } from './source-config.ts';
import { TIMES } from './times.ts';

type Json = Readonly<Record<string, unknown>>;
/** Reads below the API of a forge as the person. @throws ForgeFailure */
type Ask = {
  one(path: string): Promise<Json>;
  all(path: string): Promise<readonly Json[]>;
};
type Level = 'read' | 'write' | 'admin';

type Forge = {
  readonly address: string;
  readonly authorize: string;
  readonly token: string;
  readonly scope: string;
  /** The address of the API, from that of the forge. */
  api(address: string): string;
  user(ask: Ask): Promise<Json>;
  groups(ask: Ask): Promise<readonly (string | undefined)[]>;
  /** What the person may do in a repository; undefined for nothing. */
  level(ask: Ask, repository: string): Promise<Level | undefined>;
};

const inside = (value: unknown, key: string) => textOf((value as Json | undefined)?.[key]);
const joined = (...parts: readonly (string | undefined)[]) =>
  parts.includes(undefined) ? undefined : parts.join('/');

/** Gitea, Forgejo and GitHub describe the permissions in a repository alike. */
async function repositoryLevel(ask: Ask, repository: string): Promise<Level | undefined> {
  const path = repository.split('/').map(encodeURIComponent).join('/');
  const { permissions = {} } = (await ask.one(`repos/${path}`)) as { permissions?: Json };
  const { admin, push, pull } = permissions;
  return admin ? 'admin' : push ? 'write' : pull ? 'read' : undefined;
}

const FORGES: Readonly<Record<OauthSourceConfig['provider'], Forge>> = {
  github: {
    address: 'https://github.com',
    authorize: '/login/oauth/authorize',
    token: '/login/oauth/access_token',
    scope: 'read:user read:org',
    api: (address) => (address === 'https://github.com' ? 'https://api.github.com' : `${address}/api/v3`),
    user: (ask) => ask.one('user'),
    groups: async (ask) => [
      ...(await ask.all('user/orgs?per_page=100')).map(({ login }) => textOf(login)),
      ...(await ask.all('user/teams?per_page=100')).map((team) =>
        joined(inside(team.organization, 'login'), inside(team, 'slug')),
      ),
    ],
    level: repositoryLevel,
  },
  gitlab: {
    address: 'https://gitlab.com',
    authorize: '/oauth/authorize',
    token: '/oauth/token',
    scope: 'read_user read_api',
    api: (address) => `${address}/api/v4`,
    async user(ask) {
      const { username, ...user } = await ask.one('user');
      return { ...user, login: username };
    },
    groups: async (ask) =>
      (await ask.all('groups?min_access_level=10&per_page=100')).map((group) => inside(group, 'full_path')),
    async level(ask, repository) {
      type Access = { readonly access_level?: number } | null;
      const { permissions } = (await ask.one(`projects/${encodeURIComponent(repository)}`)) as {
        permissions?: { project_access?: Access; group_access?: Access };
      };
      const levels = [permissions?.project_access?.access_level, permissions?.group_access?.access_level];
      const most = Math.max(0, ...levels.map((one) => one ?? 0));
      return most >= 40 ? 'admin' : most >= 30 ? 'write' : most >= 20 ? 'read' : undefined;
    },
  },
  forgejo: {
    address: 'https://codeberg.org',
    authorize: '/login/oauth/authorize',
    token: '/login/oauth/access_token',
    scope: 'read:user read:organization read:repository',
    api: (address) => `${address}/api/v1`,
    async user(ask) {
      const { full_name: name, ...user } = await ask.one('user');
      return { ...user, name };
    },
    groups: async (ask) => [
      ...(await ask.all('user/orgs?limit=50')).map(({ username, name }) => textOf(name ?? username)),
      ...(await ask.all('user/teams?limit=50')).map((team) =>
        joined(inside(team.organization, 'name'), inside(team, 'name')),
      ),
    ],
    level: repositoryLevel,
  },
};

/** What a level includes. */
const LEVELS: readonly Level[] = ['read', 'write', 'admin'];

/**
 * @param groups those that collections name, of which some may be of repositories
 * @param secretOf reads the secret of the client
 */
export function oauthProvider(
  libraries: Libraries,
  config: OauthSourceConfig,
  groups: readonly string[],
  secretOf: () => Promise<string | undefined>,
): Provider {
  const { openid } = libraries;
  const forge = FORGES[config.provider];
  const address = (config.url ?? forge.address).replace(/\/+$/, '');
  const title = config.title ?? config.name;
  const repositories = [
    ...new Set(groups.flatMap((one) => /^(.+):(?:read|write|admin)$/.exec(one)?.[1] ?? [])),
  ];

  async function configured(): Promise<Configuration> {
    const secret = await secretOf().catch((error: unknown) => {
      throw unavailable(title, error);
    });
    const server = {
      issuer: address,
      authorization_endpoint: address + forge.authorize,
      token_endpoint: address + forge.token,
    };
    const authentication = secret === undefined ? openid.None() : openid.ClientSecretPost(secret);
    const configuration = new openid.Configuration(server, config.client_id!, undefined, authentication);
    limit(libraries, configuration, new URL(address));
    return configuration;
  }

  async function personOf(kept: Kept): Promise<Arrival> {
    const get = (path: string) =>
      getJson(forge.api(address), path, {
        token: kept.access ?? '',
        scheme: 'Bearer',
        timeout: TIMES.issuer / 1000,
        // A repository that has another name by now is not the one that the configuration means.
        redirects: false,
      });
    const ask: Ask = {
      one: async (path) => objectIn((await get(path)).body),
      all: (path) => getList(get, path, objectIn),
    };
    const user = await forge.user(ask);
    const subject = typeof user.id === 'number' ? String(user.id) : textOf(user.id);
    const named = claimsOf({ user_id_claim: 'login', groups_claim: '', orcid_claim: '' }, user);
    const { id } = named;
    if (subject === undefined || id === undefined) throw refused(`${title} did not say who you are`);
    const found = [...(await forge.groups(ask))];
    for (const repository of repositories) {
      const level = await forge.level(ask, repository).catch(absentAsUndefined);
      found.push(
        ...LEVELS.slice(0, level === undefined ? 0 : LEVELS.indexOf(level) + 1).map(
          (one) => `${repository}:${one}`,
        ),
      );
    }
    const all = [...new Set(found.filter((one) => one !== undefined))];
    return { subject, claims: { ...named, id, groups: all }, kept };
  }

  return {
    async authorization({ redirect, state, verifier }) {
      return openid.buildAuthorizationUrl(await configured(), {
        redirect_uri: redirect,
        scope: forge.scope,
        state,
        code_challenge: await openid.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
      });
    },
    async arrive(url, { state, verifier }) {
      try {
        const tokens = await openid.authorizationCodeGrant(await configured(), url, {
          expectedState: state,
          pkceCodeVerifier: verifier,
          idTokenExpected: false,
        });
        return await personOf(keptOf(tokens));
      } catch (error) {
        throw failureOf(libraries, title, error);
      }
    },
    async again(kept, _, keep) {
      try {
        return await personOf(kept);
      } catch (error) {
        if (!isRevoked(error)) throw failureOf(libraries, title, error);
      }
      if (kept.refresh === undefined) return 'ended';
      try {
        const tokens = await openid.refreshTokenGrant(await configured(), kept.refresh);
        const fresh = { ...kept, ...keptOf(tokens) };
        await keep(fresh);
        return await personOf(fresh);
      } catch (error) {
        if (isRevoked(error) || error instanceof openid.ResponseBodyError) return 'ended';
        throw failureOf(libraries, title, error);
      }
    },
  };
}

/** A member that is missing is not said. */
const objectIn = (body: unknown): Json => (typeof body === 'object' && body !== null ? (body as Json) : {});

/** Whether the forge does not accept the access token any more. */
const isRevoked = (error: unknown) => error instanceof ForgeFailure && error.status === 401;

/**
 * A repository that the person may not see, or that has another name by now, is one in which they may do nothing. A forge that
 * asks for patience (429) has not said so.
 */
function absentAsUndefined(error: unknown): undefined {
  const status = error instanceof ForgeFailure ? (error.status ?? 0) : 0;
  if (status >= 300 && status < 500 && status !== 429 && status !== 401) return undefined;
  throw error;
}
