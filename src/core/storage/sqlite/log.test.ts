/** The log of the database, which grows while a reader stays in a snapshot. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { BY, put } from '../contract/subject.ts';
import { openSqliteDatabase } from './sqlite.ts';

const MIB = 2 ** 20;

test('the log is cut behind a snapshot under which it has grown', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'accession-log-'));
  const database = await openSqliteDatabase(join(directory, 'accession.db'));
  try {
    const area = await database.area('area');
    const text = 'x'.repeat(4 * MIB);
    await database.snapshot(async (reader) => {
      await reader.tuples('SELECT count(*) FROM accession_record');
      for (let at = 0; at < 18; at++) await area.write([put(`ex:${at}`, 'Person', { text })], BY);
    });
    assert.ok(((await database.size()).log ?? 0) > 72 * MIB);
    // The first commit behind it brings the log into the file, and the next one begins it again.
    for (const at of [0, 1]) await area.write([put(`ex:${at}`, 'Person')], BY);
    assert.ok(((await database.size()).log ?? 0) <= 64 * MIB);
  } finally {
    await database.close();
    rmSync(directory, { recursive: true });
  }
});

test('the log of constant writes is brought into the database again and again', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'accession-log-'));
  const database = await openSqliteDatabase(join(directory, 'accession.db'));
  try {
    const area = await database.area('area');
    const text = 'x'.repeat(MIB);
    for (let at = 0; at < 40; at++) await area.write([put(`ex:${at}`, 'Person', { text })], BY);
    assert.ok(((await database.size()).log ?? 0) < 34 * MIB);
    assert.ok(((await database.size()).bytes ?? 0) > 30 * MIB);
  } finally {
    await database.close();
    rmSync(directory, { recursive: true });
  }
});
