/** Entity tags: reads that need not be repeated, and writes that lose nothing (RFC 9110, 13.1). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sharedApp, type TestService, testApp } from '../support/app.ts';
import { person } from '../support/people.ts';

const CONFIGURATION = {
  collections: { c: {}, d: {}, sql: { backend: 'sqlite' } },
  tokens: {
    ann: { c: 'WRITE_COLLECTION', d: 'WRITE_COLLECTION', sql: 'WRITE_COLLECTION' },
    curator: { c: 'CURATOR', d: 'CURATOR', sql: 'CURATOR' },
  },
};

/** A service without records, which the tests share. */
const emptyService = sharedApp(CONFIGURATION);
const AREAS = ['/c', '/c/curated', '/c/incoming/ann', '/sql', '/sql/curated', '/sql/incoming/ann'];

function client({ request }: TestService, area: string) {
  const token = area.split('/').length > 2 ? 'curator' : 'ann';
  return {
    put: (more: object, headers = {}) =>
      request('POST', `${area}/record/Person`, { token, json: person('a', more), headers }),
    get: (headers = {}, format = 'json') =>
      request('GET', `${area}/record?pid=labid:a&format=${format}`, { token, headers }),
    remove: (headers = {}) => request('DELETE', `${area}/record?pid=labid:a`, { token, headers }),
  };
}

test('a read with the current tag returns 304 without a body', async () => {
  const service = await emptyService();
  for (const area of AREAS) {
    const { put, get } = client(service, area);
    const stored = await put({});
    const read = await get();
    assert.equal(read.headers.etag, stored.headers.etag, area);
    const etag = read.headers.etag ?? '';
    for (const header of [etag, `"x", ${etag}`, `W/${etag}`, '*']) {
      const again = await get({ 'if-none-match': header });
      assert.deepEqual([again.status, again.text, again.headers.etag], [304, '', etag]);
    }
    await put({ given_name: 'x' });
    const changed = await get({ 'if-none-match': etag });
    assert.equal(changed.status, 200);
    assert.notEqual(changed.headers.etag, etag);
  }
});

test('a condition that is false names the record by the pid that was sent', async () => {
  const service = await emptyService();
  for (const area of AREAS) {
    const { put, remove } = client(service, area);
    await put({});
    const refused = [
      await put({}, { 'if-match': '"other"' }),
      await put({}, { 'if-none-match': '*' }),
      await remove({ 'if-match': '"other"' }),
    ];
    await remove();
    refused.push(await remove({ 'if-match': '"other"' }));
    for (const { status, text } of refused) {
      assert.equal(status, 412, text);
      assert.match(text, /'labid:a'/, area);
    }
  }
});

test('tags differ between collections, areas and formats', async () => {
  const service = await emptyService();
  const tags: (string | undefined)[] = [];
  for (const area of ['/c/curated', '/d/curated', '/sql/curated', '/c/incoming/ann', '/c/incoming/curator']) {
    const { put, get } = client(service, area);
    await put({});
    tags.push((await get()).headers.etag, (await get({}, 'ttl')).headers.etag);
  }
  assert.equal(new Set(tags).size, tags.length);
});

test('tags survive a restart', async (t) => {
  const service = await testApp(t, CONFIGURATION);
  for (const area of AREAS) await client(service, area).put({});
  const before = await Promise.all(
    AREAS.map(async (area) => (await client(service, area).get()).headers.etag),
  );
  await service.restart();
  const after = await Promise.all(
    AREAS.map(async (area) => (await client(service, area).get()).headers.etag),
  );
  assert.deepEqual(after, before);
});

test('If-Match allows a write only in the state that it names', async () => {
  const service = await emptyService();
  for (const area of AREAS) {
    const { put, get, remove } = client(service, area);
    assert.equal((await put({}, { 'if-match': '*' })).status, 412, 'there is none yet');
    assert.equal((await remove({ 'if-match': '*' })).status, 412);
    const first = (await put({})).headers.etag ?? '';
    const second = (await put({ given_name: 'x' }, { 'if-match': first })).headers.etag ?? '';
    assert.notEqual(second, first);
    assert.equal((await put({ given_name: 'y' }, { 'if-match': first })).status, 412);
    assert.equal((await put({ given_name: 'y' }, { 'if-match': '"other"' })).status, 412);
    assert.equal((await remove({ 'if-match': first })).status, 412);
    assert.match((await get()).text, /"given_name":"x"/);
    const turtle = (await get({}, 'ttl')).headers.etag ?? '';
    assert.equal(
      (await put({ given_name: 'z' }, { 'if-match': turtle })).status,
      200,
      'the tag of any format will do',
    );
    assert.equal((await remove({ 'if-match': '*' })).status, 200);
  }
});

test('If-None-Match: * allows only the first store', async () => {
  const service = await emptyService();
  for (const area of AREAS) {
    const { put, get, remove } = client(service, area);
    assert.equal((await put({}, { 'if-none-match': '*' })).status, 200);
    assert.equal((await put({ given_name: 'x' }, { 'if-none-match': '*' })).status, 412);
    assert.doesNotMatch((await get()).text, /given_name/);
    await remove();
  }
});

test('in the user area, a condition applies to the record that the user sees, even a curated one', async () => {
  const service = await emptyService();
  const curated = client(service, '/c/curated');
  const user = client(service, '/c');
  await curated.put({});
  assert.equal((await user.put({}, { 'if-none-match': '*' })).status, 412);
  const seen = (await user.get()).headers.etag ?? '';
  await curated.put({ given_name: 'curated' });
  assert.equal((await user.put({ given_name: 'late' }, { 'if-match': seen })).status, 412);
  const now = (await user.get()).headers.etag ?? '';
  assert.equal((await user.put({ given_name: 'mine' }, { 'if-match': now })).status, 200);
  assert.equal(
    (await user.put({ given_name: 'again' }, { 'if-match': now })).status,
    412,
    'now it sees its own',
  );
});

test('of simultaneous writes with the same condition exactly one succeeds', async () => {
  const service = await emptyService();
  for (const area of ['/c/curated', '/sql/curated', '/c', '/sql']) {
    const { put } = client(service, area);
    const etag = (await put({})).headers.etag ?? '';
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, n) => put({ given_name: `${n}` }, { 'if-match': etag })),
    );
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, ...Array(7).fill(412)]);
  }
});

test('a compressed answer has a tag of its own, and serves as well as the plain one', async () => {
  const service = await emptyService();
  const { put, get } = client(service, '/c/curated');
  await put({ given_name: 'x'.repeat(5000) });
  const plain = await get();
  const packed = await get({ 'accept-encoding': 'gzip' });
  assert.equal(packed.headers['content-encoding'], 'gzip');
  for (const { headers } of [plain, packed]) assert.match(String(headers.vary), /, accept-encoding$/);
  const tags = [plain.headers.etag ?? '', packed.headers.etag ?? ''];
  assert.notEqual(tags[0], tags[1]);
  for (const etag of tags) {
    const again = await get({ 'accept-encoding': 'gzip', 'if-none-match': etag });
    assert.deepEqual([again.status, again.headers.etag], [304, etag]);
    assert.match(String(again.headers.vary), /, accept-encoding$/);
  }
  assert.equal((await put({}, { 'if-match': tags[1] })).status, 200);
  assert.equal((await put({}, { 'if-match': tags[1] })).status, 412);
});

test('caches ask again before they use a response, and shared ones keep none of a token, nor that of an error', async () => {
  const service = await emptyService();
  await client(service, '/c/curated').put({});
  for (const path of [
    '/c/record?pid=labid:p',
    '/c/records/p/',
    '/-/c/search',
    '/c/record?pid=nix:p',
    '/-/nothing',
  ]) {
    for (const [token, expected] of [
      ['cur', 'private, no-cache'],
      [undefined, 'no-cache'],
    ] as const) {
      const { headers } = await service.request('GET', path, token === undefined ? {} : { token });
      assert.equal(headers['cache-control'], expected, path);
      assert.match(String(headers.vary), /X-Service-Token, X-DumpThings-Token, Authorization/, path);
    }
  }
});
