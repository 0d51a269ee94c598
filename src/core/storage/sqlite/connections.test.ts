/** The connections that read. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { Connections, layTables } from './sqlite.ts';

test('eight connections of snapshots are kept for the next ones, and the others closed', () => {
  const directory = mkdtempSync(join(tmpdir(), 'accession-connections-'));
  const file = join(directory, 'accession.db');
  layTables(file);
  const connections = new Connections(file);
  try {
    const first = Array.from({ length: 10 }, () => connections.take());
    for (const one of first) connections.give(one);
    assert.equal(first.filter(({ database }) => database.isOpen).length, 8);
    const second = Array.from({ length: 10 }, () => connections.take());
    assert.equal(second.filter((one) => first.includes(one)).length, 8);
    assert.ok(second.every(({ database }) => database.isOpen));
  } finally {
    connections.close();
    rmSync(directory, { recursive: true });
  }
});
