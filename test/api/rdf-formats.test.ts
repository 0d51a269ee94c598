/** Records as JSON-LD and N-Quads, and the JSON-LD context of a collection. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { canonicalJson } from '#linkml/json.ts';
import { sharedApp, type TestService } from '../support/app.ts';
import { person } from '../support/people.ts';

const CONFIGURATION = {
  collections: { c: {} },
  tokens: { ann: { c: 'READ_CURATED' }, cleo: { c: 'CURATOR' } },
};

/** A service without records, which the tests share. */
const emptyService = sharedApp(CONFIGURATION);

async function app() {
  const { request } = await emptyService();
  const stored = person('a', { affiliations: ['labid:b'] });
  assert.equal(
    (await request('POST', '/c/curated/record/Person', { token: 'cleo', json: stored })).status,
    200,
  );
  return request;
}

test('records are returned as JSON-LD, with their own entity tag', async () => {
  const request = await app();
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

test('records are returned as N-Quads in a graph with their IRI', async () => {
  const request = await app();
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

/** Posts a document as a person, and returns what is stored, or the refusal. */
async function posted(request: TestService['request'], body: string | object, type: string, query = '') {
  const answer = await request('POST', `/c/curated/record/Person${query}`, {
    token: 'cleo',
    body: typeof body === 'string' ? body : JSON.stringify(body),
    headers: { 'content-type': type, host: 'records.example.org' },
  });
  if (answer.status !== 200) return `${answer.status} ${answer.text}`;
  return (await request('GET', '/c/record?pid=labid:x', { token: 'ann' })).text;
}

const LD = 'application/ld+json';

test('a body may be JSON-LD or N-Quads, by its label or by the parameter', async () => {
  const request = await app();
  const json = canonicalJson({ ...person('x', { affiliations: ['labid:b'] }), schema_type: 'schema:Person' });
  await request('POST', '/c/curated/record/Person', { token: 'cleo', json: JSON.parse(json) });
  for (const [format, type] of [
    ['jsonld', LD],
    ['nq', 'application/n-quads'],
  ]) {
    const { text } = await request('GET', `/c/record?pid=labid:x&format=${format}`, { token: 'ann' });
    for (const query of ['', `?format=${format}`]) {
      await request('DELETE', '/c/curated/record?pid=labid:x', { token: 'cleo' });
      assert.equal(await posted(request, text, type!, query), json);
    }
  }
  const checked = await request('POST', '/c/validate/record/Person', {
    token: 'ann',
    body: JSON.stringify({ '@id': 'https://example.org/laboratory/id/x' }),
    headers: { 'content-type': LD },
  });
  assert.equal(checked.status, 403, 'validation needs its permission');
});

test('JSON-LD may have any form: the context of the collection, aliases, IRIs, nested and separate nodes', async () => {
  const request = await app();
  const iri = 'https://example.org/laboratory/id/x';
  const json = canonicalJson({ ...person('x', { email: 'x@example.org' }), schema_type: 'schema:Person' });
  const context = 'http://records.example.org/-/c/context.jsonld';
  const schema = { '@vocab': 'http://schema.org/' };
  const values = { name: 'x', familyName: 'x', email: 'x@example.org' };
  const forms: object[] = [
    { '@context': context, ...JSON.parse(json) },
    { '@context': '/-/c/context.jsonld', ...JSON.parse(json) },
    { '@context': context.replace('http:', 'https:'), ...JSON.parse(json) },
    { '@context': schema, '@id': iri, '@type': 'Person', ...values },
    { '@context': { ...schema, id: '@id', a: '@type' }, id: iri, a: 'Person', ...values },
    {
      '@context': schema,
      '@graph': [
        { '@id': iri, ...values },
        { '@id': iri, '@type': 'Person' },
      ],
    },
    [
      { '@id': iri, '@type': ['http://schema.org/Person'], 'http://schema.org/name': [{ '@value': 'x' }] },
    ].map((one) => ({
      ...one,
      'http://schema.org/familyName': 'x',
      'http://schema.org/email': 'x@example.org',
    })),
  ];
  for (const form of forms) assert.equal(await posted(request, form, LD), json, JSON.stringify(form));
  assert.equal(await posted(request, JSON.parse(json), LD), json, 'JSON that is labeled as JSON-LD');
  assert.equal(await posted(request, JSON.parse(json), 'application/json', '?format=jsonld'), json);
});

test('JSON-LD that cannot be read as a whole is refused with the reason, and nothing is fetched', async () => {
  const request = await app();
  const ex = { '@context': { s: 'http://schema.org/' }, '@id': 'labid:x', '@type': 's:Person' };
  const refusals: [body: string | object, reason: RegExp][] = [
    [
      { '@context': 'https://schema.org/' },
      /The context https:\/\/schema\.org\/ is not fetched: expected a context in the document, or http:\/\/records\.example\.org\/-\/c\/context\.jsonld\./,
    ],
    [{ '@context': ['http://127.0.0.1:1/x', {}] }, /127\.0\.0\.1:1\/x is not fetched/],
    [{ '@context': { '@import': 'http://127.0.0.1:1/x' } }, /127\.0\.0\.1:1\/x is not fetched/],
    [{ '@context': '/-/other/context.jsonld' }, /is not fetched/],
    [{ ...ex, nick: 'x' }, /The context has no meaning for 'nick'/],
    [{ ...ex, '@id': 'x' }, /relative @id reference: 'x'/],
    [{ '@context': 5 }, /not JSON-LD: invalid local context/],
    ['{"@id": ', /400.*not JSON/],
    [{ ...ex, 's:name': { '@list': ['a'] } }, /found an rdf:List/],
    [{ ...ex, '@type': 's:Place' }, /No subject has the rdf:type schema:Person/],
    [{ ...ex, 's:nothing': 1 }, /has the predicate schema:nothing, which is not a slot/],
    [
      { '@context': { a: `http://x/${'y'.repeat(70_000)}` } },
      /The contexts have \d+ characters, expected at most 65536/,
    ],
    [
      { '@context': { a: `http://x/${'y'.repeat(40_000)}` }, '@graph': Array(6000).fill('a:b') },
      /has \d+ strings, expected at most \d+ with contexts of/,
    ],
  ];
  for (const [body, reason] of refusals) assert.match(await posted(request, body, LD), reason);
});

test('the JSON-LD context of a collection is for those who read it, and 304 while it is the same', async () => {
  const request = await app();
  const url = '/-/c/context.jsonld';
  const { headers, text } = await request('GET', url, { token: 'ann' });
  assert.equal(headers['content-type'], 'application/ld+json');
  assert.equal(JSON.parse(text)['@context'].pid, '@id');
  const again = await request('GET', url, { token: 'ann', headers: { 'if-none-match': headers.etag! } });
  assert.equal(again.status, 304);
  assert.equal((await request('GET', url)).status, 401);
  assert.equal((await request('GET', `${url}?x=1`, { token: 'ann' })).status, 422);
});
