/** A store that has used invitations, in a service without them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ADMIN, testApp } from '../../../test/support/app.ts';
import { sha256 } from '../../core/access/config-tokens.ts';
import { MODULES } from '../../modules.ts';
import { invitations } from './module.ts';

type Item = { name: string; state: string; ended_by: string | null; secret: string };

test('invitations end with their collection or their admin token also while a service runs without them, and the others stay', async (t) => {
  const service = await testApp(t, { collections: { c: {}, d: {} } });
  const boss = { name: 'boss', representation: sha256('boss-secret') };
  assert.equal((await service.request('POST', '/admin_tokens', { token: ADMIN, json: boss })).status, 201);
  const invite = async (collection: string, name: string, token: string) => {
    const json = { name, user_id: name, mode: 'READ_CURATED' };
    const made = await service.request('POST', `/-/${collection}/invitations`, { token, json });
    assert.equal(made.status, 200, made.text);
    return made.json<Item>().secret;
  };
  const ofAdmin = await invite('d', 'ann', ADMIN);
  const ofBoss = await invite('d', 'bea', 'boss-secret');
  const ofCollection = await invite('c', 'max', ADMIN);
  const settings = (await service.request('GET', '/collections/c', { token: ADMIN })).json<object>();
  await service.app.close();

  const without = await testApp(
    t,
    {},
    {
      store: service.store,
      modules: MODULES.filter(({ name }) => name !== invitations.name),
    },
  );
  assert.equal((await without.request('GET', '/-/d/invitations', { token: ADMIN })).status, 404);
  for (const path of ['/collections/c', '/admin_tokens/boss'])
    assert.equal((await without.request('DELETE', path, { token: ADMIN })).status, 200);
  await without.app.close();

  const again = await testApp(t, {}, { store: service.store });
  const put = await again.request('PUT', '/collections/c', { token: ADMIN, json: settings });
  assert.equal(put.status, 201, put.text);
  const listed = async (collection: string) =>
    (await again.request('GET', `/-/${collection}/invitations`, { token: ADMIN })).json<{ items: Item[] }>()
      .items;
  assert.deepEqual(await listed('c'), []);
  assert.deepEqual(
    (await listed('d')).map(({ name, state }) => [name, state]),
    [
      ['bea', 'revoked'],
      ['ann', 'open'],
    ],
  );
  const accept = (collection: string, token: string) =>
    again.request('POST', `/-/${collection}/invitations/accept`, { token });
  assert.equal((await accept('c', ofCollection)).status, 401);
  assert.equal((await accept('d', ofBoss)).status, 401);
  assert.equal((await accept('d', ofAdmin)).status, 200);
});
