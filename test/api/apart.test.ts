/** Where areas may be, and requests that no endpoint takes. */
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { test } from 'node:test';
import { ADMIN, LABORATORY, sharedApp, testApp } from '../support/app.ts';

const collection = (name: string, places: object) => ({
  name,
  schema: LABORATORY,
  default_token: 'none',
  curated: `${name}/curated`,
  incoming: `${name}/incoming`,
  ...places,
});

const CLASHES: [string, object][] = [
  ['a curated area in the curated area of another collection', { curated: 'notes/curated/more' }],
  ['a curated area that contains that of another collection', { curated: 'notes' }],
  ['an incoming path that contains the curated area of another collection', { incoming: 'notes' }],
  ['a curated area in the incoming path of another collection', { curated: 'notes/incoming/zone' }],
  ['an incoming path that is the curated area of another collection', { incoming: 'notes/curated' }],
  ['a curated area that is the incoming path of another collection', { curated: 'notes/incoming' }],
  ['a very long path', { curated: `${'a/'.repeat(1999)}b` }],
];

const withNotes = sharedApp({
  collections: {
    notes: { curated: 'notes/curated', incoming: 'notes/incoming' },
  },
});

for (const [index, [name, places]] of CLASHES.entries()) {
  test(`refused with 422: ${name}`, async () => {
    const service = await withNotes();
    const put = (json: object) => service.request('PUT', '/collections', { token: ADMIN, json });
    const answer = await put(collection(`other${index}`, places));
    assert.equal(answer.status, 422, answer.text);
    const apart = await put(collection(`other${index}`, {}));
    assert.equal(apart.status, 201, apart.text);
  });
}

test('refused with 422: the curated area of another collection with another schema', async (t) => {
  const service = await testApp(t, { collections: { notes: { curated: 'n/curated' } } });
  const places = { schema: 'https://example.org/other.yaml', curated: 'n/curated' };
  const answer = await service.request('PUT', '/collections', {
    token: ADMIN,
    json: collection('other', places),
  });
  assert.equal(answer.status, 422, answer.text);
  assert.match(answer.text, /curated area of the collection 'notes', whose schema is/);
});

test('refused with 422: the areas of another collection with another backend, or without its policies', async (t) => {
  const places = { curated: 'n/curated', incoming: 'n/incoming' };
  const policies = { policy_annotation_tag: 'labid:policy', default_policy: 'internal' };
  const service = await testApp(t, { collections: { notes: { ...places, ...policies } } });
  const put = (json: object) => service.request('PUT', '/collections', { token: ADMIN, json });
  const rows: [more: object, why: RegExp][] = [
    [{ ...places, ...policies, backend: 'sqlite' }, /whose backend is .*record_dir\+stl/],
    [{ ...places, ...policies, backend: 'record_dir' }, /whose backend is/],
    [
      { ...places, ...policies, backend: { type: 'record_dir+stl', mapping_method: 'digest-sha1' } },
      /whose backend is/,
    ],
    [
      { incoming: 'n/incoming', backend: 'sqlite' },
      /incoming area of the collection 'notes', whose backend is/,
    ],
    [places, /policies hide records that this collection would show/],
  ];
  for (const [more, why] of rows) {
    const answer = await put(collection('other', more));
    assert.deepEqual([answer.status, why.test(answer.text)], [422, true], answer.text);
  }
  assert.equal((await put(collection('other', { ...places, ...policies }))).status, 201);
  const removed = await put(collection('other', places));
  assert.deepEqual([removed.status, /policies hide records/.test(removed.text)], [422, true], removed.text);
});

test('refused with 422: policies on a directory of a collection without them, until that has some', async (t) => {
  const places = { curated: 'n/curated', incoming: 'n/incoming' };
  const policies = { policy_annotation_tag: 'labid:policy', default_policy: 'internal' };
  const service = await testApp(t, { collections: { notes: places, pair: places } });
  const put = (json: object) => service.request('PUT', '/collections', { token: ADMIN, json });
  const refused = await put(collection('other', { ...places, ...policies }));
  assert.deepEqual(
    [refused.status, /which would show records/.test(refused.text)],
    [422, true],
    refused.text,
  );
  // A pair that shares already gets policies one after the other.
  for (const name of ['notes', 'pair'])
    assert.equal((await put(collection(name, { ...places, ...policies }))).status, 201, name);
  assert.equal((await put(collection('other', { ...places, ...policies }))).status, 201);
});

test('collections may share directories', async (t) => {
  const service = await testApp(t, {
    collections: { notes: { curated: 'n/curated', incoming: 'n/incoming' } },
  });
  const json = collection('same', { curated: 'n/curated', incoming: 'n/incoming' });
  const answer = await service.request('PUT', '/collections', { token: ADMIN, json });
  assert.equal(answer.status, 201, answer.text);
});

test('a method that no endpoint has is answered with 405, also if it is QUERY or not a method at all', async (t) => {
  const service = await testApp(t, { collections: { notes: {} } });
  const { port } = await listen(service.app.server);
  for (const method of ['QUERY', 'TRACE', 'PATCH', 'NONSENSE']) {
    const text = await exchange(port, `${method} /server HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`);
    assert.match(text, /^HTTP\/1\.1 405 /, method);
    assert.match(text, /\r\nallow: /i, method);
    assert.match(text, /\{"detail":"/, method);
  }
});

async function listen(server: { listen(options: object): Promise<string> }): Promise<{ port: number }> {
  return { port: Number(new URL(await server.listen({ host: '127.0.0.1', port: 0 })).port) };
}

function exchange(port: number, message: string): Promise<string> {
  return new Promise((found, failed) => {
    let text = '';
    const socket = connect(port, '127.0.0.1', () => socket.write(message));
    socket.setEncoding('utf8').on('data', (chunk) => {
      text += chunk;
    });
    socket.on('end', () => found(text)).on('error', failed);
  });
}
