/** An instance whose connections to the database lead nowhere: the others go on, and it comes back by itself. */
import assert from 'node:assert/strict';
import { after, before, type TestContext, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { pino } from 'pino';
import { openPostgresqlDatabase } from '../../src/core/storage/postgresql/postgresql.ts';
import { WRITER } from '../../src/core/storage/postgresql/writer.ts';
import { type TestService, testApp } from '../support/app.ts';
import { eventually } from '../support/eventually.ts';
import { inspectingProxy, type ProxiedConnection } from '../support/inspecting-proxy.ts';
import { person } from '../support/people.ts';
import { startPostgresql, type TestServer } from '../support/postgresql.ts';

let server: TestServer;
before(async () => {
  server = await startPostgresql();
});
after(() => server.close());

const CONFIGURATION = {
  collections: { lab: { backend: { type: 'postgresql+stl' } } },
  tokens: { nobody: {}, curator: { lab: 'CURATOR' } },
};

const store = ({ request }: TestService, name: string) =>
  request('POST', '/lab/curated/record/Person', { token: 'curator', json: person(name) });

async function instances(t: TestContext, inspect: (data: Buffer, connection: ProxiedConnection) => void) {
  const url = await server.createDatabase();
  const one = await testApp(t, CONFIGURATION, { databaseUrl: await inspectingProxy(t, url, inspect) });
  const other = await testApp(t, {}, { databaseUrl: url });
  return { url, one, other };
}

test('an instance whose network vanishes within a transaction holds up the writes of others for seconds', async (t) => {
  let isArmed = false;
  let vanished: ProxiedConnection | undefined;
  let writing: ProxiedConnection | undefined;
  const { one, other } = await instances(t, (data, connection) => {
    if (data.includes(`${WRITER}`)) writing = connection;
    // The records follow when the server has granted the lock of the writer.
    if (!isArmed || connection !== writing || !data.includes('labid:vanished')) return;
    isArmed = false;
    connection.isHeldUp = true;
    vanished = connection;
  });
  assert.equal((await store(one, 'first')).status, 200);
  isArmed = true;
  writing = undefined;
  const lost = store(one, 'vanished');
  await eventually('the network has vanished', () => vanished);
  const answer = await store(other, 'second');
  assert.equal(answer.status, 200, answer.text);
  assert.equal((await lost).status, 503);
  assert.equal((await store(one, 'third')).status, 200);
});

for (const [where, isThere] of [
  ['before it listens', (data: Buffer) => data.includes('LISTEN accession')],
  ['within its settings', (data: Buffer) => data.includes('tcp_keepalives_count')],
  ['after it was elected', (data: Buffer) => data.includes('true AS mine')],
] as const)
  test(`an instance leads again whose connection for it stalls ${where}`, async (t) => {
    let stalls = 0;
    const url = await server.createDatabase();
    const proxied = await inspectingProxy(t, url, (data, connection) => {
      if (stalls > 0 || !isThere(data) || data.includes('plan_cache_mode')) return;
      stalls += 1;
      connection.isHeldUp = true;
    });
    const warnings: string[] = [];
    const log = pino({ level: 'warn' }, { write: (line: string) => void warnings.push(line) });
    const database = await openPostgresqlDatabase(proxied, { log });
    t.after(() => database.close());
    await eventually('a stall', () => stalls > 0);
    await eventually('a warning', () => warnings.some((line) => line.includes('could not listen')));
    await eventually('it leads', () => database.leadership.held);
    assert.equal(stalls, 1);
    assert.equal(database.leadership.problem(), undefined);
  });

test('an instance that cannot listen reports it as unhealthy', async (t) => {
  let isStalled = true;
  const { one } = await instances(t, (data, connection) => {
    if (isStalled && data.includes('LISTEN accession')) connection.isHeldUp = true;
  });
  const health = () => one.request('GET', '/-/health');
  await eventually('it is unhealthy', async () => (await health()).status === 503);
  assert.match((await health()).text, /"status":"degraded".*cannot lead/);
  assert.equal((await one.request('GET', '/-/ready')).status, 200, 'it reads and writes');
  isStalled = false;
  await eventually('it is healthy', async () => (await health()).status === 200);
});

test('stores that wait for the lock of the writer are refused after a while, all of them together', async (t) => {
  const url = await server.createDatabase();
  const service = await testApp(t, CONFIGURATION, { databaseUrl: url });
  assert.equal((await store(service, 'first')).status, 200);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  t.after(() => client.end());
  await client.query(`SELECT pg_advisory_lock(${WRITER})`);
  let isReleased = false;
  // Twelve, one after the other, would wait for six minutes.
  const answers = Promise.all(Array.from({ length: 12 }, (_, n) => store(service, `waiting-${n}`)));
  void pause(90_000, undefined, { ref: false }).then(() => {
    isReleased = true;
  });
  for (const { status, text } of await answers) {
    assert.equal(status, 503);
    assert.match(text, /another write took too long/);
  }
  assert.equal(isReleased, false, 'they were refused before the lock was released');
  await client.query(`SELECT pg_advisory_unlock(${WRITER})`);
  assert.equal((await store(service, 'last')).status, 200);
});
