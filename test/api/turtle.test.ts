/** Turtle through the API: every place that takes `format=ttl`, and what a client does with what it gets there. */
import assert from 'node:assert/strict';
import { resolve } from 'node:path';
import { sharedApp } from '../support/app.ts';
import { isIsomorphic } from '../support/isomorphic.ts';
import { longTest, test } from '../support/tier.ts';

const schema = resolve(import.meta.dirname, '../../packages/linkml/test/turtle.yaml');
const PREFIXES = `@prefix ex: <https://accession.invalid/ns/> .
@prefix t: <https://accession.invalid/schemas/turtle/> .
`;
const DOCUMENT = `${PREFIXES}
ex:a a t:Sample ;
    t:level 1 ;
    t:spot [
        a t:Spot ;
        t:x 1
    ] ;
    t:title "A" .
`;

/** A service without records, which the tests share. */
const emptyService = sharedApp({
  collections: { c: { schema } },
  tokens: { ann: { c: 'WRITE_COLLECTION' }, cara: { c: 'CURATOR' } },
});

test('a document that is stored comes back the same, one by one, in lists and on pages', async () => {
  const { request } = await emptyService();
  const ann = { token: 'ann' };
  const stored = await request('POST', '/c/record/Sample?format=ttl', { ...ann, turtle: DOCUMENT });
  assert.deepEqual([stored.status, stored.text], [200, DOCUMENT]);
  const one = await request('GET', '/c/record?pid=ex:a&format=ttl', ann);
  assert.deepEqual([one.headers['content-type'], one.text], ['text/turtle; charset=utf-8', DOCUMENT]);
  const list = await request('GET', '/c/records/Sample?format=ttl', ann);
  assert.deepEqual(list.json(), [DOCUMENT]);
  const page = await request('GET', '/c/records/p/Thing?format=ttl&size=100', ann);
  assert.deepEqual(page.json<{ items: string[] }>().items, [DOCUMENT]);
  const json = await request('GET', '/c/record?pid=ex:a', ann);
  assert.deepEqual(json.json(), {
    level: 1,
    pid: 'ex:a',
    schema_type: 't:Sample',
    spot: { x: 1 },
    title: 'A',
  });
});

test('a document may come as text/turtle or without a Content-Type, to all areas, and only be validated', async () => {
  const { request } = await emptyService();
  const body = Buffer.from(DOCUMENT);
  const places = [
    '/c/record/Sample',
    '/c/validate/record/Sample',
    '/c/curated/record/Sample',
    '/c/incoming/ann/record/Sample',
  ];
  for (const place of places) {
    const bare = await request('POST', `${place}?format=ttl`, { token: 'cara', body });
    assert.equal(bare.status, 200, `${place}: ${bare.text}`);
    const typed = await request('POST', `${place}?format=ttl`, { token: 'cara', turtle: DOCUMENT });
    assert.equal(typed.status, 200, `${place}: ${typed.text}`);
    const labeled = await request('POST', place, { token: 'cara', turtle: DOCUMENT });
    assert.equal(labeled.status, 200, `${place}: ${labeled.text}`);
    const asJson = await request('POST', `${place}?format=json`, { token: 'cara', turtle: DOCUMENT });
    assert.equal(asJson.status, 400, `${place}: ${asJson.text}`);
  }
});

test('what the service writes it takes back, without a change', async () => {
  const { request } = await emptyService();
  const record = { pid: 'ex:p', friend: { pid: 'ex:q', title: 'Q', friend: { pid: 'ex:r' } } };
  await request('POST', '/c/record/Person', { token: 'ann', json: record });
  const before = await request('GET', '/c/record?pid=ex:p', { token: 'ann' });
  const document = (await request('GET', '/c/record?pid=ex:p&format=ttl', { token: 'ann' })).text;
  const again = await request('POST', '/c/record/Person?format=ttl', { token: 'ann', turtle: document });
  assert.equal(again.status, 200, again.text);
  assert.ok(isIsomorphic(again.text, document));
  assert.equal((await request('GET', '/c/record?pid=ex:p', { token: 'ann' })).text, before.text);
});

const REFUSED: [name: string, body: string, detail: RegExp][] = [
  ['no Turtle', `${PREFIXES}ex:a a t:Sample ; t:title "A`, /line 3, column 27/],
  ['a file name', '/etc/passwd', /line 1, column 1/],
  ['an address', 'http://accession.invalid/record.ttl', /line 1, column 1/],
  ['another class', `${PREFIXES}ex:a a t:Person .`, /types found are t:Person/],
  ['two records', `${PREFIXES}ex:a a t:Sample . ex:b a t:Sample .`, /ex:a, ex:b/],
  ['an unknown predicate', `${PREFIXES}ex:a a t:Sample ; ex:p 1 .`, /ex:a has the predicate ex:p/],
  ['what the schema forbids', `${PREFIXES}ex:a a t:Sample ; t:hex "xyz" .`, /hex/],
  [
    'a million blank nodes',
    `${PREFIXES}ex:a a t:Sample ; t:spots ${'[],'.repeat(1_000_000)} [] .`,
    /blank nodes/,
  ],
  [
    'deep nesting',
    `${PREFIXES}ex:a a t:Sample ; t:spot ${'[t:deeper '.repeat(50_000)}[]${']'.repeat(50_000)} .`,
    /deeper than 64/,
  ],
];

for (const [name, turtle, detail] of REFUSED) {
  test(`refused with 400, and why: ${name}`, async () => {
    const { request } = await emptyService();
    for (const path of ['/c/record/Sample', '/c/validate/record/Sample']) {
      const answer = await request('POST', `${path}?format=ttl`, { token: 'ann', turtle });
      assert.equal(answer.status, 400, answer.text);
      assert.match(JSON.stringify(answer.json<{ detail: unknown }>().detail), detail);
      assert.ok(answer.text.length < 4000, 'an error does not repeat the body');
    }
    assert.deepEqual((await request('GET', '/c/records/', { token: 'ann' })).json(), []);
  });
}

longTest('ten megabytes of text in one literal are a record like any other', async () => {
  const { request } = await emptyService();
  const turtle = `${PREFIXES}ex:a a t:Sample ; t:title "${'x'.repeat(10_000_000)}" .`;
  const answer = await request('POST', '/c/record/Sample?format=ttl', { token: 'ann', turtle });
  assert.equal(answer.status, 200);
});
