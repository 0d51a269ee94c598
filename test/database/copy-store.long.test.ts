/** `accession copy-store`: to a database and back, with all that a store has. */
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, type TestContext, test } from 'node:test';
import type { App, AppOptions } from '../../src/app.ts';
import { accession } from '../cli/accession.ts';
import { ADMIN, type TestConfiguration, type TestService, testApp } from '../support/app.ts';
import { person } from '../support/people.ts';
import { startPostgresql, type TestServer } from '../support/postgresql.ts';

let server: TestServer;
before(async () => {
  server = await startPostgresql();
});
after(() => server.close());

const CONFIGURATION = {
  collections: {
    lab: {},
    sql: { backend: { type: 'sqlite' } },
    alike: { backend: { type: 'sqlite' }, curated: 'sql/curated', incoming: 'alike/incoming' },
  },
  tokens: {
    nobody: { lab: 'NOTHING' },
    writer: { lab: 'WRITE_COLLECTION', sql: 'WRITE_COLLECTION' },
    curator: { lab: 'CURATOR', sql: 'CURATOR' },
  },
};

/** Starts a service that ends before the test does; its store stays until then. */
async function stopped(
  t: TestContext,
  configuration: TestConfiguration,
  options: Partial<AppOptions>,
  work: (service: TestService) => Promise<void>,
): Promise<TestService> {
  const service = await testApp(t, configuration, options);
  await work(service);
  await service.app.close();
  return service;
}

/** What clients can see of a store. */
async function seen(service: TestService): Promise<object> {
  const get = async (path: string, token: string) => {
    const answer = await service.request('GET', path, { token });
    return { path, status: answer.status, text: answer.text, etag: answer.headers.etag };
  };
  const paths = ['lab', 'sql'].flatMap((name) => [
    `/${name}/records/`,
    `/${name}/curated/records/`,
    `/${name}/incoming/`,
    `/${name}/incoming/writer/records/`,
    `/-/${name}/history/record?pid=labid:ada`,
    `/-/${name}/history`,
  ]);
  const configuration = (await get('/tokens', ADMIN)).text;
  return { configuration, answers: await Promise.all(paths.map((path) => get(path, 'curator'))) };
}

async function fill(service: TestService, names = ['lab', 'sql']): Promise<void> {
  for (const name of names) {
    const store = (path: string, token: string, json: object) =>
      service.request('POST', `/${name}${path}/record/Person`, { token, json });
    for (let n = 0; n < 20; n++) await store('/curated', 'curator', person(`p${n}`));
    await store('/curated', 'curator', person('ada'));
    await store('/curated', 'curator', person('ada', { given_name: 'Augusta' }));
    await store('', 'writer', person('bob'));
    const gone = await service.request('DELETE', `/${name}/curated/record?pid=labid:p3`, {
      token: 'curator',
    });
    assert.equal(gone.status, 200);
  }
}

test('a store is copied to a database and back to a directory, and no client sees a difference', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'accession-copy-store-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  let expected: object = {};
  const original = await stopped(t, CONFIGURATION, {}, async (service) => {
    await fill(service);
    // From then on the order of the configuration is that of its record.
    await service.restart();
    expected = await seen(service);
  });
  const url = await server.createDatabase();
  const copied = await accession(['copy-store', original.store, url]);
  assert.equal(copied.status, 0, copied.stderr);
  assert.match(copied.stderr, /copied \d+ rows/);
  await stopped(t, {}, { databaseUrl: url }, async (service) => {
    assert.deepEqual(await seen(service), expected);
    // What is stored next gets numbers that no copied row has.
    const stored = await service.request('POST', '/lab/record/Person', {
      token: 'writer',
      json: person('new'),
    });
    assert.equal(stored.status, 200, stored.text);
    const gone = await service.request('DELETE', '/lab/record?pid=labid:new', { token: 'writer' });
    assert.equal(gone.status, 200, gone.text);
  });
  const again = await accession(['copy-store', original.store, url]);
  assert.equal(again.status, 1);
  assert.match(again.stderr, /has a store already/);

  const other = await server.createDatabase();
  assert.equal((await accession(['copy-store', original.store, other])).status, 0);
  const back = join(folder, 'back');
  const returned = await accession(['copy-store', other, back]);
  assert.equal(returned.status, 0, returned.stderr);
  await stopped(t, {}, { store: back }, async (service) => {
    assert.deepEqual(await seen(service), expected);
    assert.equal(readdirSync(join(back, 'lab/curated/Person')).length, 20, 'files of records are written');
  });
});

test('a collection that needs PostgreSQL does without in a directory', async (t) => {
  const databaseUrl = await server.createDatabase();
  const collections = { lab: { backend: { type: 'postgresql+stl' } } };
  await stopped(
    t,
    { ...CONFIGURATION, collections, tokens: { curator: { lab: 'CURATOR' } } },
    { databaseUrl },
    (service) => fill(service, ['lab']),
  );
  const folder = mkdtempSync(join(tmpdir(), 'accession-copy-store-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  assert.equal((await accession(['copy-store', databaseUrl, join(folder, 'to')])).status, 0);
  await stopped(t, {}, { store: join(folder, 'to') }, async (service) => {
    assert.deepEqual(backends(service.app), ['sqlite+stl']);
    const read = await service.request('GET', '/lab/curated/record?pid=labid:ada', { token: 'curator' });
    assert.equal(read.json<{ given_name: string }>().given_name, 'Augusta');
  });
});

test('copies between two directories, onto a store, and of nothing are refused', async (t) => {
  const configuration = {
    ...CONFIGURATION,
    collections: { lab: {} },
    tokens: { curator: { lab: 'CURATOR' } },
  };
  const one = await stopped(t, configuration, {}, async () => {});
  const empty = mkdtempSync(join(tmpdir(), 'accession-empty-'));
  t.after(() => rmSync(empty, { recursive: true, force: true }));
  const refused: [string[], RegExp][] = [
    [[one.store, empty], /Expected one directory and one database/],
    [[await server.createDatabase(), one.store], /contains no store/],
    [[empty, await server.createDatabase()], /has no accession\.db/],
  ];
  for (const [args, message] of refused) {
    const { status, stderr } = await accession(['copy-store', ...args]);
    assert.deepEqual([status, message.test(stderr)], [1, true], stderr);
  }
});

function backends({ state }: App): string[] {
  return Object.values(state.configuration.collections)
    .map(({ backend }) => backend.type)
    .sort();
}
