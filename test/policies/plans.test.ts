/** What decides whether a caller sees a record is in indexes: a read of a hidden record then takes as long as that of a missing one. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { BY, put } from '../../src/core/storage/contract/subject.ts';
import type { Database } from '../../src/core/storage/database.ts';
import type { Value } from '../../src/core/storage/dialect.ts';
import { lastDeletion } from '../../src/core/storage/history/entries.ts';
import { firstRecord, recordsOf } from '../../src/core/storage/read/records.ts';
import { openSqliteDatabase } from '../../src/core/storage/sqlite/sqlite.ts';
import { policyTag, Visibility } from '../../src/core/storage/visibility.ts';

test('a hidden record is read with the statements of a missing one, which read indexes alone', async (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'accession-plans-'));
  const database = await openSqliteDatabase(join(directory, 'accession.db'));
  t.after(() => database.close().finally(() => rmSync(directory, { recursive: true })));
  const tag = policyTag(['lab:policy']);
  const curated = await database.area('curated');
  await database.transact(async (draft) =>
    draft.run('UPDATE accession_area SET policy_tags = $1', [JSON.stringify([tag])]),
  );
  await curated.write([put('ex:hidden', 'Person', { annotations: { 'lab:policy': 'secret' } })], BY);
  const visibility = new Visibility(tag, null, ['other']);

  const statementsOf = async (name: string) => {
    const statements: (readonly [sql: string, values: readonly Value[]])[] = [];
    const reads: Database = {
      ...database,
      tuples: (sql, values = []) => {
        statements.push([sql, values]);
        return database.tuples(sql, values);
      },
    };
    const iri = `https://example.org/${name}`;
    const { found } = await firstRecord(reads, [curated.area], iri, visibility);
    assert.equal(found, undefined);
    assert.deepEqual(await Array.fromAsync(recordsOf(reads, curated.area, [iri], visibility)), []);
    assert.equal(await lastDeletion(reads, curated.area, iri), undefined);
    return statements;
  };
  const hidden = await statementsOf('hidden');
  const missing = await statementsOf('missing');
  assert.deepEqual(
    hidden.map(([sql]) => sql),
    missing.map(([sql]) => sql),
  );
  assert.ok(hidden.length > 0);
  for (const [sql, values] of hidden) {
    const plan = await database.tuples(`EXPLAIN QUERY PLAN ${sql}`, values);
    const steps = plan
      .map((row) => String(row[3]))
      .filter((step) => /accession_(record|entry)_|^SCAN (?!json_each)/.test(step));
    assert.ok(steps.length > 0);
    assert.deepEqual(
      steps.filter((step) => !step.includes('USING COVERING INDEX')),
      [],
    );
  }
});
