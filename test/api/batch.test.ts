/** Many objects in one request, whole areas in one answer, and answers that are compressed. */
import assert from 'node:assert/strict';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { sharedApp } from '../support/app.ts';
import { organization, person, storedPerson } from '../support/people.ts';
import { longTest, test } from '../support/tier.ts';

const CONFIGURATION = {
  collections: { c: {}, d: {} },
  tokens: { ann: { c: 'WRITE_COLLECTION' }, curator: { c: 'CURATOR', d: 'CURATOR' } },
};

/** A service without records, which the tests share. */
const emptyService = sharedApp(CONFIGURATION);
type Result = { status: number; pids?: string[]; detail?: unknown };

test('each item of a batch has its own result, in order, and the valid ones are stored', async () => {
  const { request } = await emptyService();
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

test('a batch may be NDJSON, and a line that is not JSON does not affect the others', async () => {
  const { request } = await emptyService();
  const body = `${JSON.stringify(person('a'))}\r\n{"pid":\n\n${JSON.stringify(person('b'))}`;
  const headers = { 'content-type': 'application/x-ndjson' };
  const answer = await request('POST', '/-/c/records/Person', { token: 'ann', body, headers });
  assert.deepEqual(
    answer.json<Result[]>().map(({ status }) => status),
    [200, 400, 200],
  );
  const [, second] = answer.json<{ line: number; detail: { msg: string }[] }[]>();
  assert.equal(second?.line, 2);
  assert.match(second?.detail[0]?.msg ?? '', /^The line is not JSON: column 8: expected a value/);
  const tables = { 'content-type': 'text/csv' };
  const table = await request('POST', '/-/c/records/Person', { token: 'ann', body: 'pid', headers: tables });
  assert.match(table.text, /'text\/csv', expected application\/json or application\/x-ndjson/);
});

test('suggestions are shared by the items of a batch', async () => {
  const { request } = await emptyService();
  const items = Array.from({ length: 80 }, (_, at) => ({ ...person(`s${at}`), [`given_name${at}`]: 'a' }));
  const answer = await request('POST', '/-/c/validate/records/Person', { token: 'ann', json: items });
  const all = answer.json<{ detail: { problems?: unknown } }[]>().map(({ detail }) => JSON.stringify(detail));
  assert.match(all[0] ?? '', /Did you mean given_name\?/);
  assert.equal(all.join('').split('Did you mean').length - 1, 50);
});

test('an export can be stored again: without a class in the path, each item has its own', async () => {
  const { request } = await emptyService();
  const json = [
    { ...storedPerson('a') },
    { ...organization('o'), schema_type: 'schema:Organization' },
    { pid: 'labid:x' },
    { ...person('p'), schema_type: 'lab:Person' },
  ];
  const first = await request('POST', '/-/c/curated/records/', { token: 'curator', json });
  assert.deepEqual(
    first.json<Result[]>().map(({ status }) => status),
    [200, 200, 400, 404],
  );
  assert.match(String(first.json<Result[]>()[2]?.detail), /no schema_type, .*, such as \S+:Thing\.$/);
  assert.match(String(first.json<Result[]>()[3]?.detail), /"lab:Person", .*, such as schema:Person\.$/);
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

test('an export of the user area is the zone over curated, in pid order', async () => {
  const { request } = await emptyService();
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

test('an export as Turtle is a sequence of documents', async () => {
  const { request } = await emptyService();
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

test('responses are compressed only if the client accepts it', async () => {
  const { request, app } = await emptyService();
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

const POST = { token: 'ann', headers: { 'content-type': 'application/x-ndjson' } };

test('results name the item: its index, its line, its pid, and an earlier item with the same pid', async () => {
  const { request } = await emptyService();
  const lines = [person('a'), { pid: 'labid:b', colour: 'red' }, person('a', { given_name: 'Later' })];
  const body = `\n${lines.map((line) => JSON.stringify(line)).join('\n\n')}\n`;
  const answer = await request('POST', '/-/c/records/Person', { ...POST, body });
  const results = answer.json<object[]>().map(({ detail: _, ...result }: { detail?: unknown }) => result);
  assert.deepEqual(results, [
    { index: 0, line: 2, pid: 'labid:a', status: 200, pids: ['labid:a'] },
    { index: 1, line: 4, pid: 'labid:b', status: 400 },
    { index: 2, line: 6, pid: 'labid:a', status: 200, pids: ['labid:a'], duplicate_of: 0 },
  ]);
  const stored = await request('GET', '/c/record?pid=labid:a', { token: 'ann' });
  assert.equal(stored.json<{ given_name: string }>().given_name, 'Later');
});

test('an atomic batch is stored as a whole or not at all', async () => {
  const { request } = await emptyService();
  const bad = await request('POST', '/-/c/records/Person?atomic=true', {
    token: 'ann',
    json: [person('a'), { pid: 'labid:b', colour: 'red' }],
  });
  assert.equal(bad.status, 400);
  const { detail, results } = bad.json<{ detail: string; results: Result[] }>();
  assert.equal(detail, 'One item of 2 refused; nothing was written.');
  assert.deepEqual(
    results.map(({ status }) => status),
    [424, 400],
  );
  const json = [person('a'), person('b')];
  const good = await request('POST', '/-/c/records/Person?atomic=true', { token: 'ann', json });
  assert.equal(good.status, 200);
  assert.equal((await request('GET', '/c/records/', { token: 'ann' })).json<unknown[]>().length, 2);
});

test('a batch with too many items is refused before any is validated, in both forms', async () => {
  const { request } = await emptyService();
  for (const body of ['{}\n'.repeat(10_001), `[${'{},'.repeat(10_000)}{}]`]) {
    const answer = await request('POST', '/-/c/records/Person', { ...POST, body });
    assert.equal(answer.status, 413, answer.text.slice(0, 300));
    assert.match(answer.text, /more than 10000 items/);
  }
});

longTest(
  'problems that repeat refer to the first item that has them, and the response stays short',
  async () => {
    const { request } = await emptyService();
    const same = await request('POST', '/-/c/records/Person', { ...POST, body: '{}\n'.repeat(10_000) });
    const results = same.json<Result[]>();
    assert.equal(results.length, 10_000);
    assert.equal(results[9_999]?.detail, 'The same as for the item with the index 0.');
    const colours = (n: number) => Array.from({ length: 200 }, (_, k) => [`c${k}_${n}`, 1]);
    const different = Array.from({ length: 500 }, (_, n) => Object.fromEntries(colours(n)));
    const long = await request('POST', '/-/c/records/Person', { token: 'ann', json: different });
    assert.ok(long.text.length < 500_000, `${long.text.length} characters`);
    assert.match(JSON.stringify(long.json<Result[]>()[0]?.detail), /problems are not listed/);
    assert.match(String(long.json<Result[]>()[499]?.detail), /not listed because the response is too long/);
  },
);

test('a batch with another media type is refused once', async () => {
  const { request } = await emptyService();
  const body = 'pid,name\nlabid:a,Ann\n';
  for (const type of ['text/csv', 'text/turtle', 'application/xml']) {
    const answer = await request('POST', '/-/c/records/', {
      token: 'ann',
      body,
      headers: { 'content-type': type },
    });
    assert.equal(answer.status, 400);
    assert.match(answer.text, /expected application\/json or application\/x-ndjson/);
  }
});

test('an array that is not valid JSON is refused as a whole, with its line and column', async () => {
  const { request } = await emptyService();
  for (const [body, place] of [
    [`[${JSON.stringify(person('a'))},\n {"pid": }]`, 'line 2, column 10'],
    [`[${JSON.stringify(person('a'))}`, 'line 1'],
    [`[${JSON.stringify(person('a'))}] x`, 'line 1'],
    [`[${JSON.stringify(person('a'))},]`, 'line 1'],
    ['["a]', 'line 1'],
  ] as const) {
    const answer = await request('POST', '/-/c/records/Person', { token: 'ann', body });
    assert.equal(answer.status, 400, body);
    assert.match(answer.text, new RegExp(place));
  }
  const empty = await request('POST', '/-/c/records/Person', { token: 'ann', body: ' [ ] ' });
  assert.deepEqual(empty.json(), []);
});

test('strings with brackets, commas and escaped quotes do not end an item', async () => {
  const { request } = await emptyService();
  const names = ['a],[{', 'b"}],', 'c\\', 'd\\"]'];
  const json = names.map((given_name, n) => person(`p${n}`, { given_name }));
  const answer = await request('POST', '/-/c/records/Person', { token: 'ann', json });
  assert.deepEqual(
    answer.json<Result[]>().map(({ status }) => status),
    [200, 200, 200, 200],
  );
});

test('many records are deleted at once, in every area, each with its result', async () => {
  const { request } = await emptyService();
  for (const [area, token] of [
    ['c', 'ann'],
    ['c/curated', 'curator'],
    ['c/incoming/ann', 'curator'],
  ]) {
    const some = Array.from({ length: 600 }, (_, n) => person(`p${n}`));
    await request('POST', `/-/${area}/records/Person`, { token, json: some });
    const missing = ['labid:p1', 'labid:none', 'nope:x', 'labid:p1'];
    const whole = await request('DELETE', `/-/${area}/records/?atomic=true`, { token, json: missing });
    assert.equal(whole.status, 400, whole.text);
    const answer = await request('DELETE', `/-/${area}/records/`, { token, json: missing });
    assert.deepEqual(
      answer.json<Result[]>().map(({ status }) => status),
      [200, 404, 400, 200],
    );
    const pids = some.map(({ pid }) => pid).filter((pid) => pid !== 'labid:p1');
    const rest = await request('DELETE', `/-/${area}/records/`, { token, json: pids });
    assert.equal(rest.json<Result[]>().filter(({ status }) => status === 200).length, 599);
    const left = await request('GET', `/${area}/records/`, { token });
    assert.deepEqual(left.json(), []);
  }
  const refused = await request('DELETE', '/-/c/curated/records/', { token: 'ann', json: [] });
  assert.equal(refused.status, 403);
  const wrong = await request('DELETE', '/-/c/records/', { token: 'ann', json: { pids: [] } });
  assert.equal(wrong.status, 422);
});
