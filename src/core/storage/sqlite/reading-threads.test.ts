/** Statements of snapshots run in threads. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { workFor } from '../../work/admission.ts';
import type { Query } from '../engine.ts';
import { ReadingThreads } from './reading-threads.ts';
import { layTables } from './sqlite.ts';

/** Takes a processor for a second, about. */
const LONG = `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000000) SELECT max(i) FROM n`;
const SHORT = 'SELECT $1';

function opened(t: TestContext): ReadingThreads {
  const directory = mkdtempSync(join(tmpdir(), 'accession-reading-'));
  const file = join(directory, 'accession.db');
  layTables(file);
  const threads = new ReadingThreads(file);
  t.after(async () => {
    await threads.close();
    rmSync(directory, { recursive: true });
  });
  return threads;
}

/** Holds a snapshot of a client until it is ended. */
async function begun(threads: ReadingThreads, client: string) {
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  const { promise: query, resolve: begin } = Promise.withResolvers<Query>();
  const done = workFor(client, () =>
    threads.snapshot(async (own) => {
      await own(SHORT, [1]);
      begin(own);
      await ended;
    }),
  );
  return {
    query: await query,
    async end() {
      end();
      await done;
    },
  };
}

test('a long statement of one client keeps neither this thread nor other clients waiting', async (t) => {
  const threads = opened(t);
  const [slow, quick] = [await begun(threads, 'slow'), await begun(threads, 'quick')];
  const order: string[] = [];
  let turns = 0;
  const counting = setInterval(() => (turns += 1), 1);
  const long = slow.query(LONG, []).then(() => order.push('long'));
  await quick.query(SHORT, [2]).then(() => order.push('short'));
  await long;
  clearInterval(counting);
  assert.deepEqual(order, ['short', 'long']);
  assert.ok(turns > 10, `${turns} turns of this thread`);
  await Promise.all([slow.end(), quick.end()]);
});

test('a failure of a statement is that of SQLite, and the snapshot goes on', async (t) => {
  const threads = opened(t);
  await threads.snapshot(async (query) => {
    await assert.rejects(query('SELECT * FROM missing', []), {
      message: 'no such table: missing',
      errcode: 1,
    });
    assert.deepEqual(await query('SELECT $1 AS a, $2 AS b', ['x', [1, 2]]), {
      columns: ['a', 'b'],
      rows: [['x', '[1,2]']],
    });
  });
});

test('a client has one thread at a time, and others have an idle one', async (t) => {
  const threads = opened(t);
  const both = [await begun(threads, 'a'), await begun(threads, 'a')];
  const other = await begun(threads, 'b');
  assert.equal(threads.size, 2);
  await Promise.all([...both, other].map((one) => one.end()));
  await (await begun(threads, 'c')).end();
  assert.equal(threads.size, 2, 'an idle thread is used again');
});
