/** `accession copy-store`: to a database and back, with all that a store has. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
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
  assert.match(copied.stdout, /^lab, curated: 20 records, 23 entries, /m);
  assert.match(copied.stderr, /copied 4 areas and the configuration/);
  await stopped(t, {}, { databaseUrl: url }, async (service) => {
    assert.deepEqual(backends(service.app), ['postgresql', 'postgresql', 'postgresql+stl']);
    assert.deepEqual(await seen(service), expected);
  });

  const again = await accession(['copy-store', original.store, url]);
  assert.equal(again.status, 0, `a repeated copy has nothing to do: ${again.stderr}`);

  const back = join(folder, 'back');
  const returned = await accession(['copy-store', url, back, '--backend', 'sqlite']);
  assert.equal(returned.status, 0, returned.stderr);
  await stopped(t, {}, { store: back }, async (service) => {
    assert.deepEqual(backends(service.app), ['sqlite', 'sqlite', 'sqlite+stl']);
    assert.deepEqual(await seen(service), expected);
  });
});

const ONE_COLLECTION = {
  ...CONFIGURATION,
  collections: { lab: {} },
  tokens: { curator: { lab: 'CURATOR' } },
};

test('a copy onto a store with other records is refused', async (t) => {
  const [one, other] = [
    await stopped(t, ONE_COLLECTION, {}, (service) => fill(service, ['lab'])),
    await stopped(t, ONE_COLLECTION, {}, (service) => fill(service, ['lab'])),
  ];
  const copied = await accession(['copy-store', one.store, other.store, '--backend', 'record_dir']);
  assert.equal(copied.status, 1);
  assert.match(copied.stderr, /not a copy of the source/);
  for (const args of [
    [one.store, other.store, '--backend', 'postgresql'],
    [one.store, await server.createDatabase(), '--backend', 'sqlite'],
  ]) {
    assert.match((await accession(['copy-store', ...args])).stderr, /TARGET is a (directory|database), so/);
  }
  const empty = mkdtempSync(join(tmpdir(), 'accession-empty-'));
  t.after(() => rmSync(empty, { recursive: true, force: true }));
  const nothing = await accession(['copy-store', empty, await server.createDatabase()]);
  assert.match(nothing.stderr, /does not contain a store/);
});

function backends({ state }: App): string[] {
  return Object.values(state.configuration.collections)
    .map(({ backend }) => backend.type)
    .sort();
}
