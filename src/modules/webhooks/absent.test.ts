/** A store that has used webhooks, in a service without them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ADMIN, testApp } from '../../../test/support/app.ts';
import { MODULES } from '../../modules.ts';
import { webhooks } from './module.ts';

test('a service without webhooks starts on a store that has used them, and leaves nothing of a deleted collection to a later one', async (t) => {
  const configuration = { collections: { c: {} }, tokens: { cora: { c: 'CURATOR' } } };
  const service = await testApp(t, configuration);
  const hook = { url: 'https://example.org/hook' };
  const put = await service.request('PUT', '/-/c/webhooks/one', { token: 'cora', json: hook });
  assert.equal(put.status, 200);
  const settings = (await service.request('GET', '/collections/c', { token: ADMIN })).json<object>();
  await service.app.close();
  const without = await testApp(t, configuration, {
    store: service.store,
    modules: MODULES.filter(({ name }) => name !== webhooks.name),
  });
  assert.equal((await without.request('GET', '/-/c/webhooks', { token: 'cora' })).status, 404);
  assert.equal((await without.request('DELETE', '/collections/c', { token: ADMIN })).status, 200);
  await without.app.close();
  const again = await testApp(t, configuration, { store: service.store, modules: MODULES });
  assert.equal((await again.request('PUT', '/collections/c', { token: ADMIN, json: settings })).status, 201);
  const left = await again.request('GET', '/-/c/webhooks', { token: 'cora' });
  assert.deepEqual(left.json(), { items: [] });
});
