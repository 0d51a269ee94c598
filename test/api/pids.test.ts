/** Records are found by their `pid`: a schema whose records have none is refused, and no record is stored as `undefined`. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { ADMIN, testApp } from '../support/app.ts';
import { BY_ID, GOOD, HEAD, REFUSED, started } from '../support/pids.ts';
import { ofTier, repeated, test } from '../support/tier.ts';

/** Schemas whose other classes are not records. */
const ACCEPTED: Record<string, string> = {
  'with a part without an identifier': `${GOOD}
      chapters: { range: Chapter, multivalued: true }
  Chapter: { attributes: { title: {} } }`,
  'with an inlined class that has another identifier': `${GOOD}
      chapters: { range: Chapter, multivalued: true, inlined: true }
  Part: { abstract: true, attributes: { number: { identifier: true } } }
  Chapter: { is_a: Part }`,
  'with a mixin and an abstract class': `${GOOD}
  Named: { mixin: true, attributes: { id: { identifier: true } } }
  Root: { abstract: true, attributes: { id: { identifier: true } } }`,
  'with a container': `${GOOD}
  Library: { tree_root: true, attributes: { books: { range: Book, multivalued: true, inlined: true } } }`,
  'with other identifiers beside Thing': `${HEAD}
  Thing: { attributes: { pid: { identifier: true } } }
  Book: { is_a: Thing }
  Author: { attributes: { id: { identifier: true } } }`,
};

test('a schema is refused at creation and at a change', async (t) => {
  const { service, file, put } = await started(t);
  for (const [name, [schema, expected]] of Object.entries(REFUSED)) {
    const address = file('other.yaml', schema);
    const created = { name: 'new', schema: address, curated: 'new/curated', incoming: 'new/incoming' };
    const { name: _, ...running } = (await service.request('GET', '/collections/c', { token: ADMIN })).json<{
      name: string;
    }>();
    const changed = { ...running, name: 'c', schema: address };
    for (const config of [created, changed]) {
      const refused = await put(config);
      assert.equal(refused.status, 422, `${name}: ${refused.text}`);
      assert.match(refused.text, expected);
    }
    const collections = await service.request('GET', '/collections', { token: ADMIN });
    assert.doesNotMatch(collections.text, /"new"|other\.yaml/);
  }
});

for (const [name, schema] of Object.entries(ACCEPTED))
  test(`a schema is accepted ${name}`, async (t) => {
    const { service } = await started(t, schema);
    const stored = await service.request('POST', '/c/curated/record/Book', {
      token: 'cora',
      json: { pid: 'ex:a' },
    });
    assert.equal(stored.status, 200, stored.text);
  });

test('classes without a pid can be left out', async (t) => {
  const { file, put } = await started(t);
  const schema = file('other.yaml', `${GOOD}  Author: { attributes: { id: { identifier: true } } }`);
  const places = { name: 'new', schema, curated: 'new/curated', incoming: 'new/incoming' };
  for (const classes of [{ ignore_classes: ['Author'] }, { use_classes: ['Book'] }]) {
    const created = await put({ ...places, ...classes });
    assert.equal(created.status, 201, created.text);
  }
});

test('a first configuration with such a schema is refused', async (t) => {
  await assert.rejects(started(t, BY_ID), /Class Book has no slot `pid`/);
});

for (const type of ofTier(['record_dir', 'record_dir+stl', 'sqlite']))
  repeated(`${type}: a store whose schema lost its pid opens, and refuses records without one`, async (t) => {
    const { service, address } = await started(t, GOOD, type);
    const { request } = service;
    const book = { pid: 'ex:a', title: 'A' };
    await request('POST', '/c/curated/record/Book', { token: 'cora', json: book });
    writeFileSync(address, BY_ID);
    await service.restart();
    const list = await request('GET', '/c/curated/records/', { token: 'cora' });
    assert.equal(list.status, 200, list.text);
    assert.deepEqual(
      list.json<{ pid: string }[]>().map(({ pid }) => pid),
      ['ex:a'],
    );
    const json = { id: 'ex:b', title: 'B' };
    const turtle = '@prefix ex: <https://example.org/> . ex:b a ex:Book ; ex:title "B" .';
    for (const [path, body] of [
      ['/c/curated/record/Book', { json }],
      ['/c/record/Book', { json }],
      ['/c/validate/record/Book', { json }],
      ['/c/incoming/x/record/Book', { json }],
      ['/c/curated/record/Book?format=ttl', { turtle }],
      ['/c/curated/record/Book?format=jsonld', { body: '{"@id": "https://example.org/b"}' }],
      ['/c/curated/record/Book', { json: { title: 'none' } }],
    ] as const) {
      const refused = await request('POST', path, { token: 'cora', ...body });
      assert.equal(refused.status, 400, `${path} ${refused.text}`);
    }
    const items = [{ schema_type: 'ex:Book', ...json }];
    const batch = await request('POST', '/-/c/curated/records', { token: 'cora', json: items });
    assert.doesNotMatch(batch.text, /"status":200/);
    const after = await request('GET', '/c/curated/records/', { token: 'cora' });
    assert.equal(after.text, list.text);
    const zones = await request('GET', '/c/incoming/x/records/', { token: 'cora' });
    assert.doesNotMatch(zones.text, /undefined|ex:b/);
  });

for (const type of ofTier(['sqlite', 'postgresql']))
  repeated(`a NUL names nothing, and is no failure of the service (${type})`, async (t) => {
    const { request } = await testApp(t, {
      collections: { c: { backend: { type } } },
      tokens: { ann: { c: 'WRITE_COLLECTION' }, cora: { c: 'CURATOR' } },
    });
    const sent: [method: string, url: string, token: string, json?: object][] = [
      ['GET', '/c/record?pid=%00', 'ann'],
      ['GET', '/c/curated/record?pid=labid:a%00', 'cora'],
      ['DELETE', '/c/record?pid=https://x/%00', 'ann'],
      ['DELETE', '/-/c/records/', 'ann', ['a\0']],
      ['POST', '/-/c/read', 'ann', ['\0', 'labid:a']],
      ['POST', '/-/c/titles', 'ann', { pids: ['\0'] }],
      ['GET', '/-/c/history?class=%00', 'cora'],
      ['GET', '/-/c/changes?record=%00', 'ann'],
    ];
    for (const [method, url, token, json] of sent) {
      const { status, text } = await request(method, url, { token, ...(json && { json }) });
      assert.ok(status < 500, `${method} ${url}: ${text}`);
    }
    const health = await request('GET', '/-/health');
    assert.equal(health.status, 200, health.text);
  });
