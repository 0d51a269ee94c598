/** A store that has used sign-in, in a service without it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MODULES } from '../../modules.ts';
import { CLIENT } from './issuer.support.ts';
import { signIn as module } from './module.ts';
import { ADMIN, meOf, openWorld, signIn } from './world.support.ts';

test('a service without sign-in keeps its sources and accepts no session, and all are there again with it', async (t) => {
  const world = await openWorld(t);
  const { service } = world;
  const token = await signIn(world, 'ann');
  type Config = { auth_sources: object[] };
  const configured = async () =>
    (await service.request('GET', '/collections/lab', { token: ADMIN })).json<Config>();
  const before = await configured();
  assert.equal(before.auth_sources.length, 2);

  await service.restart({ modules: MODULES.filter(({ name }) => name !== module.name) });
  assert.equal((await service.request('GET', '/-/sign-in')).status, 404);
  assert.equal((await service.request('GET', '/lab/records/', { token })).status, 401);
  await service.request('GET', '/lab/records/', { token: 'reader' });
  const shown = await configured();
  assert.deepEqual(shown.auth_sources, [{ type: 'config' }]);
  const history = await service.request('GET', '/-/history', { token: ADMIN });
  assert.match(history.text, /auth_sources/);
  assert.ok(!history.text.includes(CLIENT.secret), 'the secret of its source');
  const put = (json: object) => service.request('PUT', '/collections/lab', { token: ADMIN, json });
  const refused = await put(before);
  assert.equal(refused.status, 422);
  assert.match(refused.text, /"auth_sources",1,"type"/);
  assert.equal((await put({ ...shown, use_classes: ['Person'] })).status, 201);

  await service.restart({ modules: MODULES });
  assert.deepEqual((await configured()).auth_sources, before.auth_sources);
  await meOf(service, token);
});
