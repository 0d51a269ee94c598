/** A store that has used citations, in a service without them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testApp } from '../../../test/support/app.ts';
import { MODULES } from '../../modules.ts';
import { cite } from './module.ts';

test('a service without citations keeps their settings, and has them when the module is back', async (t) => {
  const configuration = { collections: { c: {} }, tokens: { cur: { c: 'CURATOR' } } };
  const service = await testApp(t, configuration);
  const json = { cite: { creators: [{ name: 'Hopper, Grace' }] } };
  assert.equal((await service.request('PUT', '/-/c/settings', { token: 'cur', json })).status, 200);
  await service.app.close();
  const modules = MODULES.filter(({ name }) => name !== cite.name);
  const without = await testApp(t, configuration, { store: service.store, modules });
  assert.equal((await without.request('GET', '/-/c/cite?pid=labid:a', { token: 'cur' })).status, 404);
  const settings = await without.request('PUT', '/-/c/settings', {
    token: 'cur',
    json: { on_delete: 'refuse' },
  });
  assert.equal(settings.status, 200, settings.text);
  await without.app.close();
  const again = await testApp(t, configuration, { store: service.store, modules: MODULES });
  const kept = (await again.request('GET', '/-/c/settings', { token: 'cur' })).json<object>();
  assert.deepEqual((kept as typeof json).cite, json.cite);
});
