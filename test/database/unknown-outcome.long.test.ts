/** A database that vanishes during a commit: no response says that a change failed which the database has. */
import assert from 'node:assert/strict';
import { connect, createServer, type Socket } from 'node:net';
import { after, before, type TestContext, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { WRITER } from '../../src/core/storage/postgresql/writer.ts';
import { testApp } from '../support/app.ts';
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
const NAMES = ['lost-1', 'lost-2', 'lost-3', 'lost-4', 'lost-5', 'lost-6'];

/**
 * A server between the service and the database, which goes away in place of passing on that the database has made a commit of
 * several of the stores.
 */
async function proxyOf(t: TestContext, url: string) {
  const proxied = new URL(url);
  const { port, hostname } = new URL(url);
  const sockets = new Set<Socket>();
  const goAway = () => {
    listener.close();
    for (const socket of sockets) socket.destroy();
  };
  const listener = createServer((client) => {
    const database = connect(Number(port), hostname);
    for (const [from, to] of [
      [client, database],
      [database, client],
    ] as const) {
      sockets.add(from);
      from.on('error', () => {});
      from.on('close', () => to.destroy());
    }
    const stored = new Set<string>();
    client.on('data', (data) => {
      if (data.includes('BEGIN')) stored.clear();
      for (const name of NAMES) if (data.includes(String(person(name).pid))) stored.add(name);
      database.write(data);
    });
    database.on('data', (data) => {
      // The database confirms a commit by the name of the command.
      if (data.includes('COMMIT\0') && stored.size > 1) goAway();
      else client.write(data);
    });
  });
  t.after(goAway);
  await new Promise<void>((listening) => listener.listen(0, '127.0.0.1', listening));
  proxied.port = String((listener.address() as { port: number }).port);
  return proxied.href;
}

test('each store of a commit whose confirmation is lost is reported as unknown, not as failed', async (t) => {
  const direct = await server.createDatabase();
  const { request } = await testApp(t, CONFIGURATION, { databaseUrl: await proxyOf(t, direct) });
  const store = (name: string) =>
    request('POST', '/lab/curated/record/Person', { token: 'curator', json: person(name) });
  assert.equal((await store('first')).status, 200);

  const client = new pg.Client(direct);
  await client.connect();
  t.after(() => client.end());
  /** The connections of the service that do something. */
  const active = async () => {
    const { rows } = await client.query(
      `SELECT wait_event FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()
       AND state <> 'idle'`,
    );
    return rows.map(({ wait_event }) => wait_event);
  };
  // The first one waits for the lock of the writer, and the others for it, so they share the next commit.
  await client.query(`SELECT pg_advisory_lock(${WRITER})`);
  const answers = NAMES.map(store);
  for (let quiet = 0; quiet < 10; await pause(20)) quiet = `${await active()}` === 'advisory' ? quiet + 1 : 0;
  await client.query(`SELECT pg_advisory_unlock(${WRITER})`);

  const stored = async (name: string) =>
    (await client.query('SELECT 1 FROM accession_record WHERE pid = $1', [person(name).pid])).rows.length > 0;
  let unknown = 0;
  for (const [at, name] of NAMES.entries()) {
    const { status, text } = await answers[at]!;
    if (status === 200) continue;
    assert.equal(status, 503, text);
    const isUnknown = text.includes('unknown whether');
    if (isUnknown) unknown += 1;
    assert.equal(await stored(name), isUnknown, `${name}: ${text}`);
  }
  assert.ok(unknown > 0, 'there are stores of the lost commit');
});
