/** Saved views: one row for each, by class and name, for all who read the collection. */
import assert from 'node:assert/strict';
import { ADMIN, type TestService, testApp } from '../../../test/support/app.ts';
import { databaseWithTables } from '../../../test/support/postgresql.ts';
import { ofTier, repeated, test } from '../../../test/support/tier.ts';
import { connect } from '../../client/client.ts';
import { MODULES } from '../../modules.ts';
import { views } from './client.ts';
import { views as module } from './module.ts';

const CONFIGURATION = {
  collections: { c: {} },
  tokens: { cora: { c: 'CURATOR' }, rea: { c: 'READ_CURATED' } },
};
type Item = { class: string; name: string; query: string };

const at = (name: string, className = 'Person') =>
  `/-/c/views/${encodeURIComponent(className)}/${encodeURIComponent(name)}`;
const put = (
  { request }: TestService,
  name: string,
  json: object = { query: 'sort=-name' },
  token = 'cora',
) => request('PUT', at(name), { token, json });
const listed = async ({ request }: TestService, query = '', token = 'rea') =>
  (await request('GET', `/-/c/views${query}`, { token })).json<{ items: Item[] }>().items;

test('views are saved, listed by class, replaced and deleted by curators and administrators', async (t) => {
  const service = await testApp(t, CONFIGURATION);
  const { request } = service;
  for (const name of ['All', 'a/b ü', '__proto__']) {
    const saved = await put(service, name);
    assert.equal(saved.status, 200, saved.text);
    assert.deepEqual(saved.json(), { class: 'Person', name, query: 'sort=-name' });
  }
  assert.equal((await put(service, 'All', { query: 'q=x' }, ADMIN)).status, 200);
  const other = await request('PUT', at('All', 'Organization'), { token: 'cora', json: { query: '' } });
  assert.equal(other.status, 200, other.text);
  assert.deepEqual((await listed(service, '?class=Person')).map(({ name, query }) => [name, query]).sort(), [
    ['All', 'q=x'],
    ['__proto__', 'sort=-name'],
    ['a/b ü', 'sort=-name'],
  ]);
  assert.equal((await listed(service)).length, 4);
  assert.equal((await request('PUT', '/-/c/settings', { token: 'cora', json: {} })).status, 200);
  assert.equal((await listed(service)).length, 4, 'settings that are replaced keep the views');

  assert.equal((await request('DELETE', at('All'), { token: 'cora' })).text, 'null');
  const again = await request('DELETE', at('All'), { token: 'cora' });
  assert.deepEqual([again.status, again.headers['accession-error']], [404, 'view_unknown']);
  for (const [name, className] of [
    ['constructor', 'Person'],
    ['All', 'toString'],
  ] as const)
    assert.equal((await request('DELETE', at(name, className), { token: 'cora' })).status, 404);
  assert.equal((await listed(service, '?class=Person')).length, 2);
});

test('views that are too long, too many or of no class are refused', async (t) => {
  const service = await testApp(t, CONFIGURATION);
  const refusals = [
    [await put(service, 'a', { query: 1 }), 422, /expected a string, found the number 1/],
    [await put(service, 'a', { query: 'x'.repeat(2001) }), 422, /at most 2000 characters, found 2001/],
    [await put(service, 'n'.repeat(101)), 422, /at most 100 characters, found 101/],
    [
      await service.request('PUT', at('a', 'Persn'), { token: 'cora', json: { query: '' } }),
      404,
      /no class 'Persn'/,
    ],
    [
      await service.request('PUT', '/-/c/settings', { token: 'cora', json: { views: {} } }),
      ...([422, /unknown key; expected one of: on_delete\b/] as const),
    ],
  ] as const;
  for (const [{ status, text }, expected, message] of refusals) {
    assert.equal(status, expected, text);
    assert.match(text, message);
  }
  await Promise.all(Array.from({ length: 50 }, (_, n) => put(service, `v${n}`)));
  assert.equal((await listed(service)).length, 50, 'views that are saved at once are all kept');
  const { status, text } = await put(service, 'one more');
  assert.equal(status, 422);
  assert.match(text, /one of the 50 views that a class may have/);
  assert.equal((await put(service, 'v0', { query: 'q=y' })).status, 200);
});

test('the client library saves, lists and deletes views', async (t) => {
  const { app } = await testApp(t, CONFIGURATION);
  const url = await app.server.listen({ host: '127.0.0.1', port: 0 });
  const client = connect({ url, token: 'cora' }).collection('c').use(views);
  const view = { class: 'Person', name: 'By name/ä', query: 'sort=name' };
  assert.deepEqual(await client.put(view), view);
  assert.deepEqual(await client.list('Person'), [view]);
  assert.deepEqual(await client.list('Organization'), []);
  await client.delete(view);
  assert.deepEqual(await client.list(), []);
});

for (const database of ofTier(['SQLite', 'PostgreSQL']))
  repeated(`${database}: views stay in the store while a service runs without the module`, async (t) => {
    const more = database === 'SQLite' ? {} : { databaseUrl: await databaseWithTables() };
    const service = await testApp(t, CONFIGURATION, more);
    await put(service, 'All');
    await service.app.close();
    const modules = MODULES.filter(({ name }) => name !== module.name);
    const without = await testApp(t, CONFIGURATION, { ...more, store: service.store, modules });
    assert.equal((await without.request('GET', '/-/c/views', { token: 'cora' })).status, 404);
    const json = { on_delete: 'refuse' };
    const replaced = await without.request('PUT', '/-/c/settings', { token: 'cora', json });
    assert.equal(replaced.json<{ on_delete: string }>().on_delete, 'refuse');
    await without.app.close();
    const again = await testApp(t, CONFIGURATION, { ...more, store: service.store });
    assert.deepEqual(await listed(again), [{ class: 'Person', name: 'All', query: 'sort=-name' }]);
  });
