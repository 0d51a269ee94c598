/** `accession follow`: its store is equal to the source, whatever is killed, and after the source was restored from a backup. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { compareCodePoints } from '#linkml/json.ts';
import { DATABASE_FILE } from '../../src/core/config/store-directory.ts';
import { renewGeneration } from '../../src/core/storage/sqlite/sqlite.ts';
import { LABORATORY, testApp } from '../support/app.ts';
import { eventually } from '../support/eventually.ts';
import { freePort } from '../support/free-port.ts';
import { person } from '../support/people.ts';
import { ownDatabase } from '../support/postgresql.ts';
import { openProxy } from '../support/proxy.ts';
import { randomOf } from '../support/randomly.ts';
import { type RealService, startService } from '../support/real-service.ts';
import { sqliteAt } from '../support/sqlite.ts';

/** How often something is killed; longer runs set more. */
const ROUNDS = Number(process.env.ACCESSION_FOLLOW_KILLS ?? 2);
const COMMAND = resolve(import.meta.dirname, '../../bin/accession.js');
const headers = { 'x-service-token': 'cur', 'content-type': 'application/json' };

type Pair = {
  readonly source: string;
  readonly copy: string;
  start(port?: number): Promise<RealService>;
  /** Every curated record of the source. */
  records(): Promise<unknown[]>;
};

/** @param ends what is ended before the directories are removed: hooks run in the order in which they are added */
async function layPair(t: TestContext, backend: string, ends: () => Promise<unknown>): Promise<Pair> {
  const folder = mkdtempSync(join(tmpdir(), 'accession-follower-'));
  t.after(async () => {
    await ends();
    rmSync(folder, { recursive: true, force: true });
  });
  const [source, copy, config] = [join(folder, 'source'), join(folder, 'copy'), join(folder, 'config.yaml')];
  mkdirSync(source);
  const lab = {
    schema: LABORATORY,
    default_token: 'cur',
    curated: 'lab/curated',
    incoming: 'lab/in',
    backend: { type: backend },
  };
  const tokens = {
    cur: {
      user_id: 'cur',
      representation: 'cur',
      collections: { lab: { mode: 'CURATOR', incoming_label: 'cur' } },
    },
    read: { user_id: 'read', representation: 'read', collections: { lab: { mode: 'READ_CURATED' } } },
    zone: {
      user_id: 'zone',
      representation: 'zone',
      collections: { lab: { mode: 'WRITE_COLLECTION', incoming_label: 'z' } },
    },
  };
  writeFileSync(config, JSON.stringify({ type: 'collections', version: 2, collections: { lab }, tokens }));
  const environment = { ACCESSION_ADMIN_TOKEN: 'admin' };
  const url = backend === 'postgresql' ? await ownDatabase() : undefined;
  const database = url === undefined ? [] : ['--database-url', url];
  return {
    source,
    copy,
    start: (port = 0) => startService([source, '--config', config, ...database], { environment, port }),
    records: async () => (url === undefined ? recordsIn(source) : recordsOf(url)),
  };
}

type Follower = { readonly child: ChildProcess; ended(): Promise<{ status: number | null; output: string }> };

function follow(
  { url }: { readonly url: string },
  copy: string,
  more: readonly string[] = [],
  token = 'cur',
): Follower {
  const child = spawn(process.execPath, [COMMAND, 'follow', url, copy, ...more], {
    env: { ...process.env, ACCESSION_TOKEN: token },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  child.stdout.on('data', (data) => (output += data));
  child.stderr.on('data', (data) => (output += data));
  const closed = once(child, 'close') as Promise<[number | null]>;
  return { child, ended: async () => ({ status: (await closed)[0], output }) };
}

async function catchUp(service: { readonly url: string }, copy: string, token = 'cur'): Promise<void> {
  const { status, output } = await follow(service, copy, ['--once'], token).ended();
  assert.equal(status, 0, output);
}

const RECORDS = `SELECT r.iri, r.pid, r.class_name, r.json FROM accession_record r
  JOIN accession_area a ON a.area = r.area WHERE a.path = 'lab/curated'`;

/** Every curated record as it is stored, by IRI. */
function recordsIn(store: string): unknown[] {
  const database = sqliteAt(join(store, DATABASE_FILE), { readOnly: true });
  try {
    return inOrder(database.prepare(RECORDS).all() as Stored[]);
  } finally {
    database.close();
  }
}

/** The same in a database of PostgreSQL. */
async function recordsOf(url: string): Promise<unknown[]> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    return inOrder((await client.query<Stored>(RECORDS)).rows);
  } finally {
    await client.end();
  }
}

type Stored = { readonly iri: string };
const inOrder = (rows: readonly Stored[]) =>
  rows.map((row) => ({ ...row })).sort((a, b) => compareCodePoints(a.iri, b.iri));

const request = ({ url }: RealService, method: string, path: string, json?: object) =>
  fetch(`${url}${path}`, { method, headers, ...(json && { body: JSON.stringify(json) }) });

const store = (service: RealService, name: string, more: object = {}) =>
  request(service, 'POST', '/lab/curated/record/Person', person(name, more));

/** Stores, deletes and renames, until the service is gone. */
async function write(service: RealService, round: number): Promise<void> {
  for (let n = 0; n < 500; n++) {
    const [name, other] = [`p${n % 40}`, `q${round}n${n}`];
    await store(service, name, { given_name: `${round} ${n}` });
    if (n % 5 === 1) await request(service, 'DELETE', `/lab/curated/record?pid=labid:p${(n * 7) % 40}`);
    if (n % 5 === 3)
      await request(service, 'POST', '/-/lab/curated/rename', {
        from: `labid:${name}`,
        to: `labid:${other}`,
      });
  }
}

/** What is killed, one after the other. */
const KILLED = ['proxy', 'follower', 'source', 'all'] as const;

for (const [number, backend] of ['sqlite', 'record_dir+stl', 'postgresql'].entries()) {
  test(`${backend}: the store is equal to the source after ${ROUNDS} kills`, async (t) => {
    const random = randomOf(t);
    const { copy, start, records } = await layPair(t, backend, async () => {
      follower.child.kill('SIGKILL');
      await Promise.all([follower.ended(), service.kill()]);
    });
    let service = await start();
    // The source is always found at the proxy, whichever port it has.
    const proxy = await openProxy(t, service.url);
    // The first start of a copy ends if there is no source.
    await catchUp(proxy, copy);
    let follower = follow(proxy, copy);
    for (let round = 0; round < ROUNDS; round++) {
      const writing = write(service, round).catch(() => {});
      await delay(1000 + random(1500));
      // With few rounds, the backends have different ones.
      const killed = KILLED[(round + 2 * number) % KILLED.length]!;
      const isKilled = (one: (typeof KILLED)[number]) => killed === one || killed === 'all';
      if (isKilled('follower')) follower.child.kill('SIGKILL');
      // Another process may listen on the port of a source that is gone.
      if (isKilled('source')) proxy.target = undefined;
      await Promise.all([
        isKilled('proxy') && proxy.goneFor(random(1000)),
        isKilled('source') && service.kill(),
      ]);
      if (!isKilled('source')) await delay(500);
      proxy.target = undefined;
      await service.kill();
      await writing;
      service = await start();
      proxy.target = service.url;
      if (!isKilled('follower')) {
        // It goes on by itself.
        if (follower.child.exitCode !== null) assert.fail((await follower.ended()).output);
      } else {
        await follower.ended();
        follower = follow(proxy, copy);
      }
    }
    follower.child.kill('SIGTERM');
    await follower.ended();
    await catchUp(proxy, copy);
    const expected = await records();
    assert.ok(expected.length > 0);
    assert.deepEqual(recordsIn(copy), expected);
    t.diagnostic(`${expected.length} records`);
  });
}

test('a store that has followed a source which is restored from a backup begins again', async (t) => {
  const { source, copy, start } = await layPair(t, 'sqlite', () => service.kill());
  let service = await start();
  for (const name of ['a', 'b']) await store(service, name);
  assert.equal(await service.stop(), 0);
  const file = join(source, DATABASE_FILE);
  copyFileSync(file, `${file}.backup`);
  service = await start();
  await store(service, 'lost');
  await request(service, 'DELETE', '/lab/curated/record?pid=labid:a');
  await catchUp(service, copy);
  assert.deepEqual(recordsIn(copy), recordsIn(source));
  assert.equal(await service.stop(), 0);
  copyFileSync(`${file}.backup`, file);
  renewGeneration(file);
  service = await start();
  await catchUp(service, copy);
  assert.equal(recordsIn(copy).length, 2);
  assert.deepEqual(recordsIn(copy), recordsIn(source));
});

test('a token that reads curated records is enough, one with a zone is refused, and the store serves reads', async (t) => {
  const { source, copy, start } = await layPair(t, 'sqlite', () => service.kill());
  const service = await start();
  await store(service, 'a');
  const refused = await follow(service, copy, ['--once', '--collection', 'lab'], 'zone').ended();
  assert.equal(refused.status, 1);
  assert.match(refused.output, /lab: expected a token that curates/);
  const misspelt = await follow(service, copy, ['--once', '--collection', 'lba'], 'read').ended();
  assert.match(misspelt.output, /no access to a collection 'lba'. It has to lab\./);
  const { status, output } = await follow(service, copy, ['--once'], 'read').ended();
  assert.equal(status, 0, output);
  assert.deepEqual(recordsIn(copy), recordsIn(source));
  const other = await follow(service, source, ['--once'], 'read').ended();
  assert.match(other.output, /is not a store that follows lab: use a new directory/);
  const secret = output.match(/^ {2}(\S+)$/m)?.[1] ?? '';
  const reader = await startService([copy, '--read-only']);
  t.after(() => reader.kill());
  const answer = await fetch(`${reader.url}/lab/record?pid=labid:a`, {
    headers: { 'x-service-token': secret },
  });
  assert.equal(((await answer.json()) as { name: string }).name, 'a');
  assert.equal((await fetch(`${reader.url}/lab/record?pid=labid:a`)).status, 403);
});

test('a process that reads the copy takes over the schema that the source was switched to', async (t) => {
  const { copy, start } = await layPair(t, 'sqlite', () => service.kill());
  const service = await start();
  await store(service, 'a');
  const first = await follow(service, copy, ['--once']).ended();
  const token = /shown only now:\s+(\S+)/.exec(first.output)?.[1] ?? '';
  const reader = await testApp(t, {}, { store: copy, readOnly: true });
  const schema = async () => (await reader.request('GET', '/-/lab/schema', { token })).text;
  assert.doesNotMatch(await schema(), /title: Next/);
  const next = join(copy, '../next.yaml');
  writeFileSync(next, `title: Next\n${readFileSync(LABORATORY, 'utf8').replace(/^title:.*\n/m, '')}`);
  const read = await fetch(`${service.url}/collections/lab`, { headers: { 'x-service-token': 'admin' } });
  const lab = (await read.json()) as object;
  const switched = await fetch(`${service.url}/collections/lab`, {
    method: 'PUT',
    headers: { ...headers, 'x-service-token': 'admin' },
    body: JSON.stringify({ ...lab, schema: next }),
  });
  assert.equal(switched.status, 201, await switched.text());
  const { status, output } = await follow(service, copy, ['--once']).ended();
  assert.equal(status, 0, output);
  assert.match(output, /lab: the schema of the service has changed, and is in force here, too/);
  assert.doesNotMatch(output, /without a switch/);
  await eventually('the reader has the schema', async () => /title: Next/.test(await schema()));
  const again = await follow(service, copy, ['--once']).ended();
  assert.doesNotMatch(again.output, /has changed/);
  assert.match(again.output, /lab: 0 changes followed, up to date\./);
});

test('a store that has followed waits for its source at the start, and an empty one reports why it cannot', async (t) => {
  const { source, copy, start } = await layPair(t, 'sqlite', async () => {
    follower.child.kill('SIGKILL');
    await Promise.all([follower.ended(), service.kill()]);
  });
  const port = await freePort();
  let service = await start(port);
  await store(service, 'a');
  await catchUp(service, copy);
  assert.equal(await service.stop(), 0);
  const empty = await follow(service, `${copy}-2`).ended();
  assert.equal(empty.status, 1);
  assert.match(empty.output, /no program listens there/);
  const follower = follow(service, copy, ['--once']);
  const [said] = (await once(follower.child.stderr!, 'data')) as [Buffer];
  assert.match(String(said), /cannot be reached: .* It is tried again until the service responds/);
  assert.equal(follower.child.exitCode, null);
  service = await start(port);
  await store(service, 'b');
  const { status, output } = await follower.ended();
  assert.equal(status, 0, output);
  assert.deepEqual(recordsIn(copy), recordsIn(source));
  const refused = await follow(service, copy, ['--once'], 'nobody').ended();
  assert.equal(refused.status, 1, refused.output);
});
