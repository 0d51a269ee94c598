/** The segments of the indexes of texts and words: each step adds one, and merges a few pages. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import { sqliteAt } from '../../../../test/support/sqlite.ts';
import { advance } from '../../work/projections.ts';
import { BY, put } from '../contract/subject.ts';
import type { Database } from '../database.ts';
import { TEXT_INDEX } from '../search/text-index.ts';
import { wordIndex } from '../search/word-index.ts';
import { openSqliteDatabase } from './sqlite.ts';

const TABLES = ['accession_text', 'accession_word'] as const;

function fileIn(t: TestContext): string {
  const directory = mkdtempSync(join(tmpdir(), 'accession-segments-'));
  t.after(() => rmSync(directory, { recursive: true }));
  return join(directory, 'accession.db');
}

async function segmentsOf(database: Database, table: (typeof TABLES)[number]): Promise<number> {
  const [row] = await database.tuples<[number]>(`SELECT count(DISTINCT segid) FROM ${table}_idx`);
  return row![0];
}

test('steps of the indexes merge the segments that they add, so there are never many', async (t) => {
  const database = await openSqliteDatabase(fileIn(t));
  try {
    const area = await database.area('area');
    const most = { accession_text: 0, accession_word: 0 };
    for (let step = 0; step < 100; step++) {
      const name = `The ${step}th of a hundred records with words of some length`;
      await area.write([put(`ex:${step}`, 'Person', { name })], BY);
      for (const index of [TEXT_INDEX, wordIndex({ heads: {} })]) await advance(database, index, area);
      for (const table of TABLES) most[table] = Math.max(most[table], await segmentsOf(database, table));
    }
    for (const table of TABLES) {
      // FTS5 would merge 64 at once. Those of each size are merged from 8 on.
      assert.ok(most[table] < 30, `${table} had ${most[table]} segments`);
      assert.ok(most[table] >= 8, `${table} had ${most[table]} segments`);
    }
  } finally {
    await database.close();
  }
});

test('a database that another release has made gets the options by which segments are merged', async (t) => {
  const file = fileIn(t);
  await (await openSqliteDatabase(file)).close();
  const optionsOf = (database: DatabaseSync) =>
    TABLES.map((table) => database.prepare(`SELECT k, v FROM ${table}_config WHERE k <> 'version'`).all());
  const database = sqliteAt(file);
  const present = optionsOf(database);
  for (const table of TABLES) database.exec(`INSERT INTO ${table} (${table}, rank) VALUES ('automerge', 4)`);
  assert.notDeepEqual(optionsOf(database), present);
  await (await openSqliteDatabase(file)).close();
  assert.deepEqual(optionsOf(database), present);
  database.close();
});
