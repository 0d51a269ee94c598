/** The database URL leads to a standby, to its successor or to a server that takes no writes: nothing outdated is served. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { type TestService, testApp } from '../support/app.ts';
import { eventually } from '../support/eventually.ts';
import { person } from '../support/people.ts';
import { ownServer, startPostgresql, type TestServer } from '../support/postgresql.ts';
import { openProxy } from '../support/proxy.ts';

const skip = ownServer ? false : 'the server of ACCESSION_TEST_DATABASE_URL has no standby';

const CONFIGURATION = {
  collections: { lab: { backend: { type: 'postgresql+stl' } } },
  tokens: { nobody: {}, curator: { lab: 'CURATOR' } },
};

async function startServer(t: TestContext, options: Parameters<typeof startPostgresql>[0] = {}) {
  const server = await startPostgresql(options);
  t.after(() => server.close());
  return server;
}

async function run(url: string, ...statements: string[]): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}

/** Whether a database has the number that was stored last. */
async function has(url: string, n: number): Promise<boolean> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query('SELECT json FROM accession_record');
    return rows.some(({ json }) => json.includes(`"given_name":"${n}"`));
  } finally {
    await client.end();
  }
}

const CUT = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'accession%'";

type Setting = {
  readonly primary: TestServer;
  readonly standby: TestServer;
  /** The name of the database: it leads to the primary at first. */
  readonly name: Awaited<ReturnType<typeof openProxy>>;
  readonly service: TestService;
  /** Another instance, whose connections are its own. */
  readonly other: TestService;
  /** The URL of the database on a server. */
  on(server: TestServer): string;
};

async function withStandby(t: TestContext, settings: readonly string[]): Promise<Setting> {
  const primary = await startServer(t);
  const database = await primary.createDatabase();
  const standby = await startServer(t, { standbyOf: primary, settings });
  const name = await openProxy(t, primary.url);
  const url = new URL(database);
  url.port = new URL(name.url).port;
  const service = await testApp(t, CONFIGURATION, { databaseUrl: url.href });
  const other = await testApp(t, {}, { databaseUrl: url.href });
  const on = (server: TestServer) => {
    const url = new URL(server.url);
    url.pathname = new URL(database).pathname;
    return url.href;
  };
  return { primary, standby, name, service, other, on };
}

const store = ({ request }: TestService, n: number) =>
  request('POST', '/lab/curated/record/Person', {
    token: 'curator',
    json: person('n', { given_name: String(n) }),
  });

/** Waits for the reason: a connection that was just lost gives another one, once. */
async function isRefused(service: TestService, n: number, reason: RegExp) {
  await eventually(
    `a refusal that says ${reason}`,
    () => store(service, n),
    ({ status, text }) => {
      assert.equal(status, 503, text);
      return reason.test(text);
    },
  );
}

const status = async ({ request }: TestService, url: string) => (await request('GET', url)).status;

/** Reads all the time, and compares what it finds with the last number that was acknowledged before the read began. */
function readers(services: readonly TestService[]) {
  const seen = { acknowledged: 0, reads: 0, refused: 0, stale: [] as string[] };
  let isOver = false;
  const lanes = services.flatMap((service) =>
    Array.from({ length: 4 }, async () => {
      while (!isOver) {
        const least = seen.acknowledged;
        const answer = await service.request('GET', '/lab/curated/record?pid=labid:n', { token: 'curator' });
        if (answer.status === 200) {
          seen.reads += 1;
          const found = Number(answer.json<{ given_name: string } | null>()?.given_name ?? -1);
          if (found < least) seen.stale.push(`${found} after ${least}`);
        } else seen.refused += 1;
        await pause(5);
      }
    }),
  );
  return {
    seen,
    async end() {
      isOver = true;
      await Promise.all(lanes);
    },
  };
}

/** Stores numbers until some were acknowledged by each instance, and then for a while. */
async function writeOn({ service, other }: Setting, seen: ReturnType<typeof readers>['seen'], n = 1) {
  let stored = 0;
  await eventually('stores', async () => {
    for (const instance of [service, other]) {
      n += 1;
      if ((await store(instance, n)).status === 200) {
        seen.acknowledged = n;
        stored += 1;
      }
    }
    await pause(20);
    return stored > 40;
  });
}

test('while only a standby is reached, nothing is served from it, and the service is neither ready nor healthy', {
  skip,
}, async (t) => {
  const setting = await withStandby(t, ['recovery_min_apply_delay=20s']);
  const { primary, standby, name, service } = setting;
  assert.equal((await store(service, 1)).status, 200);
  const { seen, end } = readers([service, setting.other]);
  seen.acknowledged = 1;
  name.target = standby.url;
  await run(primary.url, CUT);
  await eventually('the reads are refused', () => seen.refused > 20);
  await isRefused(service, 2, /expected the primary server, found a standby/);
  assert.equal(await status(service, '/-/ready'), 503);
  assert.equal(await status(service, '/-/health'), 503);
  name.target = primary.url;
  await eventually('the service is ready', async () => (await status(service, '/-/ready')) === 200);
  await writeOn(setting, seen);
  await end();
  assert.deepEqual(seen.stale, []);
  await eventually('the service is healthy', async () => (await status(service, '/-/health')) === 200);
});

test('after a failover, no read comes from the former primary, although connections to it are still open', {
  skip,
}, async (t) => {
  const setting = await withStandby(t, []);
  const { primary, standby, name, service, other, on } = setting;
  assert.equal((await store(service, 1)).status, 200);
  const { seen, end } = readers([service]);
  seen.acknowledged = 1;
  await eventually('reads', () => seen.reads > 50);
  await run(standby.url, 'SELECT pg_promote()');
  name.target = standby.url;
  let n = 1;
  await eventually('a store that the successor has', async () => {
    n += 1;
    // One connection is lost; the others stay, as behind a proxy that lets them.
    await run(
      primary.url,
      `${CUT} AND pid IN (SELECT pid FROM pg_stat_activity WHERE application_name = 'accession' LIMIT 1)`,
    );
    if ((await store(service, n)).status !== 200 || !(await has(on(standby), n))) return false;
    seen.acknowledged = n;
    return true;
  });
  const { reads } = seen;
  await eventually('further reads', () => seen.reads > reads + 200);
  await end();
  assert.deepEqual(seen.stale, []);
  await eventually('the other instance follows', async () => {
    const answer = await other.request('GET', '/lab/curated/record?pid=labid:n', { token: 'curator' });
    return answer.status === 200 && answer.text.includes(`"${n}"`);
  });

  // Now the name leads back to the former primary, which does not know that it was replaced.
  name.target = primary.url;
  await run(standby.url, CUT);
  await eventually('the service is not ready', async () => (await status(service, '/-/ready')) === 503);
  await isRefused(service, n + 1, /found one that a failover has replaced/);
  name.target = standby.url;
  await eventually('the service is ready', async () => (await status(service, '/-/ready')) === 200);
  assert.equal((await store(service, n + 2)).status, 200);
});

test('a service whose database takes no writes is not ready', { skip }, async (t) => {
  const server = await startServer(t);
  const databaseUrl = await server.createDatabase();
  const service = await testApp(t, CONFIGURATION, { databaseUrl });
  const isReady = async (expected: number) =>
    eventually(
      `ready is ${expected}`,
      () => status(service, '/-/ready'),
      (found) => found === expected,
    );
  const set = (setting: string) => run(server.url, `ALTER SYSTEM ${setting}`, 'SELECT pg_reload_conf()');

  await isReady(200);
  await set('SET default_transaction_read_only = on');
  await isReady(503);
  assert.equal(await status(service, '/-/health'), 503);
  assert.equal((await store(service, 1)).status, 503);
  await run(
    server.url,
    'SET default_transaction_read_only = off',
    'ALTER SYSTEM RESET default_transaction_read_only',
    'SELECT pg_reload_conf()',
  );
  await isReady(200);
  assert.equal((await store(service, 2)).status, 200);
});

test('a store that its synchronous standby does not confirm is not acknowledged', {
  skip,
}, async (t) => {
  const server = await startServer(t);
  const databaseUrl = await server.createDatabase();
  const service = await testApp(t, CONFIGURATION, { databaseUrl });
  assert.equal((await store(service, 1)).status, 200);
  await run(server.url, "ALTER SYSTEM SET synchronous_standby_names = 'nobody'", 'SELECT pg_reload_conf()');
  await eventually('the service is not ready', async () => (await status(service, '/-/ready')) === 503);
  await isRefused(service, 2, /unknown whether|another write took too long/);
  await run(
    server.url,
    'SET synchronous_commit = local',
    'ALTER SYSTEM RESET synchronous_standby_names',
    'SELECT pg_reload_conf()',
  );
  await eventually('the service is ready', async () => (await status(service, '/-/ready')) === 200);
  assert.equal((await store(service, 3)).status, 200);
});
