/** Histories of records for curators, and of the configuration for administrators. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { test } from 'node:test';
import { ADMIN, sharedApp, testApp } from '../support/app.ts';
import { eventually } from '../support/eventually.ts';
import { person, storedPerson } from '../support/people.ts';
import { sqliteAt } from '../support/sqlite.ts';

const CONFIGURATION = {
  collections: { c: {} },
  tokens: {
    ann: { c: 'WRITE_COLLECTION' },
    curator: { c: 'CURATOR' },
  },
};

/** A service without records, which the tests share. */
const emptyService = sharedApp(CONFIGURATION);
const curator = { token: 'curator' };

type Entry = {
  time_stamp: string;
  committer_id: string;
  author_id: string;
  deleted: boolean;
  changes: unknown[];
  record: unknown;
};

type Page = { items: (Entry & { revision: number })[]; next: number | null };

test('a history lists who changed what, including deletes, for every spelling of the pid', async () => {
  const { request } = await emptyService();
  const path = '/c/curated/record';
  await request('POST', `${path}/Person?author_id=bob`, { ...curator, json: person('a') });
  await request('POST', `${path}/Person`, { ...curator, json: person('a', { name: 'new' }) });
  await request('DELETE', `${path}?pid=labid:a`, curator);
  const uri = 'https://example.org/laboratory/id/a';
  await request('POST', `${path}/Person`, { ...curator, json: { ...person('a'), pid: uri } });
  for (const pid of ['labid:a', encodeURIComponent(uri)]) {
    const answer = await request('GET', `/-/c/history?pid=${pid}`, curator);
    assert.equal(answer.status, 200);
    const history = answer.json<Entry[]>();
    assert.deepEqual(
      history.map(({ author_id, committer_id, deleted }) => [author_id, committer_id, deleted]),
      [
        ['bob', 'curator@example.org', false],
        ['curator@example.org', 'curator@example.org', false],
        ['curator@example.org', 'curator@example.org', true],
        ['curator@example.org', 'curator@example.org', false],
      ],
    );
    assert.deepEqual(history[0]?.record, storedPerson('a'));
    assert.deepEqual(history[1]?.changes, [{ op: 'replace', path: '/name', before: 'a', after: 'new' }]);
    assert.deepEqual([history[2]?.record, history[3]?.record], [null, { ...storedPerson('a'), pid: uri }]);
  }
});

test('a former version is read, and restored as a new change', async (t) => {
  const { request } = await testApp(t, CONFIGURATION);
  await request('POST', '/c/curated/record/Person', { ...curator, json: person('a') });
  await request('POST', '/c/curated/record/Person', { ...curator, json: person('a', { name: 'new' }) });
  await request('DELETE', '/c/curated/record?pid=labid:a', curator);
  const history = (await request('GET', '/-/c/history?pid=labid:a', curator)).json<Entry[]>();
  const at = (n: number) => `pid=labid:a&at=${history[n]?.time_stamp}`;
  const state = async (query: string) =>
    (await request('GET', `/-/c/history/record?${query}`, curator)).json();
  assert.deepEqual(await state(at(0)), storedPerson('a'));
  assert.deepEqual(await state(at(1)), storedPerson('a', { name: 'new' }));
  assert.equal(await state(at(2)), null);
  assert.equal(await state('pid=labid:a&at=2001-01-01T00:00:00Z'), null);
  const restored = await request('POST', `/-/c/history/restore?${at(0)}&author_id=eve`, curator);
  assert.deepEqual([restored.status, restored.json()], [200, storedPerson('a')]);
  assert.match(restored.headers.etag ?? '', /^".+"$/);
  assert.deepEqual(
    (await request('GET', '/c/curated/record?pid=labid:a', curator)).json(),
    storedPerson('a'),
  );
  const longer = (await request('GET', '/-/c/history?pid=labid:a', curator)).json<Entry[]>();
  assert.deepEqual([longer.length, longer[3]?.author_id], [4, 'eve']);
  assert.equal((await request('POST', `/-/c/history/restore?${at(2)}`, curator)).status, 404);
});

test('a restore overwrites only the state that it expects', async () => {
  const { request } = await emptyService();
  const path = '/c/curated/record';
  const put = (name: string) =>
    request('POST', `${path}/Person`, { ...curator, json: person('a', { name }) });
  await put('a');
  const seen = (await put('b')).headers.etag;
  const [first] = (await request('GET', '/-/c/history?pid=labid:a', curator)).json<Entry[]>();
  const restore = (headers: Record<string, string>) =>
    request('POST', `/-/c/history/restore?pid=labid:a&at=${first?.time_stamp}`, { ...curator, headers });
  await put('c');
  assert.equal((await restore({ 'if-match': String(seen) })).status, 412);
  assert.equal((await restore({ 'if-none-match': '*' })).status, 412);
  assert.equal((await request('GET', `${path}?pid=labid:a`, curator)).json<{ name: string }>().name, 'c');
  const now = String((await request('GET', `${path}?pid=labid:a`, curator)).headers.etag);
  assert.equal((await restore({ 'if-match': now })).status, 200);
  await request('DELETE', `${path}?pid=labid:a`, curator);
  assert.equal((await restore({ 'if-match': now })).status, 412);
  assert.equal((await restore({ 'if-none-match': '*' })).status, 200);
});

test('histories are for curators', async () => {
  const { request } = await emptyService();
  const ways = [
    ['GET', 'history?pid=labid:a'],
    ['GET', 'history/record?pid=labid:a&at=2026-01-01T00:00:00Z'],
    ['POST', 'history/restore?pid=labid:a&at=2026-01-01T00:00:00Z'],
  ] as const;
  for (const [method, path] of ways) {
    const status = async (url: string, options = {}) => (await request(method, url, options)).status;
    assert.equal(await status(`/-/c/${path}`), 401);
    assert.equal(await status(`/-/c/${path}`, { token: 'ann' }), 403);
    assert.equal(await status(`/-/c/${path}`, { token: 'nobody' }), 401);
    assert.equal(await status(`/-/none/${path}`, curator), 404);
    assert.equal(await status(`/-/c/${path.replace('labid:', 'nope:')}`, curator), 400);
    assert.equal(
      await status(`/-/c/${path.replace('2026-', 'soon')}`, curator),
      path.includes('at=') ? 422 : 200,
    );
    assert.equal(await status(`/-/c/${path.replace('pid=', 'x=')}`, curator), 422);
  }
});

test('entries older than --keep-entries go', async (t) => {
  const service = await testApp(t, CONFIGURATION, { keepEntries: 30 });
  const { request } = service;
  for (const name of ['a', 'b', 'c'])
    await request('POST', '/c/curated/record/Person', { ...curator, json: person('a', { name }) });
  await service.app.close();
  const database = sqliteAt(join(service.store, 'accession.db'));
  database.exec('UPDATE accession_entry SET time = time - 31 * 86400000000 WHERE revision < 3');
  database.close();
  await service.restart();
  await eventually('the first one is gone', async () => {
    const history = await request('GET', '/-/c/history?pid=labid:a', curator);
    return history.json<Entry[]>().length === 2;
  });
});

test('a write that is refused has no entry', async (t) => {
  const { request } = await testApp(t, CONFIGURATION);
  const refused = { ...curator, headers: { 'if-match': '"none"' }, json: person('a') };
  assert.equal((await request('POST', '/c/curated/record/Person', refused)).status, 412);
  assert.equal((await request('DELETE', '/c/curated/record?pid=labid:a', curator)).status, 404);
  assert.deepEqual((await request('GET', '/-/c/history?pid=labid:a', curator)).json(), []);
});

test('administrators read the history of the configuration, without secrets', async (t) => {
  const { request } = await testApp(t, CONFIGURATION);
  const admin = { token: ADMIN };
  const token = { name: 'new', user_id: 'u', collections: {}, representation: 'my-secret' };
  await request('POST', '/tokens', { ...admin, json: token });
  const put = { ...admin, json: { ...token, representation: 'other-secret' } };
  await request('PUT', '/tokens', put);
  // Elements that are set to what they are add nothing.
  await request('PUT', '/tokens', put);
  const collection = (await request('GET', '/collections/c', admin)).json<object>();
  assert.equal((await request('PUT', '/collections/c', { ...admin, json: collection })).status, 201);
  const hash = createHash('sha256').update('boss').digest('hex');
  await request('POST', '/admin_tokens', { ...admin, json: { name: 'boss', representation: hash } });
  const answer = await request('GET', '/-/history', admin);
  assert.equal(answer.status, 200);
  for (const secret of ['my-secret', 'other-secret', hash]) assert.ok(!answer.text.includes(secret));
  const page = answer.json<Page>();
  const [boss, changed, created] = page.items;
  assert.deepEqual([page.items.length, page.next], [4, null]);
  assert.equal(created?.committer_id, '__dump_things_server__');
  assert.match(JSON.stringify(created?.changes), /"path":"\/tokens\/new"/);
  const { changes } = changed as Entry;
  assert.deepEqual(changes, [
    { op: 'replace', path: '/tokens/new/representation', before: '***', after: '***' },
  ]);
  assert.match(JSON.stringify(boss?.changes), /admin_tokens/);
  const [second] = (await request('GET', `/-/history?size=1&before=${boss?.revision}`, admin)).json<Page>()
    .items;
  assert.deepEqual(second, changed);
  assert.equal((await request('GET', '/-/history?before=x', admin)).status, 422);
  assert.equal((await request('GET', '/-/history')).status, 401);
  assert.equal((await request('GET', '/-/history', curator)).status, 401);
});
