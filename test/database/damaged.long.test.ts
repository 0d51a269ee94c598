/** Stores that were damaged on purpose: the damage is reported, and nothing is emptied without a word. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import { type TestContext, test } from 'node:test';
import { MODULES } from '../../src/modules.ts';
import { accession } from '../cli/accession.ts';
import { type TestService, testApp } from '../support/app.ts';
import { person } from '../support/people.ts';
import { startService } from '../support/real-service.ts';

const CONFIGURATION = {
  collections: { files: {}, rows: { backend: { type: 'sqlite' } } },
  tokens: { cur: { files: 'CURATOR', rows: 'CURATOR' } },
};
const RECORDS = 200;

/**
 * A store with records in files and in the database only, whose service was stopped. Its log of the configuration says that it was
 * used.
 */
async function stopped(t: TestContext): Promise<TestService> {
  const service = await testApp(t, CONFIGURATION, { modules: MODULES });
  for (const collection of ['files', 'rows']) {
    const json = Array.from({ length: RECORDS }, (_, n) => person(`p${n}`));
    const answer = await service.request('POST', `/-/${collection}/curated/records/Person`, {
      token: 'cur',
      json,
    });
    assert.equal(answer.status, 200, answer.text);
  }
  await service.app.close();
  return service;
}

/** What `check` reports, and that it ends with the status of errors. */
async function errorsOf(store: string): Promise<string> {
  const { status, stdout, stderr } = await accession(['check', store]);
  assert.equal(status, 2, stdout + stderr);
  return stdout;
}

const COMMAND = resolve(import.meta.dirname, '../../bin/accession.js');

/** Why `serve` refuses a store. */
async function refusalOf(store: string): Promise<string> {
  const { status, stderr } = spawnSync(process.execPath, [COMMAND, 'serve', store, '--port', '0'], {
    encoding: 'utf8',
    env: { ...process.env, ACCESSION_ADMIN_TOKEN: 'an admin token that is long' },
  });
  assert.equal(status, 1, stderr);
  return stderr;
}

const recordsIn = async ({ request }: TestService) =>
  (await request('GET', '/files/curated/records/p/?size=1', { token: 'cur' })).json<{ total: number }>()
    .total;

test('a database that was cut off is reported and refused', async (t) => {
  const { store } = await stopped(t);
  const file = join(store, 'accession.db');
  truncateSync(file, Math.floor(statSync(file).size / 2 / 4096) * 4096);
  assert.match(
    await errorsOf(store),
    /^error database: .*accession\.db.* malformed[\s\S]*restore the last backup/,
  );
  assert.match(await refusalOf(store), /accession\.db failed, and nothing was changed: .*malformed/);
});

test('a store whose database was emptied or removed is reported and refused, and keeps its files', async (t) => {
  const { store } = await stopped(t);
  const file = join(store, 'accession.db');
  for (const [damage, word] of [
    [() => truncateSync(file, 0), 'empty'],
    [() => rmSync(file), 'missing'],
  ] as const) {
    damage();
    const message = new RegExp(`was used, and its database accession\\.db is ${word}`);
    assert.match(await errorsOf(store), message);
    assert.match(await refusalOf(store), message);
    assert.equal(readdirSync(join(store, 'files/curated/Person')).length, RECORDS);
  }
  assert.ok(!existsSync(file), 'no new one was made');
});

test('a lost log of the database is reported after a crash', async (t) => {
  const { store } = await stopped(t);
  const service = await startService([store]);
  const answer = await fetch(`${service.url}/rows/curated/record/Person`, {
    method: 'POST',
    headers: { 'x-service-token': 'cur', 'content-type': 'application/json' },
    body: JSON.stringify(person('late')),
  });
  assert.equal(answer.status, 200);
  await service.kill();
  assert.match((await accession(['check', store])).stdout, /^warning service: .*\n +Nothing is lost/m);
  rmSync(join(store, 'accession.db-wal'));
  const lost = /accession\.db-wal is missing: its last changes may be lost/;
  assert.match(await errorsOf(store), lost);
  rmSync(join(store, 'accession.db-wal'));
  const again = await startService([store]);
  await again.stop();
  assert.match(again.output(), lost);
});

test('a lost directory of files is reported, and written again by the next start', async (t) => {
  const service = await stopped(t);
  const directory = join(service.store, 'files/curated');
  rmSync(directory, { recursive: true });
  const { stdout } = await accession(['check', service.store]);
  assert.match(
    stdout,
    /^warning files files\/curated: The files of 200 records are not in .*files\/curated\.\n.*writes them/m,
  );
  await service.restart();
  assert.equal(await recordsIn(service), RECORDS);
  assert.equal(readdirSync(join(directory, 'Person')).length, RECORDS);
});

test('foreign files among those of records are reported, and change no record', async (t) => {
  const service = await stopped(t);
  const directory = join(service.store, 'files/curated');
  mkdirSync(join(directory, 'Nothing'));
  const [own = ''] = readdirSync(join(directory, 'Person'));
  cpSync(join(directory, 'Person', own), join(directory, 'Person/copy.yaml'));
  for (const path of ['notes.yaml', 'Nothing/a.yaml', 'README.md'])
    writeFileSync(join(directory, path), 'pid: labid:x\n');
  await service.restart();
  const found = await errorsOf(service.store);
  for (const message of [
    /notes\.yaml: it lies in no folder of a class/,
    /Nothing\/a\.yaml: its folder 'Nothing' is named for no class/,
    /Person\/copy\.yaml: it holds the same record as 'Person\/\w+\.yaml'/,
  ])
    assert.match(found, message);
  assert.doesNotMatch(found, /README/);
  assert.equal(await recordsIn(service), RECORDS);
  for (const path of ['notes.yaml', 'Nothing/a.yaml', 'Person/copy.yaml', 'README.md'])
    assert.ok(existsSync(join(directory, path)));
});
