/** A database file that is damaged, replaced or removed under a service, and files that a service refuses at its start. */
import assert from 'node:assert/strict';
import {
  closeSync,
  copyFileSync,
  mkdtempSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { openSqliteDatabase } from '../../src/core/storage/sqlite/sqlite.ts';
import { type TestService, testApp } from '../support/app.ts';
import { person } from '../support/people.ts';
import { sqliteAt } from '../support/sqlite.ts';

const isElsewhere = process.env.ACCESSION_TEST_BACKEND?.startsWith('postgresql') === true;
const skip = isElsewhere && 'the records are not in a file';

async function opened(t: TestContext): Promise<TestService> {
  const service = await testApp(t, {
    collections: { c: { backend: { type: 'sqlite' } } },
    tokens: { cora: { c: 'CURATOR' } },
  });
  assert.equal((await store(service, 'first')).status, 200);
  return service;
}

const store = ({ request }: TestService, name: string) =>
  request('POST', '/c/curated/record/Person', { token: 'cora', json: person(name) });

/** After an interval, the file is looked at again. */
async function requireRefusal(service: TestService, reason: RegExp): Promise<void> {
  await delay(1100);
  const ready = await service.request('GET', '/-/ready');
  assert.equal(ready.status, 503, ready.text);
  assert.match(ready.text, reason);
  const health = await service.request('GET', '/-/health');
  assert.equal(health.status, 503, health.text);
  assert.match(health.text, reason);
  const written = await store(service, 'later');
  assert.equal(written.status, 503, written.text);
  assert.match(written.text, reason);
}

function overwrite(file: string, from: number, bytes: number): void {
  const handle = openSync(file, 'r+');
  writeSync(handle, Buffer.alloc(bytes, 7), 0, bytes, from);
  closeSync(handle);
}

/** The position of the first page of a table, which opening a database does not read. */
function pageOf(file: string, table: string): number {
  const database = sqliteAt(file);
  const sql = 'SELECT rootpage, page_size FROM sqlite_schema, pragma_page_size WHERE name = ?';
  const { rootpage, page_size } = database.prepare(sql).get(table) as { rootpage: number; page_size: number };
  database.close();
  return (rootpage - 1) * page_size;
}

test('a database whose first page was overwritten is not ready, and refuses writes', { skip }, async (t) => {
  const service = await opened(t);
  assert.equal((await service.request('GET', '/-/ready')).status, 200);
  await service.restart();
  overwrite(join(service.store, 'accession.db'), 0, 4096);
  await requireRefusal(service, /the database is damaged and must be restored from a backup/);
});

test('a database that was replaced or removed is not ready until it is back', { skip }, async (t) => {
  const service = await opened(t);
  const file = join(service.store, 'accession.db');
  renameSync(file, `${file}.away`);
  await requireRefusal(service, /was removed or replaced while the service runs/);
  copyFileSync(`${file}.away`, file);
  await requireRefusal(service, /was removed or replaced while the service runs/);
  renameSync(`${file}.away`, file);
  await delay(1100);
  assert.equal((await service.request('GET', '/-/ready')).status, 200);
  assert.equal((await store(service, 'later')).status, 200);
});

test('a start refuses the database of another program, a file that is none, and damaged pages', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'accession-damaged-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const foreign = join(folder, 'foreign.db');
  const other = sqliteAt(foreign);
  other.exec('CREATE TABLE moz_places (id INTEGER)');
  other.close();
  await assert.rejects(openSqliteDatabase(foreign), {
    code: 'store_incompatible',
    message: /foreign\.db is the database of another program: it has a table moz_places/,
  });
  const none = join(folder, 'none.db');
  writeFileSync(none, 'not a database'.repeat(1000));
  await assert.rejects(openSqliteDatabase(none), { code: 'storage_failed', message: /is damaged/ });
  const file = join(folder, 'accession.db');
  await (await openSqliteDatabase(file)).close();
  overwrite(file, pageOf(file, 'accession_patch'), 4096);
  await (await openSqliteDatabase(file)).close();
  await assert.rejects(openSqliteDatabase(file, { examine: true }), {
    code: 'storage_failed',
    message: /is damaged/,
  });
});

test('damage that a statement reports ends all writes', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'accession-damaged-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'accession.db');
  const whole = await openSqliteDatabase(file);
  const insert = 'INSERT INTO accession_settings (area, collection, json) VALUES (1, $1, $2)';
  await whole.transact(async (draft) => {
    for (let n = 0; n < 2000; n++) draft.run(insert, [`c${n}`, 'x'.repeat(1000)]);
  });
  await whole.close();
  const { size } = statSync(file);
  overwrite(file, size - 1024 * 1024, 512 * 1024);
  const database = await openSqliteDatabase(file);
  t.after(() => database.close());
  assert.equal(await database.problem(), undefined, 'its first pages are whole');
  const damaged = { code: 'storage_damaged', message: /must be restored from a backup/ };
  await assert.rejects(database.tuples('SELECT json FROM accession_settings'), damaged);
  assert.match((await database.problem()) ?? '', /must be restored from a backup/);
  await assert.rejects(
    database.transact(async (draft) => draft.run(insert, ['another', ''])),
    damaged,
  );
});
