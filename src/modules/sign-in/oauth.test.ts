/** People who sign in at a forge; signing in at a real one is in forge.long.test.ts. */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { testApp } from '../../../test/support/app.ts';
import { startForge } from './forge.support.ts';
import { oauthProvider } from './oauth.ts';
import { loadLibraries } from './protocol.ts';
import { browserOf, FORGE_CALLBACK, hub, meOf, signInBy } from './world.support.ts';

test('a repository that has another name by now grants nothing, and a forge that asks for patience has not answered', async (t) => {
  let status = 301;
  const server = createServer(({ url = '' }, response) => {
    const path = url.split('?')[0]!;
    if (path.startsWith('/api/v1/repos/')) response.writeHead(status, { location: '/api/v1/repositories/7' });
    response.end(path.endsWith('/user') ? '{"id":7,"login":"ann"}' : '[]');
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  t.after(() => server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const config = { type: 'oauth', name: 'forge', provider: 'forgejo', url, client_id: 'accession' } as const;
  const forge = oauthProvider(
    await loadLibraries(),
    config,
    ['physics/records:write'],
    async () => undefined,
  );
  const again = () => forge.again({ access: 'token' }, '7', async () => {});
  const found = await again();
  assert.ok(typeof found === 'object');
  assert.deepEqual([found.subject, found.claims.groups], ['7', []]);
  status = 429;
  await assert.rejects(again(), { code: 'sign_in_unavailable' });
});

for (const provider of ['github', 'gitlab', 'forgejo'] as const)
  test(`organizations, teams and repositories of ${provider} grant modes, over all pages of the lists`, async (t) => {
    const forge = await startForge(t, provider, FORGE_CALLBACK);
    const groups = {
      physics: 'READ_CURATED',
      'physics/curators': 'CURATOR',
      'physics/records:write': 'WRITE_COLLECTION',
    };
    const lab = { auth_sources: [hub(provider, forge, { groups })] };
    const service = await testApp(t, { collections: { lab } });
    const others = Array.from({ length: 130 }, (_, i) => `other-${i}`);
    forge.accounts.set('ann', { id: 1, name: 'Ann Ash', organizations: [...others, 'physics'] });
    forge.accounts.set('bob', { id: 2, repositories: { 'physics/records': 'write' } });
    forge.accounts.set('cora', { id: 3, teams: ['physics/curators'] });
    forge.accounts.set('dan', { id: 4, repositories: { 'physics/records': 'read' } });
    const permissionsOf = async (login: string) => {
      forge.account = login;
      const token = await signInBy('hub', browserOf(service));
      const me = await meOf(service, token);
      assert.equal(me.user_id, `hub:${login}`);
      const { person } = (await service.request('GET', '/-/me/sessions', { token })).json<{
        person: { name: string };
      }>();
      return [person.name, me.collections.lab?.permissions];
    };
    const writes = ['read_curated', 'read_zone', 'write_zone'];
    assert.deepEqual(await permissionsOf('ann'), ['Ann Ash', ['read_curated']]);
    assert.deepEqual(await permissionsOf('bob'), ['bob', writes]);
    assert.deepEqual(await permissionsOf('cora'), ['cora', [...writes, 'curate']]);
    assert.deepEqual(await permissionsOf('dan'), ['dan', []]);
    assert.ok(forge.requests.some((url) => /[?&]page=2$/.test(url)));
  });
