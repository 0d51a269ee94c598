/** A database whose disk is full: its tables, and the log of its transactions. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { type TestService, testApp } from '../support/app.ts';
import { person } from '../support/people.ts';
import { giveToServer, ownServer, startPostgresql } from '../support/postgresql.ts';
import { fillDisk, smallDisk } from '../support/small-disk.ts';

const CONFIGURATION = {
  collections: { lab: { backend: { type: 'postgresql' } } },
  tokens: { writer: { lab: 'WRITE_COLLECTION' } },
};
const skip = ownServer ? false : 'the disk of ACCESSION_TEST_DATABASE_URL is not filled';
const NO_DISK = 'this machine cannot mount a small file system';

/** Stores records that do not compress. @returns the first answer that is not 200 */
async function store(service: TestService, pids: readonly string[], acknowledged: string[]) {
  const answers = await Promise.all(
    pids.map(async (pid) => {
      const json = person(pid, { given_name: randomBytes(30_000).toString('base64') });
      const answer = await service.request('POST', '/lab/record/Person', { token: 'writer', json });
      if (answer.status === 200) acknowledged.push(`labid:${pid}`);
      return answer;
    }),
  );
  return answers.find(({ status }) => status !== 200);
}

/** The same, until one is refused. */
async function storeUntilRefused(service: TestService, acknowledged: string[]) {
  for (let n = 0; n < 1000; n++) {
    const refused = await store(service, [`${n}a`, `${n}b`, `${n}c`], acknowledged);
    if (refused) return refused;
  }
  return assert.fail('the disk does not become full');
}

async function requireAll(service: TestService, pids: readonly string[]): Promise<void> {
  assert.ok(pids.length > 0, 'nothing was acknowledged');
  for (const pid of pids) {
    const answer = await service.request('GET', `/lab/record?pid=${pid}`, { token: 'writer' });
    assert.equal(answer.json<{ pid: string } | null>()?.pid, pid, `${pid} was lost`);
  }
}

test('with a full disk under its tables, writes are 507, reads go on, and writes are stored when there is room', {
  skip,
}, async (t) => {
  const disk = smallDisk(t, 64);
  if (disk === undefined) return t.skip(NO_DISK);
  const tables = join(disk, 'tables');
  mkdirSync(tables);
  giveToServer(tables);
  const server = await startPostgresql();
  t.after(() => server.close());
  const service = await testApp(t, CONFIGURATION, { databaseUrl: await server.createDatabase(tables) });
  const acknowledged: string[] = [];
  assert.equal(await store(service, ['first'], acknowledged), undefined);
  const filler = join(disk, 'filler');
  fillDisk(filler);
  const refused = await storeUntilRefused(service, acknowledged);
  assert.equal(refused.status, 507, refused.text);
  assert.match(refused.text, /nothing was changed: the disk of the database has no room left/);
  await requireAll(service, acknowledged);
  rmSync(filler);
  assert.equal(await store(service, ['last'], acknowledged), undefined);
  await requireAll(service, acknowledged);
});

test('with a full disk under the log of its transactions, writes are 507 or 503, and nothing acknowledged is lost', {
  skip,
}, async (t) => {
  const disk = smallDisk(t, 40);
  if (disk === undefined) return t.skip(NO_DISK);
  const logDirectory = join(disk, 'log');
  mkdirSync(logDirectory);
  const settings = ['max_wal_size=4MB', 'min_wal_size=2MB'];
  const server = await startPostgresql({ durable: true, logDirectory, settings });
  t.after(() => server.close());
  const service = await testApp(t, CONFIGURATION, { databaseUrl: await server.createDatabase() });
  const acknowledged: string[] = [];
  assert.equal(await store(service, ['first'], acknowledged), undefined);
  const filler = join(disk, 'filler');
  fillDisk(filler);
  for (let attempt = 0; attempt < 5; attempt++) {
    const { status, text, headers } = await storeUntilRefused(service, acknowledged);
    assert.ok(status === 507 || (status === 503 && headers['retry-after']), `${status}: ${text}`);
  }
  rmSync(filler);
  // Depending on where it needs room, the server refuses a transaction, or ends itself.
  await server.stopNow();
  await server.start();
  assert.equal(await store(service, ['last'], acknowledged), undefined);
  await requireAll(service, acknowledged);
});
