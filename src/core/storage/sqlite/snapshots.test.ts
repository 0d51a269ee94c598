/** The connections of snapshots. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { Snapshots } from './snapshots.ts';
import { layTables } from './sqlite.ts';

test('four connections of snapshots are kept for the next ones, and the others closed', () => {
  const directory = mkdtempSync(join(tmpdir(), 'accession-connections-'));
  const file = join(directory, 'accession.db');
  layTables(file);
  const snapshots = new Snapshots(file);
  const numbers = Array.from({ length: 6 }, (_, at) => at);
  try {
    for (const number of numbers) snapshots.begin(number);
    assert.equal(snapshots.size, 6);
    for (const number of numbers) snapshots.end(number);
    assert.equal(snapshots.size, 4);
    for (const number of numbers) snapshots.begin(number);
    assert.equal(snapshots.size, 6);
  } finally {
    snapshots.close();
    rmSync(directory, { recursive: true });
  }
});
