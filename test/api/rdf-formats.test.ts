/** Records as JSON-LD and N-Quads, and the JSON-LD context of a collection. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testApp } from '../support/app.ts';
import { person } from '../support/people.ts';

const CONFIGURATION = {
  collections: { c: {} },
  tokens: { ann: { c: 'READ_CURATED' }, cleo: { c: 'CURATOR' } },
};

async function app(t: Parameters<typeof testApp>[0]) {
  const { request } = await testApp(t, CONFIGURATION);
  const stored = person('a', { affiliations: ['labid:b'] });
  assert.equal(
    (await request('POST', '/c/curated/record/Person', { token: 'cleo', json: stored })).status,
    200,
  );
  return request;
}

test('records are returned as JSON-LD, with their own entity tag', async (t) => {
  const request = await app(t);
  const { status, headers, text } = await request('GET', '/c/record?pid=labid:a&format=jsonld', {
    token: 'ann',
  });
  assert.equal(status, 200);
  assert.equal(headers['content-type'], 'application/ld+json');
  assert.match(headers.etag!, /\.jsonld"$/);
  const document = JSON.parse(text);
  assert.equal(document['@id'], 'labid:a');
  assert.equal(document['@context'].labid, 'https://example.org/laboratory/id/');
  assert.deepEqual(document['schema:affiliation'], { '@id': 'labid:b' });
  const exported = await request('GET', '/-/c/export?format=jsonld', { token: 'ann' });
  assert.equal(exported.headers['content-type'], 'application/x-ndjson');
  assert.equal(exported.text, `${text}\n`);
});

test('records are returned as N-Quads in a graph with their IRI', async (t) => {
  const request = await app(t);
  const { headers, text } = await request('GET', '/c/record?pid=labid:a&format=nq', { token: 'ann' });
  assert.equal(headers['content-type'], 'application/n-quads');
  const lines = text.trim().split('\n');
  assert.ok(
    lines.every((line) => line.endsWith('<https://example.org/laboratory/id/a> .')),
    text,
  );
  const page = await request('GET', '/c/records/p/?format=nq', { token: 'ann' });
  assert.deepEqual(page.json<{ items: unknown }>().items, [text]);
});

test('a body cannot have a format that is only written', async (t) => {
  const request = await app(t);
  for (const format of ['jsonld', 'nq']) {
    const url = `/c/curated/record/Person?format=${format}`;
    const { status, text } = await request('POST', url, { token: 'cleo', json: person('x') });
    assert.equal(status, 422);
    assert.match(text, /expected 'json' or 'ttl'/);
  }
});

test('the JSON-LD context of a collection is for those who read it, and 304 while it is the same', async (t) => {
  const request = await app(t);
  const url = '/-/c/context.jsonld';
  const { headers, text } = await request('GET', url, { token: 'ann' });
  assert.equal(headers['content-type'], 'application/ld+json');
  assert.equal(JSON.parse(text)['@context'].pid, '@id');
  const again = await request('GET', url, { token: 'ann', headers: { 'if-none-match': headers.etag! } });
  assert.equal(again.status, 304);
  assert.equal((await request('GET', url)).status, 401);
  assert.equal((await request('GET', `${url}?x=1`, { token: 'ann' })).status, 422);
});
