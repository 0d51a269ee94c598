import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LIMIT_OFFSET } from '../storage/database.ts';
import { OWN_STATUS, openQueueDatabase } from './queue-layout.ts';

test('the submissions of a zone are listed and counted in the order of an index, by status as well', (t) => {
  const database = openQueueDatabase(':memory:', 'test');
  t.after(() => database.close());
  const stepsOf = (sql: string, ...values: (string | number)[]) =>
    (database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...values) as { detail: string }[]).map(
      ({ detail }) => detail,
    );
  const order = `ORDER BY submitted_at DESC, pid ${LIMIT_OFFSET}`;
  assert.deepEqual(stepsOf(`SELECT * FROM submission WHERE label = ? ${order}`, 'ann', 50, 0), [
    'SEARCH submission USING INDEX submission_own (label=?)',
  ]);
  assert.deepEqual(
    stepsOf(
      `SELECT * FROM submission WHERE label = ? AND ${OWN_STATUS} IN (?) ${order}`,
      'ann',
      'waiting',
      50,
      0,
    ),
    ['SEARCH submission USING INDEX submission_own_status (label=? AND <expr>=?)'],
  );
  assert.deepEqual(
    stepsOf(`SELECT ${OWN_STATUS} AS status, count(*) FROM submission WHERE label = ? GROUP BY 1`, 'ann'),
    ['SEARCH submission USING INDEX submission_own_status (label=?)'],
  );
});
