/** How PostgreSQL looks for words: plans are the same for any conditions, and the pages that it reads of the index are not. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { databaseWithTables } from '../../../../test/support/postgresql.ts';
import { SILENT_LOG } from '../log.ts';
import { openPool } from '../postgresql/pool.ts';
import { POSTGRESQL_WORDS } from './word-dialect.ts';
import { parseQuery } from './word-query.ts';

const RECORDS = 60_000;
/** Of the index and the table. The index has eight for each of the words that all records have. */
const MOST_PAGES = 30;

test('an index of words passes over the records that the rarest word of a query excludes', async (t) => {
  const pool = openPool(await databaseWithTables(), { log: SILENT_LOG });
  t.after(() => pool.close());
  await pool.run(`INSERT INTO accession_word (doc, words)
    SELECT n, CAST(format('''10'':1 ''5281'':2 ''zenodo'':3 ''a%s'':4', n) AS tsvector) FROM generate_series(1, ${RECORDS}) n`);
  // Records that are indexed again leave the first pages of the index empty.
  await pool.run(`DELETE FROM accession_word WHERE doc <= ${RECORDS / 3}`);
  await pool.run('VACUUM ANALYZE accession_word');
  const queries = [
    '"10.5281/zenodo.a59990"',
    '10.5281/zenodo.a59990',
    'https://doi.org/10.5281/zenodo.a59990 ',
  ];
  for (const query of queries) {
    const values: string[] = [];
    const isMet = POSTGRESQL_WORDS.matches(parseQuery(query), 'record', (value) => values.push(value));
    const sql = `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) SELECT doc FROM accession_word WHERE ${isMet}`;
    const [[plans]] = (await pool.run(sql, values)).rows as [[[{ Plan: Record<string, number> }]]];
    const { 'Actual Rows': rows, 'Shared Hit Blocks': hit, 'Shared Read Blocks': read } = plans[0].Plan;
    assert.equal(rows, 1, query);
    const pages = hit! + read!;
    assert.ok(pages < MOST_PAGES, `${pages} pages for ${query}`);
  }
});
