/** Several instances of the service on one database: what is done on one is in force on all. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, type TestContext, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { pino } from 'pino';
import { openApp } from '../../src/app.ts';
import { ADMIN, LABORATORY, type TestService, testApp } from '../support/app.ts';
import { eventually } from '../support/eventually.ts';
import { person } from '../support/people.ts';
import { ownServer, startPostgresql, type TestServer } from '../support/postgresql.ts';

/** Issue-sized runs set more. */
const INCREMENTS = Number(process.env.ACCESSION_TEST_INCREMENTS ?? 200);

let server: TestServer;
before(async () => {
  server = await startPostgresql();
});
after(() => server.close());

const CONFIGURATION = {
  collections: {
    lab: { backend: { type: 'postgresql+stl' } },
  },
  tokens: {
    nobody: { lab: 'NOTHING' },
    reader: { lab: 'READ_CURATED' },
    writer: { lab: 'WRITE_COLLECTION' },
    curator: { lab: 'CURATOR' },
  },
};

type Instances = { readonly url: string; readonly one: TestService; readonly other: TestService };

async function twoInstances(t: TestContext): Promise<Instances> {
  const url = await server.createDatabase();
  const one = await testApp(t, CONFIGURATION, { databaseUrl: url });
  const other = await testApp(t, {}, { databaseUrl: url });
  return { url, one, other };
}

/** How long changes took to be in force, in milliseconds; documented is a second on a machine that has the time. */
const delays: string[] = [];
after(() => console.log(`# ${delays.join(', ')}`));

async function inForce(what: string, check: () => Promise<boolean>): Promise<void> {
  const start = Date.now();
  await eventually(what, check);
  delays.push(`${what}: ${Date.now() - start} ms`);
}

test('a schema that was sent as a text, which one instance would keep alone, is not put in force', async (t) => {
  const { one, other } = await twoInstances(t);
  const schema = readFileSync(LABORATORY, 'utf8').replace('^orcid:', '^(orcid|ORCID):');
  const switched = async (body: object) => {
    const report = await one.request('POST', '/-/lab/rehearse', { token: ADMIN, json: body });
    const { id } = report.json<{ id: string }>();
    return one.request('POST', `/-/lab/rehearsals/${id}/switch`, { token: ADMIN, json: {} });
  };
  const refused = await switched({ schema });
  assert.equal(refused.status, 412, refused.text);
  assert.match(refused.text, /an address for all instances/);
  const address = join(one.store, 'schema.yaml');
  writeFileSync(address, schema);
  assert.equal((await switched({ address })).status, 200);
  await inForce('the schema of the other instance', async () => {
    const { text } = await other.request('GET', '/-/lab/schema', { token: 'curator' });
    return text === schema;
  });
});

/** The areas in the database of a service. */
async function areas(url: string): Promise<string[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query('SELECT path FROM accession_area ORDER BY path');
  await client.end();
  return rows.map(({ path }) => path);
}

const admin = (service: TestService, method: string, path: string, json?: unknown) =>
  service.request(method, path, { token: ADMIN, ...(json !== undefined && { json }) });

const put = (service: TestService, json: object, headers: Record<string, string> = {}) =>
  service.request('POST', '/lab/curated/record/Person', { token: 'curator', json, headers });
const read = (service: TestService, pid: string, token = 'reader') =>
  service.request('GET', `/lab/record?pid=${encodeURIComponent(pid)}`, { token });

test('a record that is stored on one instance is read, listed and found on the other', async (t) => {
  const { url, one, other } = await twoInstances(t);
  assert.equal((await put(one, person('ada', { given_name: 'Augusta' }))).status, 200);
  assert.match((await read(other, 'labid:ada')).text, /Augusta/);
  const page = await other.request('GET', '/lab/records/p/?matching=%25ugust%25', { token: 'reader' });
  assert.equal(page.json<{ total: number }>().total, 1);
  const stored = await one.request('POST', '/lab/record/Person', { token: 'writer', json: person('new') });
  assert.equal(stored.status, 200);
  assert.deepEqual(await areas(url), ['__dump_things__/config_store', 'lab/curated', 'lab/incoming/writer']);
  const labels = await other.request('GET', '/lab/incoming/', { token: 'curator' });
  assert.deepEqual(labels.json(), ['curator', 'nobody', 'reader', 'writer']);
  assert.equal(existsSync(join(one.store, 'lab/curated')), false);
});

test('a client that empties a zone page by page finds all of its records, whichever instance answers', async (t) => {
  const { one, other } = await twoInstances(t);
  const json = Array.from({ length: 25 }, (_, n) => person(`p${n}`));
  assert.equal((await one.request('POST', '/-/lab/records/Person', { token: 'writer', json })).status, 200);
  const asCurator = { token: 'curator' };
  for (let page = 1, pages = 1; page <= pages; page++) {
    const url = `/lab/incoming/writer/records/p/?page=${page}&size=10`;
    const answer = await other.request('GET', url, asCurator);
    const { items, ...found } = answer.json<{ items: { pid: string }[]; pages: number }>();
    if (page === 1) pages = found.pages;
    for (const { pid } of items)
      await one.request('DELETE', `/lab/incoming/writer/record?pid=${pid}`, asCurator);
  }
  const left = await other.request('GET', '/lab/incoming/writer/records/p/', asCurator);
  assert.equal(left.json<{ total: number }>().total, 0);
});

test('changes of the configuration on one instance are in force on the other', async (t) => {
  const { one, other } = await twoInstances(t);
  await put(one, person('ada'));
  assert.equal((await read(other, 'labid:ada')).status, 200);
  assert.equal((await admin(one, 'DELETE', '/tokens/reader')).status, 200);
  await inForce('the token is refused', async () => (await read(other, 'labid:ada')).status === 401);

  const notes = {
    name: 'notes',
    schema: LABORATORY,
    default_token: 'nobody',
    curated: 'notes/curated',
    incoming: 'notes/in',
    backend: { type: 'postgresql' },
  };
  assert.equal((await admin(other, 'POST', '/collections', notes)).status, 201);
  await inForce('the collection is there', async () =>
    (await one.request('GET', '/server')).text.includes('"notes"'),
  );
  const kept = one.app.registry.collection('lab');
  assert.equal(
    (await admin(other, 'PUT', '/collections', { ...notes, incoming: 'notes/zones' })).status,
    201,
  );
  await inForce(
    'the collection is replaced',
    async () => one.app.registry.collection('notes').config.incoming === 'notes/zones',
  );
  assert.equal(one.app.registry.collection('lab'), kept, 'a collection that was not set runs on');

  const replaced = one.app.registry.collection('notes');
  assert.equal(
    (await admin(other, 'PUT', '/collections', { ...notes, incoming: 'notes/zones' })).status,
    201,
  );
  await inForce(
    'a collection that is set to what it was is opened again',
    async () => one.app.registry.collection('notes') !== replaced,
  );

  const maintenance = { collection: 'lab', active: true };
  await one.request('POST', '/maintenance', { token: 'curator', json: maintenance });
  await inForce('maintenance', async () => (await read(other, 'labid:ada', 'writer')).status === 503);
  await other.request('POST', '/maintenance', { token: 'curator', json: { ...maintenance, active: false } });
  await inForce('no maintenance', async () => (await read(one, 'labid:ada', 'writer')).status === 200);
  const history = await admin(one, 'GET', '/-/history');
  assert.equal(history.status, 200, history.text);
});

test('changes that two instances make at the same time are all kept', async (t) => {
  const { one, other } = await twoInstances(t);
  const names = Array.from({ length: 12 }, (_, n) => `token-${n}`);
  const answers = await Promise.all(
    names.map((name, n) =>
      admin(n % 2 ? one : other, 'POST', '/tokens', {
        name,
        user_id: name,
        collections: { lab: { mode: 'READ_CURATED', incoming_label: name } },
      }),
    ),
  );
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([201]));
  for (const service of [one, other]) {
    await inForce('all tokens are there', async () => {
      const { tokens } = service.app.state.configuration;
      return names.every((name) => Object.hasOwn(tokens, name));
    });
  }
});

test('changes are in force without the connection that listens', async (t) => {
  const { url, one, other } = await twoInstances(t);
  await put(one, person('ada'));
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  t.after(() => client.end());
  let cutting = true;
  const cut = (async () => {
    while (cutting) {
      await client.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'accession coordination'
           AND datname = current_database()`,
      );
      await pause(50);
    }
  })();
  try {
    assert.equal((await admin(one, 'DELETE', '/tokens/reader')).status, 200);
    await inForce('the token is refused', async () => (await read(other, 'labid:ada')).status === 401);
  } finally {
    cutting = false;
    await cut;
  }
});

test('conditional writes of two instances add up', async (t) => {
  const { one, other } = await twoInstances(t);
  await put(one, person('n', { given_name: '0' }));
  let left = INCREMENTS;
  const lane = async (service: TestService) => {
    while (left > 0) {
      left -= 1;
      for (;;) {
        const current = await service.request('GET', '/lab/curated/record?pid=labid:n', { token: 'curator' });
        const n = Number(current.json<{ given_name: string }>().given_name) + 1;
        const answer = await put(service, person('n', { given_name: String(n) }), {
          'if-match': current.headers.etag ?? '',
        });
        if (answer.status === 200) break;
        assert.equal(answer.status, 412);
      }
    }
  };
  await Promise.all([one, other, one, other].map(lane));
  for (const service of [one, other]) {
    const last = await service.request('GET', '/lab/curated/record?pid=labid:n', { token: 'curator' });
    assert.equal(last.json<{ given_name: string }>().given_name, String(INCREMENTS));
  }
});

test('an instance needs no directory', async (t) => {
  const url = await server.createDatabase();
  const one = await testApp(t, CONFIGURATION, { databaseUrl: url });
  await put(one, person('ada'));
  const other = await openApp({ databaseUrl: url, version: '0', logger: pino({ level: 'silent' }) });
  try {
    const answer = await other.server.inject({
      url: '/lab/record?pid=labid:ada',
      headers: { 'x-service-token': 'reader' },
    });
    assert.equal(answer.statusCode, 200, answer.body);
  } finally {
    await other.close();
  }
});

test('requests get 503 while the database is stopped, and the service recovers by itself', {
  skip: ownServer ? false : 'the server of ACCESSION_TEST_DATABASE_URL is not stopped',
}, async (t) => {
  const { one, other } = await twoInstances(t);
  await put(one, person('ada'));
  assert.equal((await one.request('GET', '/-/ready')).status, 200);
  await server.stopNow();
  for (const answer of [
    await read(one, 'labid:ada'),
    await put(one, person('bob')),
    await admin(one, 'DELETE', '/tokens/reader'),
    await one.request('POST', '/maintenance', {
      token: 'curator',
      json: { collection: 'lab', active: true },
    }),
    await one.request('GET', '/-/ready'),
  ]) {
    assert.equal(answer.status, 503, answer.text);
    assert.match(answer.headers['retry-after'] ?? '', /^\d+$/);
    assert.match(answer.text, /the database is not available/);
  }
  const health = await one.request('GET', '/-/health');
  assert.deepEqual([health.status, health.json<{ status: string }>().status], [503, 'degraded']);
  await server.start();
  assert.equal((await read(one, 'labid:ada')).status, 200);
  assert.equal((await read(one, 'labid:bob', 'curator')).text, 'null');
  assert.equal((await put(one, person('bob'))).status, 200);
  assert.equal((await one.request('GET', '/-/ready')).status, 200);
  assert.equal((await admin(one, 'DELETE', '/tokens/reader')).status, 200);
  await inForce('the other one follows again', async () => (await read(other, 'labid:ada')).status === 401);
});
