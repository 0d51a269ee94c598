import assert from 'node:assert/strict';
import { copyFileSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { openStore } from './backends.ts';
import { SQLITE_FILE } from './sqlite.ts';
import type { RecordStore } from './store.ts';

const BY = { committer: 'test', author: 'test', role: 'service' } as const;
const NAMING = { expand: (pid: string) => `iri:${pid}`, schemaTypeOf: () => undefined };
const SQLITE = { type: 'sqlite' } as const;
/** Longer than reads go without a look at the file. */
const CHECKED = 600;

function scratch(t: TestContext): string {
  const directory = mkdtempSync(join(tmpdir(), 'accession-followed-'));
  t.after(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

/** The store of an area by its owner, and by a process that follows it. */
async function both(t: TestContext): Promise<{ area: string; owner: RecordStore; follower: RecordStore }> {
  const area = join(scratch(t), 'area');
  const owner = await openStore(SQLITE, area, NAMING);
  const follower = await openStore(SQLITE, area, { ...NAMING, follow: true });
  t.after(() => Promise.all([owner.close(), follower.close()]));
  return { area, owner, follower };
}

const recordNamed = (pid: string) => ({
  put: { pid, iri: `iri:${pid}`, className: 'Thing', json: `{"pid":"${pid}"}` },
});

test('writes are refused', async (t) => {
  const { follower } = await both(t);
  const refused = { code: 'read_only' };
  await assert.rejects(follower.write([recordNamed('a')], BY), refused);
  await assert.rejects(follower.restore([]), refused);
  await assert.rejects(follower.prune('2030-01-01T00:00:00.000000+00:00', 1), refused);
  await assert.rejects(follower.links.fill([], { key: '', revision: 0 }), refused);
  assert.equal(await follower.revision(), 0);
});

test('lists, counts and ranks follow every commit of the owner', async (t) => {
  const { owner, follower } = await both(t);
  for (let n = 0; n < 3000; n += 500) {
    // Each is before all others, so every position changes.
    const pids = Array.from({ length: 500 }, (_, i) => String(9_999 - n - i));
    await owner.write(pids.map(recordNamed), BY);
    assert.equal(await follower.count({}), n + 500);
    assert.deepEqual(
      await follower.list({}, { offset: n, limit: 3 }),
      await owner.list({}, { offset: n, limit: 3 }),
    );
    assert.equal(await follower.rank({}, '9999'), n + 499);
  }
});

test('blocks that another program has let grow are read as they are', async (t) => {
  const { area, owner } = await both(t);
  await owner.write([recordNamed('a')], BY);
  const peer = new DatabaseSync(join(area, SQLITE_FILE));
  peer.exec(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000)
    INSERT INTO thing (iri, class_name, object, sort_key)
    SELECT 'iri:b' || i, 'Thing', '{"pid":"b' || i || '"}', 'b' || i FROM n`);
  peer.close();
  const follower = await openStore(SQLITE, area, { ...NAMING, follow: true });
  assert.equal(await follower.count({}), 3001);
  assert.equal((await follower.list({}, { offset: 2990, limit: 5 })).length, 5);
  await follower.close();
});

test('an area that does not exist is empty, and nothing is made for it', async (t) => {
  const area = join(scratch(t), 'area');
  const missing = await openStore(SQLITE, area, { ...NAMING, follow: true });
  assert.equal(missing.followed, 'missing');
  assert.equal(await missing.count({}), 0);
  await assert.rejects(missing.write([recordNamed('a')], BY), { code: 'read_only' });
  const owner = await openStore(SQLITE, area, NAMING);
  await owner.write([recordNamed('a')], BY);
  const follower = await openStore(SQLITE, area, { ...NAMING, follow: true });
  assert.equal(follower.followed, 'present');
  assert.equal(await follower.count({}), 1);
  await Promise.all([owner.close(), follower.close()]);
});

test('records that the owner has not read yet are not taken for an empty area', async (t) => {
  const directory = scratch(t);
  const notYet = { code: 'storage_unavailable', message: /has not opened/ };
  const files = join(directory, 'files');
  mkdirSync(join(files, 'Thing'), { recursive: true });
  writeFileSync(join(files, 'Thing', 'a.yaml'), 'pid: a\n');
  const recordDir = { type: 'record_dir', mapping_method: 'digest-md5' } as const;
  await assert.rejects(openStore(recordDir, files, { ...NAMING, follow: true }), notYet);
  const peer = new DatabaseSync(join(directory, SQLITE_FILE));
  peer.exec('CREATE TABLE thing (id INTEGER PRIMARY KEY, iri, class_name, object, sort_key)');
  peer.close();
  await assert.rejects(openStore(SQLITE, directory, { ...NAMING, follow: true }), {
    code: 'storage_unavailable',
    message: /has no tables of a service/,
  });
});

test('a database of another release, or one that was replaced, is reported', async (t) => {
  const { area, owner, follower } = await both(t);
  await owner.write([recordNamed('a')], BY);
  const file = join(area, SQLITE_FILE);
  const newer = new DatabaseSync(file);
  newer.exec(`UPDATE accession_meta SET value = 99 WHERE name = 'layout'`);
  const otherRelease = { code: 'storage_unavailable', message: /has the layout 99.*release of the service/ };
  await assert.rejects(openStore(SQLITE, area, { ...NAMING, follow: true }), otherRelease);
  await pause(CHECKED);
  await assert.rejects(follower.revision(), otherRelease);
  newer.close();
  copyFileSync(file, `${file}.restored`);
  renameSync(`${file}.restored`, file);
  await pause(CHECKED);
  await assert.rejects(follower.get('iri:a'), { code: 'storage_unavailable', message: /was replaced/ });
});
