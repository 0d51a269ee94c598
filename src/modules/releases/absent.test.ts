/** A store that has used releases, in a service without them. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { ADMIN, testApp } from '../../../test/support/app.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { person } from '../../../test/support/people.ts';
import { MODULES } from '../../modules.ts';
import { releases } from './module.ts';

const CONFIGURATION = { collections: { c: {} }, tokens: { cora: { c: 'CURATOR' } } };
const PATH = '/-/c/releases/v1';
const WITHOUT = MODULES.filter(({ name }) => name !== releases.name);

async function released(t: TestContext) {
  const service = await testApp(t, CONFIGURATION);
  const ask = async (method: string, url: string, json: object) => {
    const answer = await service.request(method, url, { token: 'cora', json });
    assert.ok(answer.status < 300, answer.text);
  };
  await ask('PUT', '/-/c/settings', { publish: { license: 'https://example.org/license' } });
  await ask('POST', '/c/curated/record/Person', person('ada'));
  await ask('POST', '/-/c/releases', { name: 'v1' });
  const done = await eventually(
    'a release',
    async () => (await service.request('GET', PATH, { token: 'cora' })).json<{ state: string }>(),
    ({ state }) => state !== 'making',
  );
  const archive = await service.request('GET', `${PATH}/records.jsonl`, { token: 'cora' });
  const settings = (await service.request('GET', '/collections/c', { token: ADMIN })).json<object>();
  await service.app.close();
  return { store: service.store, done, records: archive.text, settings };
}

test('a service without releases stores records on a store that has used them, and with them again nothing is lost', async (t) => {
  const { store, done, records } = await released(t);
  const without = await testApp(t, CONFIGURATION, { store, modules: WITHOUT });
  assert.equal((await without.request('GET', PATH, { token: 'cora' })).status, 404);
  const json = person('bea');
  assert.equal(
    (await without.request('POST', '/c/curated/record/Person', { token: 'cora', json })).status,
    200,
  );
  assert.equal((await without.request('GET', '/-/c/catalog', { token: 'cora' })).status, 200);
  await without.app.close();
  const again = await testApp(t, CONFIGURATION, { store, modules: MODULES });
  assert.deepEqual((await again.request('GET', PATH, { token: 'cora' })).json(), done);
  const found = await again.request('GET', `${PATH}/records.jsonl`, { token: 'cora' });
  assert.equal(found.text, records);
});

test('releases go and come with the records of their collection: they stay when it is deleted, also without the module', async (t) => {
  const { store, done, settings } = await released(t);
  const without = await testApp(t, CONFIGURATION, { store, modules: WITHOUT });
  assert.equal((await without.request('DELETE', '/collections/c', { token: ADMIN })).status, 200);
  await without.app.close();
  const again = await testApp(t, CONFIGURATION, { store, modules: MODULES });
  const put = (json: object) => again.request('PUT', '/collections/c', { token: ADMIN, json });
  assert.equal((await put({ ...settings, curated: 'elsewhere' })).status, 201);
  const list = async () =>
    (await again.request('GET', '/-/c/releases', { token: 'cora' })).json<{ items: unknown[] }>().items;
  assert.deepEqual(await list(), []);
  assert.equal((await again.request('DELETE', '/collections/c', { token: ADMIN })).status, 200);
  assert.equal((await put(settings)).status, 201);
  assert.deepEqual(await list(), [done]);
});
