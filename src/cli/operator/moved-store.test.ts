import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { movedStore, noteDatabase, requireDatabase } from '../../core/config/store-directory.ts';
import { backup } from './backup.ts';

test('a store whose service used a database last says so, with a file of any age and without one', async (t) => {
  const store = mkdtempSync(join(tmpdir(), 'accession-running-'));
  t.after(() => rmSync(store, { recursive: true, force: true }));
  const file = join(store, 'accession.db');
  mkdirSync(join(store, '__dump_things__', 'config_audit'), { recursive: true });
  assert.throws(() => requireDatabase(store), /accession\.db is missing\. Put it back/);
  assert.equal(movedStore(store), undefined);
  noteDatabase(store, true);
  assert.throws(
    () => requireDatabase(store),
    /has used a PostgreSQL database since .* set DATABASE_URL .* is not there/,
  );
  writeFileSync(file, 'newer');
  assert.match(movedStore(store) ?? '', /since .* is there, and does not have what was changed since/);
  await assert.rejects(backup(store, `${store}.tar.gz`), /has used a PostgreSQL database/);
  noteDatabase(store, false);
  assert.equal(movedStore(store), undefined);
});
