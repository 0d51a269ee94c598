import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { noteDatabase, olderFile } from './running.ts';

test('a file that is older than the database which was used last is reported', (t) => {
  const store = mkdtempSync(join(tmpdir(), 'accession-running-'));
  t.after(() => rmSync(store, { recursive: true, force: true }));
  const file = join(store, 'accession.db');
  writeFileSync(file, '');
  assert.equal(olderFile(store), undefined);
  const yesterday = new Date(Date.now() - 24 * 60 * 60 * 1000);
  utimesSync(file, yesterday, yesterday);
  noteDatabase(store, true);
  assert.match(olderFile(store) ?? '', /has used a PostgreSQL database since .* accession\.db is older/);
  const tomorrow = new Date(Date.now() + 24 * 60 * 60 * 1000);
  utimesSync(file, tomorrow, tomorrow);
  assert.equal(olderFile(store), undefined, 'it was copied back from the database');
  rmSync(file);
  assert.equal(olderFile(store), undefined, 'another message explains that it is missing');
});
