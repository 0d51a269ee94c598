/**
 * A real Gitea or Forgejo as a source, which an environment variable names, as `test/forge/real-forge.long.test.ts` does:
 *
 *     ACCESSION_TEST_FORGE='{"url": "http://127.0.0.1:3000/api/v1", "admin": "<token of an administrator>"}'
 *
 * It needs the organization `data_handling` with the repository `records`, the teams `readers`, `writers` and `curators`, and the users
 * rita, walt, carl and nora with passwords `Passw0rd-<name>`.
 */
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { testApp } from '../../../test/support/app.ts';
import type { TestBrowser } from './issuer.support.ts';
import { TIMES } from './times.ts';
import { browserOf, meOf, type World } from './world.support.ts';

const place = process.env.ACCESSION_TEST_FORGE;
const CALLBACK = 'http://localhost/-/sign-in/hub/callback';

describe('people of a real forge', { skip: place ? false : 'ACCESSION_TEST_FORGE names no forge' }, () => {
  const { url = '', admin = '' } = JSON.parse(place ?? '{}') as { url?: string; admin?: string };
  const forge = url.replace(/\/api\/v1$/, '');
  const api = async (method: string, path: string, json?: object) => {
    const headers = { authorization: `token ${admin}`, 'content-type': 'application/json' };
    const response = await fetch(`${url}/${path}`, {
      method,
      headers,
      ...(json && { body: JSON.stringify(json) }),
    });
    const text = await response.text();
    assert.ok(response.ok, `${method} ${path}: ${response.status} ${text}`);
    return text === '' ? undefined : (JSON.parse(text) as Record<string, unknown>);
  };
  let client: Record<string, unknown>;
  before(async () => {
    const application = { name: 'accession', confidential_client: true, redirect_uris: [CALLBACK] };
    client = (await api('POST', 'user/applications/oauth2', application)) as Record<string, unknown>;
  });

  const source = (groups: Record<string, string>) => ({
    type: 'oauth',
    provider: 'forgejo',
    name: 'hub',
    title: 'Hub',
    url: forge,
    groups,
    client_id: client.client_id,
    client_secret: client.client_secret,
  });
  const open = (t: Parameters<typeof testApp>[0], groups: Record<string, string>) =>
    testApp(t, { collections: { lab: { auth_sources: [source(groups)] } } });

  /** Signs a user of the forge in there, and allows the service what it asks for. */
  async function signIn(service: World['service'], user: string, browser: TestBrowser = browserOf(service)) {
    const login = await browser.send(`${forge}/user/login`);
    const fields = { user_name: user, password: `Passw0rd-${user}` };
    const entered = await browser.submit(`${forge}/user/login`, login.text, fields);
    assert.equal(entered.status, 303, entered.text.slice(0, 500));
    const asked = await browser.follow('/-/sign-in/hub', (one) =>
      one.startsWith('http://localhost/-/sign-in/hub/'),
    );
    let back = asked.url;
    if (asked.status === 200) {
      const granted = await browser.submit(`${forge}/login/oauth/grant`, asked.text, { granted: 'true' });
      assert.equal(granted.status, 303, granted.text.slice(0, 500));
      back = granted.location!;
    }
    const { location, text } = await browser.send(back);
    assert.equal(location, '/-/desk/signed-in', text);
    const handed = await browser.send('/-/sign-in/session', 'POST');
    return (JSON.parse(handed.text) as { token: string }).token;
  }

  test('organizations, teams and repositories grant modes', async (t) => {
    const service = await open(t, {
      'data_handling/curators': 'CURATOR',
      'data_handling/records:write': 'WRITE_COLLECTION',
      data_handling: 'READ_CURATED',
    });
    const permissionsOf = async (user: string) => {
      const me = await meOf(service, await signIn(service, user));
      assert.equal(me.user_id, `hub:${user}`);
      return me.collections.lab?.permissions;
    };
    assert.deepEqual(await permissionsOf('rita'), ['read_curated']);
    assert.deepEqual(await permissionsOf('walt'), ['read_curated', 'read_zone', 'write_zone']);
    assert.deepEqual(await permissionsOf('carl'), ['read_curated', 'read_zone', 'write_zone', 'curate']);
    assert.deepEqual(await permissionsOf('nora'), []);
  });

  test('someone who leaves a team loses what it grants within five minutes', async (t) => {
    const service = await open(t, { 'data_handling/writers': 'WRITE_COLLECTION' });
    const token = await signIn(service, 'walt');
    assert.ok((await meOf(service, token)).collections.lab?.permissions.includes('write_zone'));
    const found = (await api('GET', 'orgs/data_handling/teams/search?q=writers')) as {
      data: { id: number; name: string }[];
    };
    const { id } = found.data.find(({ name }) => name === 'writers')!;
    await api('DELETE', `teams/${id}/members/walt`);
    t.after(() => api('PUT', `teams/${id}/members/walt`));
    t.mock.timers.enable({ apis: ['Date'], now: Date.now() + TIMES.askedAtMost + 1 });
    assert.deepEqual((await meOf(service, token)).collections.lab?.permissions, []);
  });
});
