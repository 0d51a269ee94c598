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

test('caches keep a release for a day, and clients ask whether it is the same', async (t) => {
  const service = await open(t, { default_token: 'reader' });
  const { request } = service;
  await store(service, person('a'));
  const { files } = await made(service, 'v1');
  for (const path of ['', '/crate.zip', ...files.map(({ path }) => `/${path}`)]) {
    const { status, headers } = await request('GET', `${PATH}/v1${path}`);
    assert.deepEqual(
      [status, headers['cache-control']],
      [200, path === '' ? 'no-cache' : 'public, max-age=86400'],
      path,
    );
    assert.match(String(headers.vary), /X-Service-Token/);
    if (path === '') continue;
    const again = await request('GET', `${PATH}/v1${path}`, { headers: { 'if-none-match': headers.etag! } });
    assert.equal(again.status, 304, path);
  }
  const { headers } = await request('GET', `${PATH}/v1/crate.zip`, { token: 'ann' });
  assert.equal(headers['cache-control'], 'private, max-age=86400');
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

test('a download goes on where it ended, and HEAD has its length', async (t) => {
  const service = await open(t);
  const { request, app } = service;
  for (let n = 0; n < 40; n++) await store(service, person(`p${n}`));
  const { files, size } = await made(service, 'v1');
  for (const [path, length] of [
    ['crate.zip', size],
    ...files.map(({ path, size }) => [path, size] as const),
  ]) {
    const get = async (headers: Record<string, string | undefined>, method: 'GET' | 'HEAD' = 'GET') => {
      const url = `${PATH}/v1/${path}`;
      const answer = await app.server.inject({
        method,
        url,
        headers: { 'x-service-token': 'reader', ...headers },
      });
      return { ...answer, bytes: answer.rawPayload };
    };
    const whole = await get({});
    assert.deepEqual(
      [whole.statusCode, whole.bytes.length, whole.headers['accept-ranges']],
      [200, length, 'bytes'],
    );
    assert.equal(Number(whole.headers['content-length']), length);
    const head = await get({}, 'HEAD');
    assert.deepEqual([head.statusCode, Number(head.headers['content-length'])], [200, length], String(path));
    const etag = String(whole.headers.etag);
    const ranges: [string, number, number][] = [
      ['bytes=0-0', 0, 1],
      ['bytes=10-', 10, Number(length)],
      ['bytes=-7', Number(length) - 7, Number(length)],
      ['bytes=5-1000000', 5, Number(length)],
      [
        `bytes=${Number(length) >> 1}-${(Number(length) >> 1) + 20}`,
        Number(length) >> 1,
        (Number(length) >> 1) + 21,
      ],
    ];
    for (const [range, from, to] of ranges)
      for (const more of [{}, { 'if-range': etag }, { 'accept-encoding': 'gzip' }]) {
        const part = await get({ range, ...more });
        assert.equal(part.statusCode, 206, range);
        assert.equal(part.headers['content-range'], `bytes ${from}-${to - 1}/${length}`);
        assert.ok(part.bytes.equals(whole.bytes.subarray(from, to)), `${path} ${range}`);
      }
    for (const headers of [
      { range: 'bytes=0-1', 'if-range': '"other"' },
      { range: 'bytes=0-1,4-5' },
      { range: 'bytes=9-2' },
      { range: 'lines=0-1' },
      { range: 'bytes=-' },
    ]) {
      const all = await get(headers);
      assert.deepEqual([all.statusCode, all.bytes.length], [200, length], JSON.stringify(headers));
    }
    for (const range of [`bytes=${length}-`, 'bytes=-0']) {
      const none = await get({ range });
      assert.deepEqual(
        [none.statusCode, none.headers['accession-error'], none.headers['content-range']],
        [416, 'range_unsatisfiable', `bytes */${length}`],
      );
    }
  }
  assert.equal((await request('GET', `${PATH}/v1/records.jsonl`, { token: 'reader' })).status, 200);
});

test('an admin token alone reads no file of a release', async (t) => {
  const service = await open(t);
  await store(service, person('a'));
  const { files } = await made(service, 'v1');
  for (const path of ['crate.zip', ...files.map(({ path }) => path)]) {
    const { status, headers } = await service.request('GET', `${PATH}/v1/${path}`, { token: ADMIN });
    assert.deepEqual([status, headers['accession-error']], [401, 'token_refused'], path);
  }
});

test('an administrator withdraws a release: its files are gone, its digest and the reason stay', async (t) => {
  const service = await open(t, { default_token: 'reader' });
  const { request, app } = service;
  await store(service, person('a'));
  const { digest } = await made(service, 'v1');
  await made(service, 'v2');
  const withdraw = (token: string, reason = 'has personal data', name = 'v1') =>
    request('DELETE', `${PATH}/${name}?reason=${encodeURIComponent(reason)}`, { token });
  for (const token of ['cur', 'reader', 'ann']) assert.equal((await withdraw(token)).status, 401, token);
  assert.equal((await withdraw(ADMIN, ' ')).status, 422);
  const parts = async () =>
    (
      await app.registry
        .collection('c')
        .database.tuples<[number]>('SELECT count(*) FROM accession_release_part')
    )[0]![0];
  const before = await parts();
  const withdrawn = await withdraw(ADMIN);
  assert.deepEqual([withdrawn.status, withdrawn.json<Release>().state], [200, 'withdrawn'], withdrawn.text);
  assert.equal(await parts(), before / 2);
  const tombstone = (await request('GET', `${PATH}/v1`)).json<Release>();
  assert.deepEqual([tombstone.reason, tombstone.digest, tombstone.files], ['has personal data', digest, []]);
  for (const file of ['crate.zip', 'records.jsonl', 'none']) {
    const gone = await request('GET', `${PATH}/v1/${file}`, { token: 'cur' });
    assert.deepEqual([gone.status, gone.headers['accession-error']], [410, 'release_withdrawn']);
    assert.match(gone.text, /has personal data/);
  }
  assert.equal((await request('GET', `${PATH}/v2/records.jsonl`)).status, 200);
  assert.doesNotMatch((await request('GET', '/-/c/catalog')).text, /release-v1/);
  assert.equal((await withdraw(ADMIN)).status, 410);
  assert.equal((await withdraw(ADMIN, 'x', 'none')).status, 404);
  assert.deepEqual((await ask(service, 'v1')).headers['accession-error'], 'name_taken');
  assert.deepEqual((await made(service, 'v3')).changes, { since: 'v2', created: 0, replaced: 0, deleted: 0 });
});

test('one release is made at a time, and at most 500 are kept', async (t) => {
  const service = await open(t);
  const { database, curated } = service.app.registry.collection('c');
  await store(service, person('a'));
  const add = (name: string, state: string) =>
    database.transact(async (draft) => {
      draft.run(
        `INSERT INTO accession_release (area, collection, name, revision, time, state, attempt, done, total, json)
         VALUES ($1, 'c', $2, 1, 1, $3, '', 0, 0, '{"publish":{"license":"x"},"notes":null}')`,
        [curated.area.id, name, state],
      );
    });
  const both = await Promise.all([ask(service, 'v1'), ask(service, 'v2')]);
  assert.deepEqual(both.map(({ status }) => status).sort(), [202, 409]);
  const [accepted, refusal] = both[0].status === 202 ? ['v1', both[1]] : ['v2', both[0]];
  assert.equal(refusal.headers['accession-error'], 'release_in_progress');
  await ended(service, accepted);
  for (let n = 0; n < 500; n++) await add(`old${n}`, 'done');
  const refused = await ask(service, 'v3');
  assert.deepEqual([refused.status, refused.headers['accession-error']], [409, 'releases_too_many']);
});
