/** Citations of records and releases in each format, and the page of a release. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { ADMIN, testApp } from '../../../test/support/app.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { person } from '../../../test/support/people.ts';
import { CITATION_FORMATS, type Citation, FORMAT_NAMES } from './formats.ts';

const PUBLISH = {
  title: 'The lab',
  publisher: 'ACME',
  license: 'https://creativecommons.org/licenses/by/4.0/',
};
const CITE = {
  creators: [{ name: 'Hopper, Grace', orcid: '0000-0002-1825-0097' }, { name: 'The Lab' }],
  funders: [{ name: 'DFG', award: '7' }],
  doi: '10.5072/lab',
  dois: { two: '10.5072/lab.2' },
};

const HOSTILE: Citation = {
  key: 'k',
  title: 'a\nER  - \r\n}\\input{x}}',
  creators: [{ name: 'x}, {y\nAU  - z' }],
  date: '2024',
  publisher: '%$&#_~^',
  version: undefined,
  doi: undefined,
  url: 'https://example.org/}',
  license: undefined,
};

async function open(t: TestContext) {
  const service = await testApp(t, {
    collections: { c: { default_token: 'guest' } },
    tokens: { guest: { c: 'READ_CURATED' }, ann: { c: 'WRITE_COLLECTION' }, cur: { c: 'CURATOR' } },
  });
  const put = await service.request('PUT', '/-/c/settings', {
    token: 'cur',
    json: { publish: PUBLISH, cite: CITE },
  });
  assert.equal(put.status, 200, put.text);
  const store = async (className: string, json: object) => {
    const { status, text } = await service.request('POST', `/c/curated/record/${className}`, {
      token: 'cur',
      json,
    });
    assert.equal(status, 200, text);
  };
  await store('Person', person('ada', { name: 'Lovelace, Ada' }));
  await store('Publication', {
    pid: 'labid:pub',
    title: 'On <engines> & {braces}',
    published: '1843-09-01',
    doi: '10.5072/engines_1',
    authors: ['labid:ada'],
  });
  return {
    ...service,
    get: (query: string, token?: string) => service.request('GET', `/-/c/${query}`, token ? { token } : {}),
  };
}

test('a record is cited in each format, with its own creators, date and DOI', async (t) => {
  const { get } = await open(t);
  const text = await get('cite?pid=labid:pub');
  assert.equal(text.status, 200, text.text);
  assert.equal(
    text.text,
    'Lovelace, Ada (1843): On <engines> & {braces}. ACME. https://doi.org/10.5072/engines_1\n',
  );
  const bibtex = await get('cite?pid=labid:pub&format=bibtex');
  assert.match(bibtex.headers['content-type']!, /^application\/x-bibtex/);
  assert.match(
    bibtex.text,
    /^@dataset\{labid-pub,\n {2}title = \{\{On <engines> \\& \\textbraceleft\{\}braces\\textbraceright\{\}\}\},/,
  );
  assert.match(bibtex.text, /author = \{Lovelace, Ada\},\n {2}year = \{1843\}/);
  const ris = await get('cite?pid=labid:pub&format=ris');
  assert.match(
    ris.text,
    /^TY {2}- DATA\r\n[\s\S]*AU {2}- Lovelace, Ada\r\nPY {2}- 1843\r\n[\s\S]*ER {2}- \r\n$/,
  );
  const csl = (await get('cite?pid=labid:pub&format=csl')).json<object[]>();
  assert.deepEqual(csl, [
    {
      id: 'labid-pub',
      type: 'dataset',
      title: 'On <engines> & {braces}',
      author: [{ family: 'Lovelace', given: 'Ada' }],
      issued: { 'date-parts': [[1843, 9, 1]] },
      publisher: 'ACME',
      DOI: '10.5072/engines_1',
      URL: (csl[0] as { URL: string }).URL,
    },
  ]);
  assert.match((csl[0] as { URL: string }).URL, /\/-\/c\/resource\/labid:pub$/);
});

test('the public page of a record leads to its citation in each format', async (t) => {
  const { get, request } = await open(t);
  const page = await get('resource/labid:pub');
  assert.equal(page.status, 200, page.text);
  const links = [...page.text.matchAll(/<a href="([^"]+)">(Text|BibTeX|RIS|CSL JSON)<\/a>/g)];
  assert.deepEqual(
    links.map(([, , title]) => title),
    ['Text', 'BibTeX', 'RIS', 'CSL JSON'],
  );
  for (const [, url = ''] of links) {
    const { pathname, search } = new URL(url.replaceAll('&amp;', '&'));
    const cited = await request('GET', pathname + search, {});
    assert.equal(cited.status, 200, cited.text);
    assert.match(cited.text, /10\.5072\/engines_1/);
  }
});

test('a record without creators is cited with those of the collection, and a missing one is not cited', async (t) => {
  const { get, request } = await open(t);
  const { text } = await get('cite?pid=labid:ada');
  assert.match(text, /^Hopper, Grace; The Lab \(\d{4}\): Lovelace, Ada\. ACME\. http/);
  assert.equal((await get('cite?pid=labid:gone')).status, 404);
  for (const doi of ['10.5072/x}', '10.5072/{x']) {
    const put = await request('PUT', '/-/c/settings', { token: 'cur', json: { cite: { doi } } });
    assert.equal(put.status, 422, put.text);
  }
  assert.equal((await get('cite')).status, 422);
  assert.equal((await get('cite?pid=labid:ada&release=one')).status, 422);
  assert.equal((await get('cite?release=one')).status, 404);
});

test('a release has a page with creators, funding, DOI, license, files with digests, and its citation', async (t) => {
  const service = await open(t);
  const { get, request } = service;
  for (const name of ['one', 'two']) {
    const asked = await request('POST', '/-/c/releases', {
      token: 'cur',
      json: { name, notes: 'With <b>.' },
    });
    assert.equal(asked.status, 202, asked.text);
    await eventually(`the release ${name} is made`, async () => {
      const { state } = (await get(`releases/${name}`)).json<{ state: string }>();
      return state === 'done';
    });
    await request('POST', '/c/curated/record/Person', { token: 'cur', json: person('mei') });
  }
  const page = await get('release/two');
  assert.equal(page.status, 200, page.text);
  assert.match(page.headers['content-type']!, /^text\/html/);
  for (const part of [
    '<h1>The lab</h1>',
    'With &lt;b&gt;.',
    '<a href="https://orcid.org/0000-0002-1825-0097">Hopper, Grace</a>',
    'DFG, grant 7',
    'https://doi.org/10.5072/lab.2',
    'since one: 1 new, 0 changed, 0 deleted',
    'Hopper, Grace; The Lab (',
  ])
    assert.ok(page.text.includes(part), `${part}\n${page.text}`);
  const files = (await get('releases/two')).json<{ files: { path: string; digest: string }[] }>().files;
  for (const { path, digest } of files) assert.ok(page.text.includes(digest) && page.text.includes(path));
  const head = await request('HEAD', '/-/c/release/two');
  assert.deepEqual([head.status, head.text], [200, '']);
  const part = await request('GET', '/-/c/releases/two/crate.zip', { headers: { range: 'bytes=0-3' } });
  assert.equal(part.status, 206);
  assert.match(
    (await get('cite?release=one')).text,
    /Version one\. ACME\. https:\/\/doi\.org\/10\.5072\/lab\n$/,
  );
  const withdrawn = await request('DELETE', '/-/c/releases/one?reason=wrong', { token: ADMIN });
  assert.equal(withdrawn.status, 200);
  const left = (await get('release/one')).text;
  assert.match(left, /Withdrawn\.<\/b> wrong/);
  assert.doesNotMatch(left, /cite\?release=|>Cite</);
  assert.equal((await get('cite?release=one')).status, 410);
});

test('a date has as many parts as are known, in each format', () => {
  for (const [date, ...parts] of [
    ['1843-09-01', '1843', '09', '01'],
    ['2026-11-29T12:00:00Z', '2026', '11', '29'],
    ['2019-05', '2019', '05'],
    ['2019/2020', '2019'],
    ['2019-2020', '2019'],
    ['2020 spring', '2020'],
    ['2020-99-99', '2020'],
  ] as const) {
    const citation: Citation = { ...HOSTILE, date };
    assert.deepEqual(JSON.parse(CITATION_FORMATS.csl.write(citation))[0].issued, {
      'date-parts': [parts.map(Number)],
    });
    assert.match(
      CITATION_FORMATS.ris.write(citation),
      new RegExp(`PY {2}- ${parts[0]}\r\nDA {2}- ${parts.join('/')}\r\n`),
    );
    assert.match(CITATION_FORMATS.bibtex.write(citation), new RegExp(`year = \\{${parts[0]}\\}`));
  }
  assert.equal('issued' in JSON.parse(CITATION_FORMATS.csl.write({ ...HOSTILE, date: 'soon' }))[0], false);
});

test('signs of a format stay text, whatever the record has', () => {
  const written = Object.fromEntries(
    FORMAT_NAMES.map((name) => [name, CITATION_FORMATS[name].write(HOSTILE)]),
  );
  assert.equal(written.ris!.split('\r\n').filter((line) => /^ER/.test(line)).length, 1);
  assert.equal(written.ris!.split('\r\n').filter((line) => /^AU/.test(line)).length, 1);
  assert.ok(!/[^\\]\\input/.test(written.bibtex!.replaceAll('\\textbackslash{}', '')));
  assert.equal(written.bibtex!.split('{').length, written.bibtex!.split('}').length);
  assert.equal(written.text!.split('\n').length, 2);
  assert.equal(JSON.parse(written.csl!)[0].title, HOSTILE.title);
});
