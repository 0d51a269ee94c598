/** Releases: made in the background, whole and unchanging, equal to the state of their revision, for those who read all of it. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import type { TestContext } from 'node:test';
import { unzipSync } from 'fflate';
import { ADMIN, type TestConfiguration, type TestService, testApp } from '../../../test/support/app.ts';
import { BACKENDS } from '../../../test/support/backends.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { organization, person } from '../../../test/support/people.ts';
import { repeated, test } from '../../../test/support/tier.ts';
import type { AppOptions } from '../../app.ts';

const PUBLISH = {
  title: 'The lab',
  publisher: 'ACME',
  license: 'https://creativecommons.org/licenses/by/4.0/',
};
const PATH = '/-/c/releases';
const TOKENS = {
  cur: { c: 'CURATOR' },
  reader: { c: 'READ_CURATED' },
  zone: { c: 'READ_SUBMISSIONS' },
  ann: { c: 'WRITE_COLLECTION' },
};

type Release = {
  name: string;
  state: string;
  reason: string | null;
  by: string | null;
  revision: number;
  records: number;
  digest: string;
  size: number;
  changes: object | null;
  files: { path: string; media_type: string; size: number; digest: string }[];
};

async function open(t: TestContext, collection: object = {}, options: Partial<AppOptions> = {}) {
  const configuration: TestConfiguration = { collections: { c: collection }, tokens: TOKENS };
  const service = await testApp(t, configuration, options);
  const settings = await service.request('PUT', '/-/c/settings', {
    token: 'cur',
    json: { publish: PUBLISH },
  });
  assert.equal(settings.status, 200, settings.text);
  return service;
}

async function store({ request }: TestService, json: object, className = 'Person'): Promise<void> {
  const { status, text } = await request('POST', `/c/curated/record/${className}`, { token: 'cur', json });
  assert.equal(status, 200, text);
}

const ask = ({ request }: TestService, name: string, token = 'cur', more: object = {}) =>
  request('POST', PATH, { token, json: { name, ...more } });

/** Requests a release and waits until it is made. */
async function made(service: TestService, name: string): Promise<Release> {
  const { status, text, headers } = await ask(service, name);
  assert.equal(status, 202, text);
  assert.equal(headers.location, `${PATH}/${name}`);
  return ended(service, name);
}

const ended = ({ request }: TestService, name: string) =>
  eventually(
    'the end of a release',
    async () => (await request('GET', `${PATH}/${name}`, { token: 'cur' })).json<Release>(),
    ({ state }) => state !== 'making',
  );

const sha256 = (bytes: string | Uint8Array) => createHash('sha256').update(bytes).digest('hex');

async function archiveOf({ app }: TestService, name: string): Promise<Uint8Array> {
  const headers = { 'x-service-token': 'cur' };
  const { rawPayload } = await app.server.inject({ url: `${PATH}/${name}/crate.zip`, headers });
  return new Uint8Array(rawPayload);
}

for (const type of BACKENDS) {
  repeated(
    `${type}: a release has the records of its revision, and is the same after more changes`,
    async (t) => {
      const service = await open(t, { backend: { type } });
      const { request } = service;
      await store(service, organization('lab', { name: 'Line\u2028separator' }), 'Organization');
      for (let n = 0; n < 30; n++) await store(service, person(`p${n}`, { affiliations: ['labid:lab'] }));
      const first = await made(service, 'v1');
      assert.deepEqual([first.state, first.records, first.changes], ['done', 31, null]);
      assert.deepEqual(
        first.files.map(({ path }) => path),
        ['records.jsonl', 'records.nq', 'schema.yaml', 'context.jsonld', 'ro-crate-metadata.json'],
      );
      await store(service, person('p1', { given_name: 'Changed' }));
      await store(service, person('p99'));
      await request('DELETE', '/c/curated/record?pid=labid:p2', { token: 'cur' });
      const second = await made(service, 'v2');
      assert.deepEqual(second.changes, { since: 'v1', created: 1, replaced: 1, deleted: 1 });
      const changes = await request('GET', `${PATH}/v2/changes.jsonl`, { token: 'reader' });
      assert.equal(
        changes.text,
        '{"kind":"replaced","pid":"labid:p1"}\n{"kind":"deleted","pid":"labid:p2"}\n{"kind":"created","pid":"labid:p99"}\n',
      );
      for (const { name, revision, files, digest, size } of [first, second]) {
        for (const [file, format] of [
          ['records.jsonl', 'json'],
          ['records.nq', 'nq'],
        ]) {
          const { text } = await request('GET', `${PATH}/${name}/${file}`, { token: 'reader' });
          const at = `/-/c/curated/export?at=${revision}&format=${format}`;
          assert.equal(text, (await request('GET', at, { token: 'cur' })).text, `${name} ${file}`);
        }
        const archive = await archiveOf(service, name);
        assert.deepEqual([archive.length, sha256(archive)], [size, digest]);
        const unpacked = unzipSync(archive);
        assert.deepEqual(
          Object.entries(unpacked).map(([path, bytes]) => [path, bytes.length, sha256(bytes)]),
          files.map(({ path, size, digest }) => [path, size, digest]),
        );
        for (const { path } of files) {
          const { text } = await request('GET', `${PATH}/${name}/${path}`, { token: 'reader' });
          assert.equal(text, new TextDecoder().decode(unpacked[path]), path);
        }
      }
    },
  );
}

test('a release is kept by caches for ever, and says so', async (t) => {
  const service = await open(t, { default_token: 'reader' });
  const { request } = service;
  await store(service, person('a'));
  const { files } = await made(service, 'v1');
  for (const path of ['', '/crate.zip', ...files.map(({ path }) => `/${path}`)]) {
    const { status, headers } = await request('GET', `${PATH}/v1${path}`);
    assert.deepEqual([status, headers['cache-control']], [200, 'public, max-age=31536000, immutable'], path);
    assert.match(String(headers.vary), /X-Service-Token/);
    if (path === '') continue;
    const again = await request('GET', `${PATH}/v1${path}`, { headers: { 'if-none-match': headers.etag! } });
    assert.equal(again.status, 304, path);
  }
  const { headers } = await request('GET', `${PATH}/v1/crate.zip`, { token: 'ann' });
  assert.equal(headers['cache-control'], 'private, max-age=31536000, immutable');
  assert.equal(headers['content-disposition'], 'attachment; filename="c-v1.zip"');
  const metadata = (await request('GET', `${PATH}/v1/ro-crate-metadata.json`)).json<{
    '@graph': Record<string, unknown>[];
  }>();
  const root = metadata['@graph'].find((one) => one['@id'] === './');
  assert.deepEqual(root?.license, { '@id': PUBLISH.license });
  assert.equal(root?.name, 'The lab, v1');
});

test('curators and administrators request releases, and whoever reads the curated area reads them when they are done', async (t) => {
  const service = await open(t);
  const { request } = service;
  await store(service, person('a'));
  for (const token of ['reader', 'ann', 'zone']) assert.equal((await ask(service, 'x', token)).status, 403);
  assert.equal((await ask(service, 'v1', ADMIN)).status, 202);
  const { by } = await ended(service, 'v1');
  assert.notEqual(by, null);
  const names = async (token: string) => {
    const { status, json } = await request('GET', PATH, { token });
    return status === 200 ? json<{ items: Release[] }>().items.map(({ name, by }) => [name, by]) : status;
  };
  assert.deepEqual(await names('reader'), [['v1', null]]);
  assert.deepEqual(await names('zone'), 403);
  assert.deepEqual(await names(ADMIN), [['v1', by]]);
  for (const path of ['/none', '/v1/none.txt', '/none/crate.zip']) {
    const { status, headers } = await request('GET', `${PATH}${path}`, { token: 'reader' });
    assert.deepEqual([status, headers['accession-error']], [404, 'release_unknown'], path);
  }
});

test('a name is taken once, and a collection without a license has no releases', async (t) => {
  const service = await open(t);
  const { request } = service;
  await made(service, 'v1');
  const again = await ask(service, 'v1');
  assert.deepEqual([again.status, again.headers['accession-error']], [409, 'name_taken']);
  for (const name of ['', '.x', 'a/b', 'ä', 'x'.repeat(101)])
    assert.equal((await ask(service, name)).status, 422, name);
  await request('PUT', '/-/c/settings', { token: 'cur', json: {} });
  const unlicensed = await ask(service, 'v2');
  assert.deepEqual([unlicensed.status, unlicensed.headers['accession-error']], [409, 'license_missing']);
});

test('with policies in force, releases exist for curators alone', async (t) => {
  const policies = { policy_annotation_tag: 'ex:policy', policy_mapping: [] };
  const service = await open(t, { default_token: 'reader', ...policies });
  const { request } = service;
  await store(service, person('open'));
  await store(service, person('hidden', { annotations: { 'ex:policy': 'secret' } }));
  await made(service, 'v1');
  for (const token of ['reader', 'ann']) {
    assert.deepEqual((await request('GET', PATH, { token })).json(), { items: [] });
    for (const path of ['v1', 'v1/crate.zip', 'v1/records.jsonl']) {
      const { status, text } = await request('GET', `${PATH}/${path}`, { token });
      assert.equal(status, 404);
      const unknown = await request('GET', `${PATH}/${path.replace('v1', 'v0')}`, { token });
      assert.equal(text.replaceAll('v1', 'v0'), unknown.text);
    }
  }
  assert.match((await request('GET', `${PATH}/v1/records.jsonl`, { token: 'cur' })).text, /hidden/);
});

test('a release outlives the entries of its revision', async (t) => {
  const service = await open(t);
  const { request, app } = service;
  await store(service, person('a'));
  const { revision } = await made(service, 'v1');
  const before = (await request('GET', `${PATH}/v1/records.jsonl`, { token: 'reader' })).text;
  await store(service, person('a', { given_name: 'Later' }));
  await app.registry
    .collection('c')
    .curated.prune('2999-01-01T00:00:00.000000+00:00', Number.MAX_SAFE_INTEGER);
  const gone = await request('GET', `/-/c/curated/export?at=${revision}`, { token: 'cur' });
  assert.equal(gone.status, 410);
  assert.equal((await request('GET', `${PATH}/v1/records.jsonl`, { token: 'reader' })).text, before);
  assert.deepEqual((await made(service, 'v2')).changes, { since: 'v1', created: 0, replaced: 1, deleted: 0 });
});
