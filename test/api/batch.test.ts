/** Many objects in one request, whole areas in one answer, and answers that are compressed. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { testApp } from '../support/app.ts';
import { organization, person, storedPerson } from '../support/people.ts';

const CONFIGURATION = {
  collections: { c: {}, d: {} },
  tokens: { ann: { c: 'WRITE_COLLECTION' }, curator: { c: 'CURATOR', d: 'CURATOR' } },
};
type Result = { status: number; pids?: string[]; detail?: unknown };

test('each item of a batch has its own result, in order, and the valid ones are stored', async (t) => {
  const { request } = await testApp(t, CONFIGURATION);
  const child = { ...organization('k'), schema_type: 'schema:Organization' };
  const items = [
    person('a'),
    { pid: 'labid:b', colour: 'red' },
    7,
    { ...person('c'), relations: { 'labid:k': child } },
    { ...person('d'), pid: 'nope:d' },
  ];
  for (const validate of ['validate/', '']) {
    const answer = await request('POST', `/-/c/${validate}records/Person`, { token: 'ann', json: items });
    assert.equal(answer.status, 200, answer.text);
    const results = answer.json<Result[]>();
    assert.deepEqual(
      results.map(({ status }) => status),
      [200, 400, 400, 200, 400],
    );
    assert.deepEqual(results[3]?.pids, ['labid:c', 'labid:k']);
    assert.match(JSON.stringify(results[1]?.detail), /colour/);
    const stored = (await request('GET', '/c/records/', { token: 'ann' })).json<unknown[]>();
    assert.equal(stored.length, validate ? 0 : 3);
  }
});

test('a batch may be NDJSON, and a line that is not JSON does not affect the others', async (t) => {
  const { request } = await testApp(t, CONFIGURATION);
  const body = `${JSON.stringify(person('a'))}\r\n{"pid":\n\n${JSON.stringify(person('b'))}`;
  const headers = { 'content-type': 'application/x-ndjson' };
  const answer = await request('POST', '/-/c/records/Person', { token: 'ann', body, headers });
  assert.deepEqual(
    answer.json<Result[]>().map(({ status }) => status),
    [200, 400, 200],
  );
});

test('an export can be stored again: without a class in the path, each item has its own', async (t) => {
  const { request } = await testApp(t, CONFIGURATION);
  const json = [
    { ...storedPerson('a') },
    { ...organization('o'), schema_type: 'schema:Organization' },
    { pid: 'labid:x' },
  ];
  const first = await request('POST', '/-/c/curated/records/', { token: 'curator', json });
  assert.deepEqual(
    first.json<Result[]>().map(({ status }) => status),
    [200, 200, 400],
  );
  const exported = await request('GET', '/-/c/curated/export', { token: 'curator' });
  assert.equal(exported.headers['content-type'], 'application/x-ndjson');
  const again = await request('POST', '/-/d/curated/records/', { token: 'curator', body: exported.text });
  assert.deepEqual(
    again.json<Result[]>().map(({ status }) => status),
    [200, 200],
  );
  const copy = await request('GET', '/-/d/curated/export', { token: 'curator' });
  assert.equal(copy.text, exported.text);
});

test('an export of the user area is the zone over curated, in pid order', async (t) => {
  const { request } = await testApp(t, CONFIGURATION);
  await request('POST', '/-/c/curated/records/Person', {
    token: 'curator',
    json: [person('a'), person('b'), person('d')],
  });
  await request('POST', '/-/c/records/Person', {
    token: 'ann',
    json: [person('b', { given_name: 'x' }), person('c')],
  });
  const lines = (await request('GET', '/-/c/export', { token: 'ann' })).text.trimEnd().split('\n');
  const expected = [
    storedPerson('a'),
    storedPerson('b', { given_name: 'x' }),
    storedPerson('c'),
    storedPerson('d'),
  ];
  assert.deepEqual(
    lines.map((line) => JSON.parse(line)),
    expected,
  );
});

test('an export as Turtle is a sequence of documents', async (t) => {
  const { request } = await testApp(t, CONFIGURATION);
  await request('POST', '/-/c/curated/records/Person', {
    token: 'curator',
    json: [person('a'), person('b')],
  });
  const answer = await request('GET', '/-/c/curated/export?format=ttl', { token: 'curator' });
  assert.equal(answer.headers['content-type'], 'text/turtle; charset=utf-8');
  const documents = (await request('GET', '/c/curated/records/?format=ttl', { token: 'curator' })).json<
    string[]
  >();
  for (const document of documents) assert.ok(answer.text.includes(document.trim()));
});

test('responses are compressed only if the client accepts it', async (t) => {
  const { request, app } = await testApp(t, CONFIGURATION);
  await request('POST', '/-/c/curated/records/Person', {
    token: 'curator',
    json: Array.from({ length: 50 }, (_, n) => person(`p${n}`)),
  });
  for (const url of [
    '/c/curated/records/',
    '/-/c/curated/export',
    '/server',
    '/c/curated/records/p/?format=ttl',
  ]) {
    const plain = await app.server.inject({ url, headers: { 'x-service-token': 'curator' } });
    assert.equal(plain.headers['content-encoding'], undefined);
    for (const [encoding, unpack] of [
      ['gzip', gunzipSync],
      ['br', brotliDecompressSync],
    ] as const) {
      const packed = await app.server.inject({
        url,
        headers: { 'x-service-token': 'curator', 'accept-encoding': encoding },
      });
      if (url === '/server') continue;
      assert.equal(packed.headers['content-encoding'], encoding, url);
      assert.equal(unpack(packed.rawPayload).toString(), plain.body);
    }
  }
});
