import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { Session } from 'node:inspector';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { workFor } from '../../work/admission.ts';
import { openSqliteDatabase } from '../sqlite/sqlite.ts';
import type { Change } from '../store.ts';
import { foundWith, IdList, SearchResults } from './search-results.ts';

const turn = () => new Promise((resolve) => setImmediate(resolve));

function listOf(length: number, policies: readonly string[] = ['']) {
  const list = new IdList();
  for (let id = 1; id <= length; id++) list.add(id, policies[id % policies.length]!);
  return list.found();
}

test('results are kept as far as their bytes have room, not by their number', async () => {
  const results = new SearchResults(100_000);
  let searches = 0;
  const find = (key: string, length: number) =>
    results.find(key, 1, async () => {
      searches++;
      return listOf(length);
    });
  for (let at = 0; at < 20; at++) await find(`long ${at}`, 5000);
  assert.ok(results.used <= 100_000, `${results.used}`);
  assert.ok(results.used > 50_000, `${results.used}`);
  await find('long 19', 5000);
  assert.equal(searches, 20);
  // More than all room: it is found, and not kept.
  assert.equal((await find('too long', 20_000)).ids.length, 20_000);
  await find('too long', 20_000);
  assert.equal(searches, 22);
  for (let at = 0; at < 50; at++) await find(`short ${at}`, 10);
  for (let at = 0; at < 50; at++) await find(`short ${at}`, 10);
  assert.equal(searches, 72);
});

test('a result is found once for requests at the same time, and again after a failure or a change', async () => {
  const results = new SearchResults();
  let searches = 0;
  const find = (revision: number) =>
    results.find('a', revision, async () => {
      if (++searches === 1) throw new Error('once');
      return listOf(3);
    });
  await assert.rejects(Promise.all([find(1), find(1)]), /once/);
  await Promise.all([find(1), find(1), find(1)]);
  assert.equal(searches, 2);
  await find(2);
  assert.equal(searches, 3);
});

test('the policies of records are kept beside their ids', () => {
  const found = listOf(1000, ['x', 'y', '']);
  assert.deepEqual([...foundWith(found, (policy) => policy === 'x').ids].slice(0, 3), [3, 6, 9]);
  assert.equal(foundWith(found, () => false).ids.length, 0);
  assert.equal(
    foundWith(found, () => true),
    found,
  );
  assert.equal(foundWith(listOf(3, ['z']), () => false).ids.length, 0);
});

test('a client has one long search at a time, and others go on', async () => {
  const results = new SearchResults();
  const running: string[] = [];
  const ends: (() => void)[] = [];
  const search = (client: string, name: string) =>
    workFor(client, () =>
      results.inTurn(async () => {
        running.push(name);
        await new Promise<void>((end) => ends.push(end));
      }),
    );
  const all = [search('ann', 'ann 1'), search('ann', 'ann 2'), search('bob', 'bob 1')];
  await turn();
  assert.deepEqual(running, ['ann 1', 'bob 1']);
  ends[0]!();
  await turn();
  assert.deepEqual(running, ['ann 1', 'bob 1', 'ann 2']);
  for (const end of ends) end();
  await Promise.all(all);
});

test('patterns that all records match leave a few bytes of each in memory', async () => {
  const session = new Session();
  session.connect();
  const directory = mkdtempSync(join(tmpdir(), 'results-'));
  const database = await openSqliteDatabase(join(directory, 'store.db'));
  try {
    const store = await database.area('c/curated');
    const by = { committer: 'me', author: 'me', role: 'curator' } as const;
    const pad = 'a'.repeat(1000);
    const records = 1500;
    const changes = Array.from({ length: records }, (_, at): Change => {
      const pid = `ex:${String(at).padStart(6, '0')}${pad}`;
      const json = JSON.stringify({ pid, schema_type: 'ex:Thing' });
      return { put: { iri: pid, pid, className: 'Thing', json } };
    });
    for (let from = 0; from < records; from += 500) await store.write(changes.slice(from, from + 500), by);
    const used = async () => {
      // What is finalized in a turn is free after the collection behind it.
      for (let round = 0; round < 3; round++) {
        session.post('HeapProfiler.collectGarbage');
        await turn();
      }
      return process.memoryUsage().heapUsed;
    };
    const before = await used();
    for (let at = 0; at < 14; at++)
      assert.equal(await store.count({ matching: `%ex:${'_'.repeat(at)}%` }), records);
    // With their keys, they would need 14 × 3 MB.
    const grown = ((await used()) - before) / 1024 / 1024;
    assert.ok(grown < 20, `${grown} MiB`);
    const listed = await store.list({ matching: '%ex:%' }, { offset: 750, limit: 2 });
    assert.deepEqual(
      listed.map(({ pid }) => pid.slice(3, 9)),
      ['000750', '000751'],
    );
    assert.equal(await store.rank({ matching: '%ex:%' }, 'ex:0010'), 1000);
  } finally {
    session.disconnect();
    await database.close();
    rmSync(directory, { recursive: true });
  }
});
