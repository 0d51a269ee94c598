/**
 * Forges for tests: servers on this machine that answer as GitHub, GitLab and Forgejo do, with what their documentation says of these
 * endpoints. A real forge is in forge.long.test.ts.
 */
import { hash } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { CLIENT } from './issuer.support.ts';
import type { OauthSourceConfig } from './source-config.ts';

type ForgeName = OauthSourceConfig['provider'];
type Level = 'read' | 'write' | 'admin';

/** What a forge knows of an account. */
type ForgeAccount = {
  readonly id: number;
  readonly name?: string;
  readonly organizations?: readonly string[];
  /** `organization/team`; subgroups of GitLab. */
  readonly teams?: readonly string[];
  readonly repositories?: Readonly<Record<string, Level>>;
};

export type TestForge = {
  readonly url: string;
  /** By login. */
  readonly accounts: Map<string, ForgeAccount>;
  /** Who signs in next. */
  account: string;
  /** The requests of the API that it got, as path and query. */
  readonly requests: string[];
};

type Answer = unknown;
type Known = ForgeAccount & { readonly login: string };

type Dialect = {
  readonly authorize: string;
  readonly token: string;
  readonly api: string;
  /** The parameter for the size of a page, and how many entries it has by default. */
  readonly size: readonly [name: string, usual: number];
  grant(): object;
  user(account: Known): object;
  /** Lists by path. */
  lists(account: Known): Readonly<Record<string, readonly object[]>>;
  /** What is below this path, with a name behind it, is one repository. */
  readonly repository: string;
  described(name: string, level: Level): object;
};

const RANK: Readonly<Record<Level, number>> = { read: 1, write: 2, admin: 3 };
const organization = (name: string, id: number) => ({ id: id + 1, login: name, name, username: name });
const halves = (team: string) => team.split('/') as [string, string];

const DIALECTS: Readonly<Record<ForgeName, Dialect>> = {
  github: {
    authorize: '/login/oauth/authorize',
    token: '/login/oauth/access_token',
    api: '/api/v3/',
    size: ['per_page', 30],
    grant: () => ({ token_type: 'bearer', scope: 'read:org,read:user' }),
    user: ({ id, login, name = null }) => ({ login, id, node_id: 'U_x', type: 'User', name, email: null }),
    lists: ({ organizations = [], teams = [] }) => ({
      'user/orgs': organizations.map((login, id) => ({ login, id, node_id: 'O_x', description: null })),
      'user/teams': teams.map(halves).map(([owner, slug], id) => ({
        id,
        name: slug.toUpperCase(),
        slug,
        permission: 'pull',
        organization: { login: owner, id },
      })),
    }),
    repository: 'repos/',
    described: (full_name, level) => ({
      id: 1,
      full_name,
      private: true,
      permissions: {
        admin: RANK[level] > 2,
        maintain: RANK[level] > 2,
        push: RANK[level] > 1,
        triage: RANK[level] > 1,
        pull: true,
      },
    }),
  },
  gitlab: {
    authorize: '/oauth/authorize',
    token: '/oauth/token',
    api: '/api/v4/',
    size: ['per_page', 20],
    grant: () => ({ token_type: 'Bearer', expires_in: 7200, refresh_token: 'again', scope: 'read_api' }),
    user: ({ id, login, name = login }) => ({ id, username: login, name, state: 'active', email: null }),
    lists: ({ organizations = [], teams = [] }) => ({
      groups: [...organizations, ...teams].map((full_path, id) => ({
        id,
        path: full_path.split('/').at(-1),
        full_path,
        visibility: 'private',
      })),
    }),
    repository: 'projects/',
    described: (path_with_namespace, level) => ({
      id: 1,
      path_with_namespace,
      permissions: { project_access: null, group_access: { access_level: 10 + 10 * RANK[level] } },
    }),
  },
  forgejo: {
    authorize: '/login/oauth/authorize',
    token: '/login/oauth/access_token',
    api: '/api/v1/',
    size: ['limit', 30],
    grant: () => ({ token_type: 'bearer', expires_in: 3600, refresh_token: 'again' }),
    user: ({ id, login, name = '' }) => ({ id, login, full_name: name, username: login, is_admin: false }),
    lists: ({ organizations = [], teams = [] }) => ({
      'user/orgs': organizations.map(organization),
      'user/teams': teams.map(halves).map(([owner, name], id) => ({
        id,
        name,
        permission: 'read',
        units_map: { 'repo.code': 'read' },
        organization: organization(owner, id),
      })),
    }),
    repository: 'repos/',
    described: (full_name, level) => ({
      id: 1,
      full_name,
      permissions: { admin: RANK[level] > 2, push: RANK[level] > 1, pull: true },
    }),
  },
};

type Cleanup = { after(work: () => unknown): void };

/** @param callback where the service takes people back, exactly */
export async function startForge(t: Cleanup, provider: ForgeName, callback: string): Promise<TestForge> {
  const dialect = DIALECTS[provider];
  const accounts = new Map<string, ForgeAccount>();
  const requests: string[] = [];
  /** Who has a code, with the challenge of PKCE; who has a token. */
  const codes = new Map<string, { readonly login: string; readonly challenge: string }>();
  const tokens = new Map<string, string>();
  const forge = { url: '', accounts, account: '', requests };

  const server = createServer((request, response) => {
    void answerTo(request).then(([status, headers, body]) => {
      response.writeHead(status, { 'content-type': 'application/json', ...headers });
      response.end(JSON.stringify(body));
    });
  });

  async function answerTo(
    request: IncomingMessage,
  ): Promise<readonly [status: number, headers: Record<string, string>, body?: Answer]> {
    const url = new URL(request.url ?? '', forge.url);
    if (url.pathname === dialect.authorize) {
      const { searchParams: asked } = url;
      const isRight = asked.get('redirect_uri') === callback && asked.get('client_id') === CLIENT.id;
      if (!isRight || asked.get('code_challenge_method') !== 'S256') return [400, {}];
      const code = `code-${codes.size}`;
      codes.set(code, { login: forge.account, challenge: asked.get('code_challenge') ?? '' });
      const back = new URL(callback);
      back.search = new URLSearchParams({ code, state: asked.get('state') ?? '' }).toString();
      return [302, { location: back.href }];
    }
    if (url.pathname === dialect.token) {
      const sent = new URLSearchParams(await text(request));
      const begun = codes.get(sent.get('code') ?? '');
      codes.delete(sent.get('code') ?? '');
      const isProven = hash('sha256', sent.get('code_verifier') ?? '', 'base64url') === begun?.challenge;
      if (!begun || !isProven || sent.get('client_secret') !== CLIENT.secret)
        return [400, {}, { error: 'invalid_grant' }];
      const token = `token-of-${begun.login}`;
      tokens.set(token, begun.login);
      return [200, {}, { access_token: token, ...dialect.grant() }];
    }
    const login = tokens.get(/^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1] ?? '');
    if (login === undefined || !url.pathname.startsWith(dialect.api)) return [401, {}, { message: 'no' }];
    requests.push(url.pathname + url.search);
    return read(url, { login, ...accounts.get(login)! });
  }

  function read(url: URL, account: Known): readonly [number, Record<string, string>, Answer?] {
    const path = url.pathname.slice(dialect.api.length);
    if (path === 'user') return [200, {}, dialect.user(account)];
    const list = dialect.lists(account)[path];
    if (list) return page(url, list);
    const name = decodeURIComponent(path.slice(dialect.repository.length));
    const level = path.startsWith(dialect.repository) ? account.repositories?.[name] : undefined;
    return level ? [200, {}, dialect.described(name, level)] : [404, {}, { message: 'Not Found' }];
  }

  function page(url: URL, list: readonly object[]): readonly [number, Record<string, string>, Answer] {
    const [parameter, usual] = dialect.size;
    const size = Number(url.searchParams.get(parameter) ?? usual);
    const at = Number(url.searchParams.get('page') ?? 1);
    const next = new URL(url);
    next.searchParams.set('page', String(at + 1));
    const headers: Record<string, string> = {};
    if (at * size < list.length) headers.link = `<${next.href}>; rel="next"`;
    if (provider === 'forgejo') headers['x-total-count'] = String(list.length);
    return [200, headers, list.slice((at - 1) * size, at * size)];
  }

  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  t.after(() => server.close());
  forge.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return forge;
}
