/** Another program, such as `sqlite3` of an operator, locks the database for a while. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { testApp } from '../support/app.ts';
import { person } from '../support/people.ts';
import { sqliteAt } from '../support/sqlite.ts';

test('while another program locks the database, a write waits, and reads and health are answered', async (t) => {
  const { store, request } = await testApp(t, {
    collections: { c: { backend: { type: 'sqlite' } } },
    tokens: { cur: { c: 'CURATOR' } },
  });
  const put = (name: string) =>
    request('POST', '/c/curated/record/Person', { token: 'cur', json: person(name) });
  assert.equal((await put('a')).status, 200);
  const other = sqliteAt(join(store, 'accession.db'));
  t.after(() => other.close());
  other.exec('BEGIN IMMEDIATE');
  let isDone = false;
  const write = put('b').finally(() => {
    isDone = true;
  });
  for (let n = 0; n < 10; n++) {
    assert.equal((await request('GET', '/-/health')).status, 200);
    const read = await request('GET', '/c/curated/records/p/', { token: 'cur' });
    assert.equal(read.json<{ total: number }>().total, 1);
    await sleep(50);
  }
  assert.ok(!isDone);
  other.exec('ROLLBACK');
  assert.equal((await write).status, 200);
  assert.equal(
    (await request('GET', '/c/curated/records/p/', { token: 'cur' })).json<{ total: number }>().total,
    2,
  );
});
