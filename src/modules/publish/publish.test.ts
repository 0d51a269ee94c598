/** Records as pages and as data under one URL, what became of those that are gone, and the sitemap. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { testApp } from '../../../test/support/app.ts';
import { organization, person } from '../../../test/support/people.ts';
import type { AppOptions } from '../../app.ts';
import type { Me } from '../../core/http/api-types.ts';
import type { Module } from '../../module.ts';
import { publish } from './module.ts';

const CONFIGURATION = {
  collections: { c: { default_token: 'guest' }, 'a/b': { default_token: 'guest' }, closed: {} },
  tokens: {
    guest: { c: 'READ_CURATED', 'a/b': 'READ_CURATED' },
    ann: { closed: 'WRITE_SUBMISSIONS' },
    cleo: { c: 'CURATOR', 'a/b': 'CURATOR', closed: 'CURATOR' },
  },
};
const PUBLISH = {
  title: 'People of the lab',
  license: 'https://creativecommons.org/licenses/by/4.0/',
  publisher: 'The lab',
};
const accepting = (accept: string) => ({ headers: { accept } });

async function published(t: TestContext, options: Partial<AppOptions> = {}) {
  const { request } = await testApp(t, CONFIGURATION, options);
  const put = async (className: string, json: object, path = '/c/curated') =>
    assert.equal((await request('POST', `${path}/record/${className}`, { token: 'cleo', json })).status, 200);
  await put('Organization', organization('lab', { name: 'The <b>lab</b>' }));
  await put(
    'Person',
    person('ada', { affiliations: ['labid:lab', 'labid:gone'], orcid: 'orcid:0000-0002-1825-0097' }),
  );
  return { request, put };
}

test('a record is a page without a script, with its values, references, referrers and how to cite it', async (t) => {
  const { request } = await published(t);
  await request('PUT', '/-/c/settings', { token: 'cleo', json: { publish: PUBLISH } });
  const { status, headers, text } = await request('GET', '/-/c/resource/labid:ada', accepting('text/html'));
  assert.equal(status, 200);
  assert.equal(headers['content-type'], 'text/html; charset=utf-8');
  assert.match(String(headers['content-security-policy']), /^default-src 'none'/);
  assert.match(text, /<h1>ada<\/h1>\n<p class="about">Person in People of the lab<\/p>/);
  assert.match(text, /<a href="http:\/\/[^"]*\/-\/c\/resource\/labid:lab">The &lt;b&gt;lab&lt;\/b&gt;<\/a>/);
  assert.doesNotMatch(text, /<a href="[^"]*labid:gone"/, 'a record that does not exist has no page');
  assert.match(text, /<a href="https:\/\/orcid.org\/0000-0002-1825-0097">orcid:0000-0002-1825-0097<\/a>/);
  assert.match(text, /ada\. People of the lab, The lab, \d{4}-\d\d-\d\d\. <a href="http/);
  assert.match(text, /License: <a href="https:\/\/creativecommons.org\/licenses\/by\/4.0\/">/);
  assert.deepEqual(
    [...text.matchAll(/<script([^>]*)>/g)].map(([, more]) => more),
    [' type="application/ld+json"'],
  );
  const organizationPage = await request('GET', '/-/c/resource/labid:lab', accepting('text/html'));
  assert.match(organizationPage.text, /<h2>Referred to by<\/h2>\n<ul><li><a href="[^"]*labid:ada">ada<\/a>/);
});

test('a page lists 100 referrers of a record, and counts the others up to a limit', async (t) => {
  const { request } = await published(t);
  for (const [many, more] of [
    [101, '2'],
    [1000, 'many'],
  ] as const) {
    const json = Array.from({ length: many }, (_, at) => ({
      ...person(`p${at}`),
      affiliations: ['labid:lab'],
    }));
    const stored = await request('POST', '/-/c/curated/records/Person', { token: 'cleo', json });
    assert.equal(stored.status, 200, stored.text);
    const { text } = await request('GET', '/-/c/resource/labid:lab', accepting('text/html'));
    assert.equal(text.match(/<li><a /g)?.length, 100);
    assert.match(text, new RegExp(`<p class="about">and ${more} more</p>`));
  }
});

test('search engines find a description in the words of schema.org', async (t) => {
  const { request } = await published(t);
  await request('PUT', '/-/c/settings', { token: 'cleo', json: { publish: PUBLISH } });
  const { text } = await request('GET', '/-/c/resource/labid:ada');
  const [, data = ''] = /<script type="application\/ld\+json">(.*?)<\/script>/s.exec(text) ?? [];
  const described = JSON.parse(data);
  assert.equal(described['@type'], 'Person');
  assert.equal(described['@id'], 'https://example.org/laboratory/id/ada');
  assert.equal(described.familyName, 'ada');
  assert.deepEqual(described.subjectOf.license, PUBLISH.license);
});

test('Accept chooses the representation, and Link names the others', async (t) => {
  const { request } = await published(t);
  const url = '/-/c/resource/labid:ada';
  for (const [type, format] of [
    ['application/json', 'json'],
    ['text/turtle', 'ttl'],
    ['application/ld+json', 'jsonld'],
    ['application/n-quads', 'nq'],
  ] as const) {
    const { headers, text, status } = await request('GET', url, accepting(`application/pdf, ${type}`));
    assert.equal(status, 200);
    assert.equal(headers['content-type']?.split(';')[0], type);
    assert.match(String(headers.vary), /(^|, )Accept(,|$)/);
    const alone = await request('GET', `/c/record?pid=labid:ada&format=${format}`);
    assert.equal(text, alone.text);
    assert.ok(
      String(headers.link).includes(`format=${format}>; rel="describedby"; type="${type}"`),
      String(headers.link),
    );
    const again = await request('GET', url, { headers: { accept: type, 'if-none-match': headers.etag! } });
    assert.equal(again.status, 304);
  }
  const { status, headers, text } = await request('GET', url, accepting('application/pdf'));
  assert.equal(status, 406);
  assert.match(text, /expected one of text\/html, application\/json, text\/turtle/);
  assert.match(String(headers.vary), /Accept/);
});

test('the links of a record follow the signposting profile, for HEAD, too', async (t) => {
  const { request } = await published(t);
  const base = 'https://example.org/laboratory/id/';
  await request('PUT', '/-/c/settings', { token: 'cleo', json: { publish: { ...PUBLISH, base } } });
  const { status, headers, text } = await request('HEAD', '/-/c/resource/labid:ada');
  assert.deepEqual([status, text], [200, '']);
  const link = String(headers.link);
  for (const part of [
    `<${base}ada>; rel="cite-as"`,
    '<https://schema.org/AboutPage>; rel="type"',
    '<http://schema.org/Person>; rel="type"',
    `<${PUBLISH.license}>; rel="license"`,
    '/c/records/p/>; rel="collection"; type="application/json"',
  ])
    assert.ok(link.includes(part), `${part} in ${link}`);
});

test('a header that proxies would refuse is left out: long pids are links in the page alone', async (t) => {
  const { request } = await testApp(t, {
    collections: { c: { default_token: 'anyone' } },
    tokens: { anyone: { c: 'READ_CURATED' }, cleo: { c: 'CURATOR' } },
  });
  const long = (name: string) => `labid:${name.repeat(3000)}`;
  const json = person('x', { pid: long('p'), affiliations: [long('a'), 'labid:b', long('c'), 'labid:d'] });
  const stored = await request('POST', '/c/curated/record/Person', { token: 'cleo', json });
  assert.equal(stored.status, 200, stored.text);
  const page = await request('GET', `/-/c/resource/${json.pid}`);
  assert.deepEqual([page.status, page.headers.link], [200, undefined]);
});

test('the pid is the rest of the path: a CURIE or a whole IRI, also in a collection with a slash in its name', async (t) => {
  const { request, put } = await published(t);
  await put('Person', person('x', { pid: 'https://example.org/p/q/r' }), '/a%2Fb/curated');
  for (const path of ['https://example.org/p/q/r', 'https:%2F%2Fexample.org%2Fp%2Fq%2Fr']) {
    const { status, text } = await request('GET', `/-/a/b/resource/${path}`, accepting('application/json'));
    assert.equal(status, 200, text);
    assert.match(text, /"name":"x"/);
  }
  const { status } = await request('GET', '/-/c/resource/https://example.org/laboratory/id/ada');
  assert.equal(status, 200);
  assert.equal((await request('GET', '/-/c/resource/labid:ada?x=1')).status, 422);
});

/** A module that moves records, as renames do: what was `ada` is `ada-byron`. */
const moving: Module = {
  name: 'moving',
  attach: () => () => ({
    moves: {
      movedTo: async (iri) => (iri.endsWith('/ada') ? `${iri}-byron` : undefined),
      movedBy: async () => () => undefined,
    },
  }),
};

test('a moved record is a redirect, a deleted one is gone with its date, and others are missing', async (t) => {
  const { request, put } = await published(t, { modules: [publish, moving] });
  await put('Person', person('ada-byron'));
  await request('DELETE', '/c/curated/record?pid=labid:ada', { token: 'cleo' });
  const moved = await request('GET', '/-/c/resource/labid:ada');
  assert.equal(moved.status, 301);
  assert.match(String(moved.headers.location), /^http:\/\/.*\/-\/c\/resource\/labid:ada-byron$/);
  assert.equal(
    (await request('DELETE', '/c/curated/record?pid=labid:ada-byron', { token: 'cleo' })).status,
    200,
  );
  for (const pid of ['labid:ada-byron', 'labid:ada']) {
    const page = await request('GET', `/-/c/resource/${pid}`);
    const data = await request('GET', `/-/c/resource/${pid}`, accepting('text/turtle'));
    assert.deepEqual([page.status, data.status], [410, 410]);
    for (const { headers } of [page, data]) assert.equal(headers['accession-error'], 'record_deleted');
    assert.match(
      page.text,
      /<h1>Deleted record<\/h1>\n<p>The record &#39;labid:ada.*was deleted on \d{4}-\d\d-\d\d\.</,
    );
    assert.match(data.text, /"detail":"The record 'labid:ada(-byron)?' was deleted on/);
  }
  const page = await request('GET', '/-/c/resource/labid:none');
  const data = await request('GET', '/-/c/resource/labid:none', accepting('application/json'));
  assert.deepEqual([page.status, data.status], [404, 404]);
  assert.match(page.text, /<h1>No such record<\/h1>/);
  assert.match(data.text, /The record 'labid:none' does not exist\./);
  assert.equal((await request('GET', '/-/c/resource/nowhere:x')).status, 400);
});

test('a token sees what it reads: its zone, and nothing without a permission', async (t) => {
  const { request, put } = await published(t);
  await put('Person', person('ada'), '/closed/curated');
  await request('POST', '/closed/record/Person', { token: 'ann', json: person('own') });
  const own = await request('GET', '/-/closed/resource/labid:own', { token: 'ann' });
  assert.equal(own.status, 200);
  assert.doesNotMatch(own.text, /Last change/);
  assert.equal((await request('GET', '/-/closed/resource/labid:ada', { token: 'ann' })).status, 404);
  assert.equal((await request('GET', '/-/closed/sitemap.xml', { token: 'ann' })).status, 403);
  assert.equal((await request('GET', '/-/closed/resource/labid:ada')).status, 401);
});

test('the sitemap has every curated record with the time of its last change', async (t) => {
  const { request, put } = await published(t);
  await put('Person', person('b&c'));
  await request('DELETE', '/c/curated/record?pid=labid:lab', { token: 'cleo' });
  const { status, headers, text } = await request('GET', '/-/c/sitemap.xml');
  assert.equal(status, 200);
  assert.equal(headers['content-type'], 'application/xml; charset=utf-8');
  assert.match(text, /^<\?xml version="1.0" encoding="UTF-8"\?>\n<urlset xmlns="http:\/\/www.sitemaps.org/);
  const urls = [...text.matchAll(/<loc>[^<]*\/-\/c\/resource\/([^<]*)<\/loc><lastmod>(\d{4}-[^<]*)</g)];
  assert.deepEqual(
    urls.map(([, pid]) => pid),
    ['labid:ada', 'labid:b%26c'],
  );
  const [, , first = ''] = urls[0]!;
  assert.ok(Date.parse(first) > 0);
  const behind = await request('GET', '/-/c/sitemap.xml?after=2');
  assert.doesNotMatch(behind.text, /labid:ada/);
});

test('hostile values stay text', async (t) => {
  const { request, put } = await published(t);
  const hostile = '</script><script>alert(1)</script>"><img src=x onerror=alert(1)>';
  await put('Person', person('evil', { name: hostile, homepage: 'javascript:alert(1)' }));
  const { text } = await request('GET', '/-/c/resource/labid:evil');
  assert.doesNotMatch(text, /<script>|<img|href="javascript/);
  assert.match(text, /&lt;script&gt;alert\(1\)/);
});

test('a token learns whom it can ask about a collection', async (t) => {
  const { request } = await published(t);
  const publish = { contact: 'data@example.org' };
  await request('PUT', '/-/c/settings', { token: 'cleo', json: { publish } });
  const me = (await request('GET', '/-/me', { token: 'cleo' })).json<Me>();
  assert.deepEqual(
    [me.collections.c?.contact, me.collections['a/b']?.contact],
    ['data@example.org', undefined],
  );
});
