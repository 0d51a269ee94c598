/** A database that stops, is busy, is full, or is of another release. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { after, before, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { ownServer, startPostgresql, type TestServer } from '../../../test/support/postgresql.ts';
import { ServiceError } from '../../errors.ts';
import { BY, expand, put, record } from '../contract/subject.ts';
import { SILENT_LOG } from '../log.ts';
import type { RecordStore } from '../store.ts';
import { type Database, type DatabaseOptions, openPostgresql } from './database.ts';
import { isConnectionFailure } from './failures.ts';
import { migrate, migrations } from './migrate.ts';
import { openPostgresqlStore } from './store.ts';

let server: TestServer;
before(async () => {
  server = await startPostgresql();
});
after(() => server.close());

async function withDatabase(
  work: (database: Database, url: string) => Promise<void>,
  options: Partial<DatabaseOptions> = {},
): Promise<void> {
  const url = await server.createDatabase();
  const database = await openPostgresql(url, { log: SILENT_LOG, ...options });
  try {
    await work(database, url);
  } finally {
    await database.close();
  }
}

const failsWith = (code: string, message: RegExp) => (error: unknown) => {
  assert.ok(error instanceof ServiceError, String(error));
  assert.equal(error.code, code, error.message);
  assert.match(error.message, message);
  return true;
};

/** The message of a server that ends a connection. */
const ADMIN_SHUTDOWN = (() => {
  const fields = Buffer.from('SFATAL\0C57P01\0Mterminating connection\0\0');
  const length = Buffer.alloc(4);
  length.writeInt32BE(4 + fields.length);
  return Buffer.concat([Buffer.from('E'), length, fields]);
})();

test('loses nothing acknowledged when the database is stopped in mid-load, and recovers by itself', {
  skip: ownServer ? false : 'the server of ACCESSION_TEST_DATABASE_URL is not stopped',
}, async () => {
  await withDatabase(async (database) => {
    const store = (await openPostgresqlStore(database, 'stopped')).store;
    const other = (await openPostgresqlStore(database, 'other')).store;
    const acknowledged = new Set<string>();
    const refused = new Set<string>();
    const unknown = new Set<string>();
    let writing = true;
    let n = 0;
    const lane = async () => {
      while (writing) {
        const pid = `ex:${n++}`;
        try {
          await store.write([put(pid)], BY);
          acknowledged.add(pid);
        } catch (error) {
          assert.ok(error instanceof ServiceError, String(error));
          assert.equal(error.code, 'storage_unavailable', error.message);
          (/unknown/.test(error.message) ? unknown : refused).add(pid);
          await pause(10);
        }
      }
    };
    const lanes = Promise.all(Array.from({ length: 8 }, lane));
    for (let round = 0; round < 3; round++) {
      const start = acknowledged.size;
      while (acknowledged.size < start + 50) await pause(5);
      await server.stopNow();
      await assert.rejects(
        store.get('https://example.org/0'),
        failsWith('storage_unavailable', /not available/),
      );
      await assert.rejects(other.write([put('ex:a')], BY), failsWith('storage_unavailable', /not available/));
      await pause(100);
      await server.start();
    }
    const before = acknowledged.size;
    while (acknowledged.size < before + 50) await pause(5);
    writing = false;
    await lanes;
    assert.equal(await other.count({}), 0);
    await other.close();
    for (const pid of acknowledged) assert.ok(await store.get(expand(pid) as string), `${pid} was lost`);
    for (const pid of refused)
      assert.equal(await store.get(expand(pid) as string), undefined, `${pid} was kept`);
    const entries = await store.entries({ limit: 100_000 });
    assert.equal(await store.count({}), entries.length);
    assert.ok(entries.length >= acknowledged.size && entries.length <= acknowledged.size + unknown.size);
    await store.close();
  });
});

test('reports a pool without a free connection', async () => {
  await withDatabase(
    async (database) => {
      const store = (await openPostgresqlStore(database, 'pool')).store;
      const held = database.connected((run) => run('SELECT pg_sleep(0.5)'));
      await assert.rejects(
        store.get('https://example.org/a'),
        failsWith('storage_unavailable', /no database connection became free/),
      );
      await held;
      assert.equal(await store.get('https://example.org/a'), undefined);
      await store.close();
    },
    { connections: 1, connectTimeout: 100 },
  );
});

test('a connection that the server ends in the moment at which the next one gets it does not end the process', async (t) => {
  const url = new URL(await server.createDatabase());
  const { hostname, port } = url;
  const lastWords = 'the last words';
  const proxy = createServer((socket) => {
    const upstream = connect(Number(port), hostname);
    socket.on('error', () => {}).pipe(upstream);
    upstream.on('error', () => {}).on('end', () => socket.end());
    upstream.on('data', (chunk) => {
      if (!chunk.includes(lastWords)) return void socket.write(chunk);
      socket.end(Buffer.concat([chunk, ADMIN_SHUTDOWN]));
      upstream.destroy();
    });
  });
  await once(proxy.listen(0, '127.0.0.1'), 'listening');
  t.after(() => proxy.close());
  url.port = String((proxy.address() as AddressInfo).port);
  const database = await openPostgresql(url.href, { log: SILENT_LOG, connections: 1 });
  t.after(() => database.close());
  await database.query('SELECT 1');
  const [spoken, next] = await Promise.allSettled([
    database.query(`SELECT $1::text`, [lastWords]),
    database.connected((run) => run('SELECT 1')),
  ]);
  assert.equal(spoken.status, 'fulfilled');
  assert.ok(next.status === 'rejected' && isConnectionFailure(next.reason));
  assert.equal((await database.query('SELECT 1')).length, 1);
});

test('gives up a statement that takes too long, and works on', async () => {
  await withDatabase(
    async (database, url) => {
      const store = (await openPostgresqlStore(database, 'slow')).store;
      const other = await openPostgresql(url, { log: SILENT_LOG });
      await other.connected(async (run) => {
        await run('BEGIN');
        await run('SELECT * FROM accession_area FOR UPDATE');
        await assert.rejects(
          store.write([put('ex:a')], BY),
          failsWith('storage_unavailable', /took too long/),
        );
        await run('ROLLBACK');
      });
      await other.close();
      await store.write([put('ex:a')], BY);
      assert.equal(await store.revision(), 1);
      await store.close();
    },
    { statementTimeout: 100 },
  );
});

test('a write that the server does not take does not fail those of others', async () => {
  await withDatabase(async (database) => {
    const { store } = await openPostgresqlStore(database, 'group');
    const bad = { put: { ...record('ex:b'), json: '{"name":"\0"}' } };
    const [a, b, c] = await Promise.allSettled(
      [put('ex:a'), bad, put('ex:c')].map((one) => store.write([one], BY)),
    );
    assert.deepEqual([a?.status, b?.status, c?.status], ['fulfilled', 'rejected', 'fulfilled']);
    assert.equal(await store.count({}), 2);
    assert.equal(await store.revision(), 2);
    await store.close();
  });
});

test('reports a database without space, and writes nothing of the group', async () => {
  await withDatabase(async (database) => {
    const store = (await openPostgresqlStore(database, 'full')).store;
    await database.query(`CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN RAISE EXCEPTION 'could not extend file' USING ERRCODE = '53100'; END $$`);
    await database.query(
      'CREATE TRIGGER full_disk BEFORE INSERT ON accession_entry FOR EACH ROW EXECUTE FUNCTION full_disk()',
    );
    await assert.rejects(store.write([put('ex:a')], BY), failsWith('storage_full', /no room left/));
    await database.query('DROP TRIGGER full_disk ON accession_entry');
    assert.equal(await store.count({}), 0);
    await store.write([put('ex:a')], BY);
    assert.equal(await store.count({}), 1);
    await store.close();
  });
});

test('rolls a failing migration back, and goes on from there', async () => {
  await withDatabase(async (database) => {
    const next = { number: 999, name: 'broken', sql: 'CREATE TABLE half (n integer); SELECT 1 / 0' };
    await assert.rejects(
      migrate(database, SILENT_LOG, [...migrations(), next]),
      failsWith('storage_failed', /Migration 999 \(broken\) .* rolled back: division by zero/),
    );
    await migrate(database, SILENT_LOG, [...migrations(), { ...next, sql: 'CREATE TABLE half (n integer)' }]);
    assert.deepEqual(await database.query('SELECT * FROM half'), []);
  });
});

test('refuses a database that a newer release has migrated', async () => {
  await withDatabase(async (database, url) => {
    await database.query(`INSERT INTO accession_migration (number, name) VALUES (1000, 'of the future')`);
    await assert.rejects(
      openPostgresql(url, { log: SILENT_LOG }),
      failsWith('store_incompatible', /layout 1000.*newer release/),
    );
  });
});

test('migrates once if several instances start together', async () => {
  const url = await server.createDatabase();
  const opened = await Promise.all(Array.from({ length: 4 }, () => openPostgresql(url, { log: SILENT_LOG })));
  const rows = await (opened[0] as Database).query('SELECT number FROM accession_migration');
  assert.equal(rows.length, migrations().length);
  for (const database of opened) await database.close();
});

test('refuses to open a database that does not answer', async () => {
  await assert.rejects(
    openPostgresql('postgresql://accession@127.0.0.1:1/none', { log: SILENT_LOG }),
    failsWith('storage_unavailable', /Opening the database failed: the database is not available/),
  );
});

test('refuses pids that PostgreSQL cannot store', async () => {
  await withDatabase(async (database) => {
    const store: RecordStore = (await openPostgresqlStore(database, 'nul')).store;
    for (const pid of ['ex:a\0b', 'ex:\ud800']) {
      await assert.rejects(store.write([put(pid)], BY), failsWith('record_invalid', /cannot be stored/));
      assert.equal(await store.get(expand(pid) as string), undefined);
      assert.equal(await store.rank({}, pid), 0);
    }
    assert.equal(await store.revision(), 0);
    await store.close();
  });
});

test('a write of ledger rows alone whose connection breaks at the commit is made again, not reported as made', async () => {
  await withDatabase(async (database) => {
    const { store } = await openPostgresqlStore(database, 'ledger');
    // Ends the first connection that commits a row.
    await database.query('CREATE SEQUENCE commits');
    await database.query(`CREATE FUNCTION break() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      IF nextval('commits') = 1 THEN PERFORM pg_terminate_backend(pg_backend_pid()); END IF; RETURN NULL; END $$`);
    await database.query(`CREATE CONSTRAINT TRIGGER broken AFTER INSERT ON accession_ledger
      DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION break()`);
    const set = { kind: 'decision', id: 'a', keys: ['x'], json: '{}' };
    await store.write([], BY, [{ set, expect: 'absent' }]);
    assert.deepEqual(await store.ledger.get('decision', 'a'), set);
    const [commits] = await database.query<{ n: number }>('SELECT last_value AS n FROM commits');
    assert.equal(commits?.n, 2);
  });
});
