/** The database crashes within commits that are not on its disk yet: no store that was answered 200 is missing afterwards. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { type TestService, testApp } from '../support/app.ts';
import { eventually } from '../support/eventually.ts';
import { inspectingProxy, type ProxiedConnection } from '../support/inspecting-proxy.ts';
import { person } from '../support/people.ts';
import { ownServer, startPostgresql, type TestServer } from '../support/postgresql.ts';

const CRASHES = Number(process.env.ACCESSION_TEST_CRASHES ?? 20);
const LANES = 4;
const skip = ownServer ? false : 'the server of ACCESSION_TEST_DATABASE_URL is not stopped';

/** A flush of 30 ms stands for a slow disk; the process that flushes in the background does so rarely. */
const SLOW = ['commit_delay=30000', 'commit_siblings=0', 'wal_writer_delay=10s'];

let server: TestServer;
before(async () => {
  if (!skip) server = await startPostgresql({ durable: true, settings: SLOW });
});
after(() => server?.close());

const CONFIGURATION = {
  collections: { lab: { backend: { type: 'postgresql+stl' } } },
  tokens: { nobody: {}, curator: { lab: 'CURATOR' } },
};

/** Asks the server something, as soon as it accepts connections. */
async function ask<Row extends pg.QueryResultRow>(url: string, sql: string): Promise<Row[]> {
  const rows = await eventually('an answer of the server', async () => {
    const client = new pg.Client({ connectionString: url });
    client.on('error', () => {});
    try {
      await client.connect();
      return (await client.query<Row>(sql)).rows;
    } catch {
      return undefined;
    } finally {
      await client.end().catch(() => {});
    }
  });
  return rows!;
}

test(`every store that two instances acknowledge survives ${CRASHES} crashes of the database within a commit`, {
  skip,
}, async (t) => {
  const direct = await server.createDatabase();
  let victim: number | undefined;
  const writers = new WeakSet<ProxiedConnection>();
  const proxied = await inspectingProxy(t, direct, (data, connection) => {
    if (data.includes('pg_advisory_xact_lock')) writers.add(connection);
    if (victim === undefined || !data.includes('COMMIT') || !writers.has(connection)) return;
    const process_ = victim;
    victim = undefined;
    // The server has written the commit by then, and flushes it later. It stops all its processes and recovers when one is lost.
    setTimeout(() => process.kill(process_, 'SIGKILL'), 5);
  });
  const options = { databaseUrl: proxied };
  const services = [await testApp(t, CONFIGURATION, options), await testApp(t, {}, options)];

  const acknowledged: string[] = [];
  const failed: string[] = [];
  const statuses = new Map<number, number>();
  let stores = 0;
  let isOver = false;
  const store = async ({ request }: TestService) => {
    stores += 1;
    const name = `stored-${stores}`;
    const { status, text } = await request('POST', '/lab/curated/record/Person', {
      token: 'curator',
      json: person(name),
    });
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
    if (status === 200) acknowledged.push(`labid:${name}`);
    else if (!text.includes('unknown whether')) failed.push(`labid:${name}`);
    return status;
  };
  const lanes = services.flatMap((service) =>
    Array.from({ length: LANES }, async () => {
      while (!isOver) if ((await store(service)) !== 200) await pause(20);
    }),
  );

  for (let crash = 0; crash < CRASHES; crash++) {
    const former = acknowledged.length;
    await eventually('stores', () => acknowledged.length > former + LANES);
    const [row] = await ask<{ pid: number }>(
      server.url,
      "SELECT pid FROM pg_stat_activity WHERE backend_type = 'checkpointer'",
    );
    victim = row!.pid;
    await eventually('a crash', () => victim === undefined);
  }
  isOver = true;
  await Promise.all(lanes);
  const found = await ask<{ pid: string }>(direct, 'SELECT pid FROM accession_record');
  const stored = new Set(found.map(({ pid }) => pid));
  t.diagnostic(
    `${acknowledged.length} of ${stores} stores were acknowledged; ${JSON.stringify([...statuses])}`,
  );
  assert.deepEqual(
    acknowledged.filter((pid) => !stored.has(pid)),
    [],
  );
  assert.deepEqual(
    failed.filter((pid) => stored.has(pid)),
    [],
    'stores that failed were not made',
  );
  assert.deepEqual([...statuses.keys()].toSorted(), [200, 503]);
  const marks = await ask(direct, "SELECT key FROM accession_meta WHERE key LIKE 'instance %'");
  assert.ok(marks.length <= 2 * services.length, 'rows of instances do not accumulate');
});
