/** Catalogs of the service and its collections: what harvesters find, and what callers without permission do not. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Parser, type Quad } from 'n3';
import { ADMIN, testApp } from '../../../test/support/app.ts';
import { NO_HOSTS } from '../../../test/support/hosts.ts';
import { person } from '../../../test/support/people.ts';

const TYPE = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#type';
const DCAT = 'http://www.w3.org/ns/dcat#';
const LICENSE = 'https://creativecommons.org/licenses/by/4.0/';
const CONFIGURATION = {
  collections: { c: { default_token: 'guest' }, 'a/b': { default_token: 'guest' }, closed: {} },
  tokens: {
    guest: { c: 'READ_CURATED', 'a/b': 'READ_CURATED' },
    ann: { closed: 'WRITE_SUBMISSIONS' },
    cur: { c: 'CURATOR', 'a/b': 'CURATOR', closed: 'CURATOR' },
  },
};

const objects = (quads: readonly Quad[], subject: string, property: string) =>
  quads.flatMap((quad) =>
    quad.subject.value === subject && quad.predicate.value === property ? quad.object.value : [],
  );

async function published(t: Parameters<typeof testApp>[0]) {
  const { request } = await testApp(t, CONFIGURATION);
  const ask = async (method: string, url: string, json?: object) => {
    const answer = await request(method, url, { token: 'cur', ...(json && { json }) });
    assert.ok(answer.status < 300, answer.text);
    return answer;
  };
  const publish = { title: 'The "lab"\\', publisher: 'ACME', license: LICENSE };
  await ask('PUT', '/-/c/settings', { publish });
  await ask('POST', '/c/curated/record/Person', person('a'));
  const read = async (url: string, token?: string) => {
    const answer = await request('GET', url, token === undefined ? {} : { token });
    assert.equal(answer.status, 200, answer.text);
    assert.equal(answer.headers['content-type'], 'text/turtle; charset=utf-8');
    return new Parser().parse(answer.text);
  };
  return { request, ask, read };
}

test('a harvester walks from the service to files, and all URLs lead somewhere', async (t) => {
  const { request, read } = await published(t);
  const service = await read('/-/catalog');
  const root = service.find(({ object }) => object.value.endsWith('FAIRDataPoint'))!.subject.value;
  const catalogs = objects(service, root, 'https://w3id.org/fdp/fdp-o#metadataCatalog');
  assert.deepEqual(
    catalogs.map((url) => new URL(url).pathname),
    ['/-/c/catalog', '/-/a%2Fb/catalog'],
  );
  const files: string[] = [];
  for (const url of catalogs) {
    const catalog = await read(new URL(url).pathname);
    assert.deepEqual(objects(catalog, url, 'http://purl.org/dc/terms/isPartOf'), [`${root}#catalog`]);
    // The shapes of DCAT-AP demand the type of what is referred to, and what a catalog has.
    assert.deepEqual(objects(catalog, `${root}#catalog`, TYPE), [`${DCAT}Catalog`]);
    assert.equal(objects(catalog, `${root}#catalog`, 'http://purl.org/dc/terms/publisher').length, 1);
    for (const dataset of objects(catalog, url, `${DCAT}dataset`))
      for (const distribution of objects(catalog, dataset, `${DCAT}distribution`))
        for (const file of objects(catalog, distribution, `${DCAT}downloadURL`)) {
          assert.deepEqual(objects(catalog, file, TYPE), ['http://www.w3.org/2000/01/rdf-schema#Resource']);
          files.push(file);
        }
  }
  const paths = files.map((url) => url.replace(/^http:\/\/[^/]+/, ''));
  assert.deepEqual(paths.slice(0, 3), [
    '/-/c/export?format=json',
    '/-/c/export?format=nq',
    '/-/c/export?format=ttl',
  ]);
  for (const path of paths) assert.equal((await request('GET', path)).status, 200, path);
});

test('Accept chooses Turtle or JSON-LD, which have the same title', async (t) => {
  const { request, read } = await published(t);
  const turtle = await read('/-/c/catalog');
  assert.ok(turtle.some(({ object }) => object.value === 'The "lab"\\'));
  const answer = await request('GET', '/-/c/catalog', { headers: { accept: 'application/ld+json' } });
  assert.equal(answer.headers['content-type'], 'application/ld+json');
  assert.match(String(answer.headers.vary), /(^|, )Accept(,|$)/);
  const { '@graph': graph } = answer.json<{ '@graph': Record<string, unknown>[] }>();
  assert.equal(graph[0]?.['dct:title'], 'The "lab"\\');
  const none = await request('GET', '/-/catalog', { headers: { accept: 'application/pdf' } });
  assert.deepEqual([none.status, none.headers['accession-error']], [406, 'not_acceptable']);
});

test('a collection whose curated area a caller does not read is in no catalog', async (t) => {
  const { request, read } = await published(t);
  const listed = async (token?: string) => {
    const quads = await read('/-/catalog', token);
    const found = quads.filter(({ predicate }) => predicate.value.endsWith('metadataCatalog'));
    return found.map(({ object }) => new URL(object.value).pathname);
  };
  assert.deepEqual(await listed(), ['/-/c/catalog', '/-/a%2Fb/catalog']);
  assert.deepEqual(await listed('cur'), ['/-/c/catalog', '/-/a%2Fb/catalog', '/-/closed/catalog']);
  assert.deepEqual(await listed('ann'), []);
  assert.deepEqual(await listed(ADMIN), []);
  assert.equal((await request('GET', '/-/catalog', { token: 'stranger' })).status, 401);
  assert.equal((await request('GET', '/-/closed/catalog')).status, 401);
  assert.equal((await request('GET', '/-/closed/catalog', { token: 'ann' })).status, 403);
});

test('what is not a host does not reach links', async (t) => {
  const { request } = await published(t);
  for (const name of NO_HOSTS)
    for (const header of ['host', 'x-forwarded-host'])
      for (const path of ['/-/catalog', '/-/c/catalog', '/-/c/sitemap.xml', '/-/c/oai?verb=Identify']) {
        const { status, headers } = await request('GET', path, { headers: { [header]: name } });
        assert.deepEqual([status, headers['accession-error']], [400, 'request_malformed'], `${path} ${name}`);
      }
});
