/** Many records in one request, each in the state that its client has read. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sharedApp } from '../support/app.ts';
import { person, storedPerson } from '../support/people.ts';

const CONFIGURATION = {
  collections: { c: {}, sql: { backend: 'sqlite' } },
  tokens: {
    ann: { c: 'WRITE_COLLECTION', sql: 'WRITE_COLLECTION' },
    blind: { c: 'SUBMIT_ONLY' },
    curator: { c: 'CURATOR', sql: 'CURATOR' },
  },
};

/** A service without records, which the tests share. */
const emptyService = sharedApp(CONFIGURATION);
const AREAS = ['/c', '/c/curated', '/c/incoming/ann', '/sql', '/sql/curated', '/sql/incoming/ann'];
const tokenOf = (area: string) => (area.split('/').length > 2 ? 'curator' : 'ann');

type Result = {
  index: number;
  pid: string;
  status: number;
  etag?: string;
  record?: object | null;
  detail?: unknown;
};
const statuses = (results: readonly Result[]) => results.map(({ status }) => status);

/** Requests of many records of an area. */
async function many(area: string) {
  const { request } = await emptyService();
  const token = tokenOf(area);
  const send = async (method: 'POST' | 'DELETE', path: string, json: unknown, by = token) => {
    const { status, text } = await request(method, `/-${area}/${path}`, { token: by, json });
    assert.equal(status, 200, text);
    return JSON.parse(text) as Result[];
  };
  return {
    request,
    token,
    store: (json: unknown, parameters = '') =>
      send('POST', `records/Person?conditional=true${parameters}`, json),
    plain: (json: unknown) => send('POST', 'records/Person', json),
    read: (pids: readonly string[], by = token) => send('POST', 'read', pids, by),
    remove: (json: unknown) => send('DELETE', 'records/', json),
  };
}

test('records are read in one request, with the tags of single reads', async () => {
  for (const area of AREAS) {
    const { request, token, plain, read } = await many(area);
    await plain([person('a'), person('b')]);
    const results = await read(['labid:b', 'labid:none', 'nope:x', 'labid:a']);
    assert.deepEqual(statuses(results), [200, 404, 400, 200], area);
    const single = await request('GET', `${area}/record?pid=labid:b`, { token });
    assert.equal(results[0]?.etag, single.headers.etag);
    assert.deepEqual(results[0]?.record, single.json());
  }
});

test('each item is stored only in the state that its condition names, and others are answered with what there is now', async () => {
  for (const area of AREAS) {
    const { store, plain, read } = await many(area);
    await plain([person('a'), person('b'), person('c')]);
    const [a, b, c] = await read(['labid:a', 'labid:b', 'labid:c']);
    await plain([person('b', { given_name: 'meanwhile' })]);
    const results = await store([
      { record: person('a', { given_name: 'x' }), if_match: a?.etag },
      { record: person('b', { given_name: 'x' }), if_match: b?.etag },
      { record: person('n'), if_none_match: '*' },
      { record: person('c'), if_none_match: '*' },
      { record: person('m'), if_match: '*' },
      { record: person('c', { given_name: 'x' }), if_match: `"other", ${c?.etag}` },
      { record: person('f') },
    ]);
    assert.deepEqual(statuses(results), [200, 412, 200, 412, 412, 200, 200], area);
    const now = await read(['labid:a', 'labid:b', 'labid:n', 'labid:m', 'labid:c']);
    assert.deepEqual(now[0]?.record, storedPerson('a', { given_name: 'x' }));
    assert.equal(results[0]?.etag, now[0]?.etag);
    assert.deepEqual(results[1]?.record, storedPerson('b', { given_name: 'meanwhile' }));
    assert.equal(results[1]?.etag, now[1]?.etag);
    assert.match(String(results[1]?.detail), /'labid:b' is not in the expected state/);
    assert.equal(results[4]?.record, null);
    assert.equal(now[3]?.status, 404);
    assert.deepEqual(now[4]?.record, storedPerson('c', { given_name: 'x' }));
    assert.equal(results[5]?.etag, now[4]?.etag);
  }
});

test('a condition on a record that an item before it writes is not true', async () => {
  for (const area of AREAS) {
    const { store, plain, read } = await many(area);
    await plain([person('a')]);
    const [{ etag } = {}] = await read(['labid:a']);
    const results = await store([
      { record: person('a', { given_name: 'first' }), if_match: etag },
      { record: person('a', { given_name: 'second' }), if_match: etag },
      { record: person('new'), if_none_match: '*' },
      { record: person('new', { given_name: 'again' }), if_none_match: '*' },
      { record: person('new', { given_name: 'present' }), if_match: '*' },
      { record: person('a', { given_name: 'any' }), if_match: '*' },
    ]);
    assert.deepEqual(statuses(results), [200, 412, 200, 412, 200, 200], area);
    const [a, created] = await read(['labid:a', 'labid:new']);
    assert.deepEqual(a?.record, storedPerson('a', { given_name: 'any' }));
    assert.deepEqual(created?.record, storedPerson('new', { given_name: 'present' }));
  }
});

test('an atomic request of which one condition is not true writes nothing', async () => {
  const { request, token, plain, read } = await many('/c/curated');
  await plain([person('a'), person('b')]);
  const [a] = await read(['labid:a']);
  const json = [
    { record: person('a', { given_name: 'x' }), if_match: a?.etag },
    { record: person('b', { given_name: 'x' }), if_match: a?.etag },
  ];
  const refused = await request('POST', '/-/c/curated/records/Person?conditional=true&atomic=true', {
    token,
    json,
  });
  assert.equal(refused.status, 400);
  const { results } = refused.json<{ results: Result[] }>();
  assert.deepEqual(statuses(results), [424, 412]);
  assert.deepEqual(results[1]?.record, storedPerson('b'));
  assert.deepEqual((await read(['labid:a']))[0], a);
});

test('what a client says of conditions is not ignored if it is misspelled', async () => {
  const { store, plain } = await many('/c/curated');
  await plain([person('a')]);
  const results = await store([
    { record: person('a'), ifMatch: '*' },
    { record: person('a'), if_match: 7 },
    person('a'),
    { if_match: '*' },
  ]);
  assert.deepEqual(statuses(results), [400, 400, 400, 400]);
  assert.match(JSON.stringify(results[0]?.detail), /has the member \\"ifMatch\\"|ifMatch/);
  assert.match(JSON.stringify(results[2]?.detail), /no object 'record'/);
});

test('long records and lines of NDJSON have conditions, too', async () => {
  const { request, token, read } = await many('/c/curated');
  const description = 'x'.repeat(300_000);
  const lines = [
    JSON.stringify({ record: person('long', { description }), if_none_match: '*' }),
    JSON.stringify({ record: person('short'), if_none_match: '*' }),
  ];
  const body = lines.join('\n');
  const headers = { 'content-type': 'application/x-ndjson' };
  for (const expected of [200, 412]) {
    const answer = await request('POST', '/-/c/curated/records/Person?conditional=true', {
      token,
      body,
      headers,
    });
    assert.deepEqual(statuses(answer.json()), [expected, expected], answer.text.slice(0, 500));
  }
  assert.deepEqual((await read(['labid:long']))[0]?.record, storedPerson('long', { description }));
});

test('records are deleted only in the state that was read', async () => {
  for (const area of AREAS) {
    const { plain, read, remove } = await many(area);
    await plain([person('a'), person('b'), person('c')]);
    const [a, b] = await read(['labid:a', 'labid:b']);
    await plain([person('b', { given_name: 'meanwhile' })]);
    const results = await remove([
      { pid: 'labid:a', if_match: a?.etag },
      { pid: 'labid:b', if_match: b?.etag },
      'labid:c',
      { pid: 'labid:none', if_match: '*' },
    ]);
    assert.deepEqual(statuses(results), [200, 412, 200, 412], area);
    assert.deepEqual(results[1]?.record, storedPerson('b', { given_name: 'meanwhile' }));
    assert.deepEqual(statuses(await read(['labid:a', 'labid:b', 'labid:c'])), [404, 200, 404]);
  }
});

test('a user replaces the curated record that was read, and one who only submits does not learn what there is', async () => {
  const { request, store, read } = await many('/c');
  const curated = await many('/c/curated');
  await curated.plain([person('a'), person('b')]);
  const [a, b] = await read(['labid:a', 'labid:b']);
  await curated.plain([person('b', { given_name: 'meanwhile' })]);
  const results = await store([
    { record: person('a', { given_name: 'x' }), if_match: a?.etag },
    { record: person('b', { given_name: 'x' }), if_match: b?.etag },
  ]);
  assert.deepEqual(statuses(results), [200, 412]);
  assert.deepEqual(results[1]?.record, storedPerson('b', { given_name: 'meanwhile' }));
  assert.deepEqual(statuses(await curated.read(['labid:a'])), [200]);
  assert.deepEqual((await curated.read(['labid:a']))[0]?.record, storedPerson('a'));
  const json = [{ record: person('a'), if_match: '*' }];
  const blind = await request('POST', '/-/c/records/Person?conditional=true', { token: 'blind', json });
  assert.deepEqual(
    blind.json<Result[]>().map((result) => ('record' in result ? 'record' : result.status)),
    [412],
  );
});

test('of many clients that change the same records at once, one changes each', async () => {
  for (const area of ['/c/curated', '/sql/curated', '/c']) {
    const { store, plain, read } = await many(area);
    const names = Array.from({ length: 40 }, (_, at) => `p${at}`);
    await plain(names.map((name) => person(name)));
    const before = await read(names.map((name) => `labid:${name}`));
    const changes = (by: string) =>
      store(
        names.map((name, at) => ({ record: person(name, { given_name: by }), if_match: before[at]?.etag })),
      );
    const clients = ['x', 'y', 'z'];
    const all = await Promise.all(clients.map(changes));
    const after = await read(names.map((name) => `labid:${name}`));
    for (const [at, { record }] of after.entries()) {
      const winners = clients.filter((_, client) => all[client]?.[at]?.status === 200);
      assert.equal(winners.length, 1, area);
      assert.equal((record as { given_name: string }).given_name, winners[0]);
    }
  }
});
