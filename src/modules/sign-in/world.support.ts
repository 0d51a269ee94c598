/** A service with an issuer, and people who sign in, for tests. */
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { ADMIN, type TestConfiguration, type TestService, testApp } from '../../../test/support/app.ts';
import type { AppOptions } from '../../app.ts';
import type { TestForge } from './forge.support.ts';
import { CLIENT, startIssuer, TestBrowser, type TestIssuer } from './issuer.support.ts';
import { signInOf } from './sign-in.ts';
import type { OauthSourceConfig } from './source-config.ts';

export const CALLBACK = 'http://localhost/-/sign-in/institute/callback';

export { ADMIN };

export type World = { readonly issuer: TestIssuer; readonly service: TestService };

/** An entry of `auth_sources` for an issuer. */
export const institute = (issuer: TestIssuer, others: object = {}) => ({
  type: 'oidc',
  name: 'institute',
  title: 'Institute',
  issuer: issuer.url,
  client_id: CLIENT.id,
  client_secret: CLIENT.secret,
  ...others,
});

/** Where a forge sends people back to. */
export const FORGE_CALLBACK = 'http://localhost/-/sign-in/hub/callback';

/** An entry of `auth_sources` for a forge. */
export const hub = (provider: OauthSourceConfig['provider'], { url }: TestForge, others: object = {}) => ({
  type: 'oauth',
  name: 'hub',
  title: 'Hub',
  provider,
  url,
  client_id: CLIENT.id,
  client_secret: CLIENT.secret,
  ...others,
});

/** A collection whose groups are granted modes. */
export async function openWorld(
  t: TestContext,
  {
    source = {},
    collection = 'lab',
    attributes = {},
    others = [],
    tokens = { reader: { lab: 'READ_CURATED' } },
    ...options
  }: { source?: object; collection?: string; attributes?: object; others?: readonly object[] } & Pick<
    TestConfiguration,
    'tokens'
  > &
    Partial<AppOptions> = {},
): Promise<World> {
  const issuer = await startIssuer(t, [CALLBACK]);
  issuer.accounts.set('ann', { name: 'Ann Ash', email: 'ann@institute.example', groups: ['writers'] });
  issuer.accounts.set('cora', { name: 'Cora Cole', groups: ['curators', 'writers'] });
  issuer.accounts.set('nora', { name: 'Nora Nye' });
  const groups = { writers: 'WRITE_COLLECTION', curators: 'CURATOR' };
  const auth_sources = [{ type: 'config' }, institute(issuer, { groups, ...source }), ...others];
  const service = await testApp(
    t,
    { collections: { [collection]: { auth_sources, ...attributes } }, tokens },
    options,
  );
  return { issuer, service };
}

/** A browser that knows a service without a port. */
export function browserOf(service: TestService, headers: Record<string, string> = {}): TestBrowser {
  return new TestBrowser('http://localhost', async (url, sent, method) => {
    const answer = await service.app.server.inject({
      method: method as 'GET',
      url: url.pathname + url.search,
      headers: { host: url.host, ...headers, ...sent },
    });
    return {
      status: answer.statusCode,
      location: answer.headers.location,
      cookies: [answer.headers['set-cookie'] ?? []].flat(),
      text: answer.body,
    };
  });
}

/** Signs an account in, as a browser does. @returns the token of the session */
export function signIn(
  { issuer, service }: World,
  account: string,
  browser = browserOf(service),
): Promise<string> {
  issuer.account = account;
  return signInBy('institute', browser);
}

/** Signs the person in whom a source names. @returns the token of the session */
export async function signInBy(source: string, browser: TestBrowser): Promise<string> {
  const back = await browser.follow(`/-/sign-in/${source}`, (url) => url.includes('/-/desk/'));
  assert.match(back.url, /\/-\/desk\/signed-in$/, `${back.status} ${back.text}`);
  const handed = await browser.send('/-/sign-in/session', 'POST');
  assert.equal(handed.status, 200, handed.text);
  return (JSON.parse(handed.text) as { token: string }).token;
}

export type Me = {
  readonly user_id: string | null;
  readonly collections: Readonly<
    Record<string, { readonly permissions: string[]; readonly label: string | null }>
  >;
};

export async function meOf(service: TestService, token: string): Promise<Me> {
  const answer = await service.request('GET', '/-/me', { token });
  assert.equal(answer.status, 200, answer.text);
  return answer.json<Me>();
}

/** Stores last uses now, as it happens every minute. */
export async function saveUses({ app }: TestService): Promise<void> {
  await signInOf(app.registry).saveUses();
}
