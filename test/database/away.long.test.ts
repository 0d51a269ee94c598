/** A service that starts while its database is away: as a process, since the command decides what happens. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, before, type TestContext, test } from 'node:test';
import { LABORATORY } from '../support/app.ts';
import { eventually } from '../support/eventually.ts';
import { person } from '../support/people.ts';
import { ownServer, startPostgresql, type TestServer } from '../support/postgresql.ts';

const skip = ownServer ? false : 'the server of ACCESSION_TEST_DATABASE_URL is not stopped';

let server: TestServer;
before(async () => {
  server = await startPostgresql();
});
after(() => server.close());

const CONFIGURATION = {
  type: 'collections',
  version: 2,
  collections: {
    lab: {
      schema: LABORATORY,
      default_token: 'nobody',
      curated: 'lab/curated',
      incoming: 'lab/incoming',
      backend: { type: 'postgresql' },
    },
  },
  tokens: {
    nobody: { user_id: 'nobody', collections: { lab: { mode: 'NOTHING', incoming_label: '' } } },
    curator: {
      user_id: 'cora',
      representation: 'curator',
      collections: { lab: { mode: 'CURATOR', incoming_label: 'cora' } },
    },
  },
};

type Started = {
  readonly child: ChildProcess;
  readonly exit: Promise<unknown[]>;
  readonly output: () => string;
};

function serve(t: TestContext, url: string, port = '0'): Started {
  const folder = mkdtempSync(join(tmpdir(), 'accession-away-'));
  const file = join(folder, 'config.yaml');
  writeFileSync(file, JSON.stringify(CONFIGURATION));
  const command = resolve(import.meta.dirname, '../../bin/accession.js');
  const child = spawn(
    process.execPath,
    [command, 'serve', '--database-url', url, '--port', port, '-c', file],
    { env: { ...process.env, ACCESSION_ADMIN_TOKEN: 'admin' }, stdio: ['ignore', 'ignore', 'pipe'] },
  );
  let text = '';
  child.stderr?.on('data', (chunk) => {
    text += chunk;
  });
  const exit = once(child, 'exit');
  t.after(async () => {
    child.kill('SIGKILL');
    await exit;
    rmSync(folder, { recursive: true, force: true });
  });
  return { child, exit, output: () => text };
}

/** What a pattern finds in the output of a process, as soon as it does. */
async function printed({ child, output }: Started, pattern: RegExp): Promise<string> {
  const found = await eventually(`${pattern}`, () => {
    assert.equal(child.exitCode, null, `${pattern} is not in: ${output()}`);
    return pattern.exec(output());
  });
  return found![1]!;
}

const WAITS = /answers 503 on port (\d+)/;

test('a service that starts without its database answers 503, and serves as soon as the database is there', {
  skip,
}, async (t) => {
  const url = await server.createDatabase();
  await server.stopNow();
  const started = serve(t, url);
  const base = `http://127.0.0.1:${await printed(started, WAITS)}`;
  const record = {
    method: 'POST',
    headers: { 'x-service-token': 'curator', 'content-type': 'application/json' },
    body: JSON.stringify(person('ada')),
  };
  for (const answer of [
    await fetch(`${base}/-/ready`),
    await fetch(`${base}/lab/curated/record/Person`, record),
    await fetch(`${base}/`, { redirect: 'manual' }),
  ]) {
    assert.equal(answer.status, 503);
    assert.match(answer.headers.get('retry-after') ?? '', /^\d+$/);
    assert.match(((await answer.json()) as { detail: string }).detail, /the database is not available/);
  }
  const health = await fetch(`${base}/-/health`);
  assert.equal(health.status, 503);
  const { status, problems } = (await health.json()) as { status: string; problems: string[] };
  assert.equal(status, 'degraded');
  assert.match(problems.join(), /the database is not available/);

  await server.start();
  assert.equal(await printed(started, /listens on (\S+)/), base);
  assert.equal((await fetch(`${base}/-/ready`)).status, 200);
  assert.equal((await fetch(`${base}/lab/curated/record/Person`, record)).status, 200);
  started.child.kill('SIGTERM');
  assert.deepEqual(await started.exit, [0, null]);
});

test('a service that waits for its database ends when it is told to, and does not take a port in use', {
  skip,
}, async (t) => {
  const nowhere = 'postgresql://accession@127.0.0.1:1/none';
  const started = serve(t, nowhere);
  const port = await printed(started, WAITS);
  const second = serve(t, nowhere, port);
  assert.deepEqual(await second.exit, [1, null]);
  assert.match(second.output(), /Port \d+ on 127.0.0.1 is in use/);
  started.child.kill('SIGTERM');
  assert.deepEqual(await started.exit, [0, null]);
});

test('a service whose database refuses it ends with the reason', async (t) => {
  const address = new URL(server.url);
  address.pathname = '/no_such_database';
  const started = serve(t, address.href);
  assert.deepEqual(await started.exit, [1, null]);
  assert.match(started.output(), /no_such_database/);
});
