/** Order, pages, classes, totals, ranks, scans. */
import assert from 'node:assert/strict';
import { compareCodePoints } from '#linkml/json.ts';
import type { Change } from '../store.ts';
import { all, BY, type Case, pids, put, type Subject, scanned } from './subject.ts';

const iriOf = (n: number) => `https://example.org/${String(n).padStart(5, '0')}`;
const pidOf = (n: number) => `ex:${String(n).padStart(5, '0')}`;

/** Many records, written in an order that is not theirs: every third a Robot, every 50th a Comet. */
function many(count: number): Change[] {
  const numbers = Array.from({ length: count }, (_, i) => (i * 7919) % count);
  return numbers.map((n) => put(pidOf(n), n % 50 === 0 ? 'Comet' : n % 3 === 0 ? 'Robot' : 'Person'));
}

export function listContract(it: Case, { many: size }: Subject): void {
  it('lists in the order of pids', async (store) => {
    await store.write([put('ex:b'), put('ex:c'), put('ex:a')], BY);
    assert.deepEqual(pids(await all(store)), ['ex:a', 'ex:b', 'ex:c']);
  });

  it('orders by code point, not by letter or UTF-16 unit', async (store) => {
    const names = [
      'ex:a',
      'ex:B',
      'ex:é',
      'ex:\uffee',
      'ex:😀',
      'ex:10',
      'ex:9',
      'ex:~',
      'https://example.org/z',
    ];
    await store.write(
      names.map((name) => put(name)),
      BY,
    );
    assert.deepEqual(pids(await all(store)), [...names].sort(compareCodePoints));
  });

  it('puts a record at its new place when the spelling of its pid changes', async (store) => {
    await store.write([put('ex:a'), put('ex:b'), put('https://a.example/')], BY);
    await store.write([put('https://example.org/a')], BY);
    assert.deepEqual(pids(await all(store)), ['ex:b', 'https://a.example/', 'https://example.org/a']);
  });

  it('selects one class', async (store) => {
    await store.write([put('ex:a'), put('ex:b', 'Robot'), put('ex:c')], BY);
    assert.deepEqual(pids(await all(store, { classes: ['Person'] })), ['ex:a', 'ex:c']);
  });

  it('selects several classes, in one order', async (store) => {
    await store.write([put('ex:a'), put('ex:b', 'Robot'), put('ex:c', 'Comet'), put('ex:d')], BY);
    assert.deepEqual(pids(await all(store, { classes: ['Comet', 'Person'] })), ['ex:a', 'ex:c', 'ex:d']);
  });

  it('selects nothing for no class and for an unknown one', async (store) => {
    await store.write([put('ex:a')], BY);
    assert.deepEqual(await all(store, { classes: [] }), []);
    assert.deepEqual(await all(store, { classes: ['Nothing'] }), []);
    assert.equal(await store.count({ classes: [] }), 0);
    assert.equal(await store.count({ classes: ['Nothing'] }), 0);
  });

  it('counts a class that is named twice once', async (store) => {
    await store.write([put('ex:a'), put('ex:b', 'Robot')], BY);
    assert.equal(await store.count({ classes: ['Person', 'Person'] }), 1);
    assert.deepEqual(pids(await all(store, { classes: ['Person', 'Person'] })), ['ex:a']);
  });

  it('counts all and by class', async (store) => {
    await store.write([put('ex:a'), put('ex:b', 'Robot'), put('ex:c')], BY);
    assert.equal(await store.count({}), 3);
    assert.equal(await store.count({ classes: ['Person'] }), 2);
    assert.equal(await store.count({ classes: ['Person', 'Robot'] }), 3);
  });

  it('gives a range', async (store) => {
    await store.write(
      ['a', 'b', 'c', 'd', 'e'].map((name) => put(`ex:${name}`)),
      BY,
    );
    assert.deepEqual(pids(await store.list({}, { offset: 1, limit: 2 })), ['ex:b', 'ex:c']);
    assert.deepEqual(pids(await store.list({}, { offset: 4, limit: 2 })), ['ex:e']);
  });

  it('gives nothing behind the end and for no limit', async (store) => {
    await store.write([put('ex:a')], BY);
    assert.deepEqual(await store.list({}, { offset: 1, limit: 5 }), []);
    assert.deepEqual(await store.list({}, { offset: 100, limit: 5 }), []);
    assert.deepEqual(await store.list({}, { offset: 0, limit: 0 }), []);
  });

  it('pages through many records without gap or repetition', async (store) => {
    await store.write(many(size), BY);
    for (const classes of [
      undefined,
      ['Robot'],
      ['Comet'],
      ['Person', 'Comet'],
      ['Robot', 'Person', 'Comet'],
    ]) {
      const selection = classes ? { classes } : {};
      const expected = pids(await all(store, selection));
      const paged: string[] = [];
      for (let offset = 0; offset < expected.length; offset += 17) {
        paged.push(...pids(await store.list(selection, { offset, limit: 17 })));
      }
      assert.deepEqual(paged, expected);
      assert.equal(await store.count(selection), expected.length);
      assert.deepEqual(expected, [...expected].sort(compareCodePoints));
    }
  });

  it('keeps totals and pages right while records come, change and go', async (store, reopen) => {
    await store.write(many(size), BY);
    const third = size / 3;
    const deletions = Array.from({ length: third }, (_, i): Change => ({ delete: iriOf(i * 3) }));
    await store.write(deletions, BY);
    await store.write(
      Array.from({ length: third / 2 }, (_, i) => put(pidOf(i * 3 + 1), 'Robot')),
      BY,
    );
    for (const open of [async () => store, reopen]) {
      const current = await open();
      const records = await all(current);
      assert.equal(records.length, 2 * third);
      assert.equal(await current.count({}), 2 * third);
      const robots = records.filter(({ className }) => className === 'Robot');
      assert.equal(await current.count({ classes: ['Robot'] }), robots.length);
      assert.deepEqual(
        pids(await current.list({ classes: ['Robot'] }, { offset: third / 4, limit: 20 })),
        pids(robots.slice(third / 4, third / 4 + 20)),
      );
    }
  });

  it('can be emptied and filled again', async (store) => {
    await store.write(many(size), BY);
    await store.write(
      Array.from({ length: size }, (_, i): Change => ({ delete: iriOf(i) })),
      BY,
    );
    assert.equal(await store.count({}), 0);
    assert.deepEqual(await all(store), []);
    await store.write(many(10), BY);
    assert.equal(await store.count({}), 10);
    assert.equal((await store.list({}, { offset: 5, limit: 2 })).length, 2);
  });

  it('ranks a pid that is there, one that is not, and the ends', async (store) => {
    await store.write([put('ex:b'), put('ex:d', 'Robot'), put('ex:f')], BY);
    assert.equal(await store.rank({}, 'ex:b'), 0);
    assert.equal(await store.rank({}, 'ex:d'), 1);
    assert.equal(await store.rank({}, 'ex:e'), 2);
    assert.equal(await store.rank({}, ''), 0);
    assert.equal(await store.rank({}, 'zz'), 3);
    assert.equal(await store.rank({ classes: ['Person'] }, 'ex:e'), 1);
    assert.equal(await store.rank({ classes: [] }, 'zz'), 0);
  });

  it('ranks each of many records at its offset', async (store) => {
    await store.write(many(size), BY);
    const selection = { classes: ['Robot'] };
    const records = await all(store, selection);
    for (let i = 0; i < records.length; i += 7) {
      const { pid } = records[i]!;
      assert.equal(await store.rank(selection, pid), i);
    }
  });

  it('scans all records in order', async (store) => {
    await store.write(many(size), BY);
    assert.deepEqual(pids(await scanned(store)), pids(await all(store)));
  });

  it('scans a class', async (store) => {
    await store.write(many(size), BY);
    assert.deepEqual(
      pids(await scanned(store, { classes: ['Robot'] })),
      pids(await all(store, { classes: ['Robot'] })),
    );
  });

  it('scans nothing where there is nothing, and can be left early', async (store) => {
    assert.deepEqual(await scanned(store), []);
    await store.write(many(size), BY);
    for await (const record of store.scan({})) {
      assert.equal(record.pid, pidOf(0));
      break;
    }
    assert.equal(await store.count({}), size);
  });

  it('goes on with a scan while records come and go', async (store) => {
    await store.write(many(size), BY);
    const seen: string[] = [];
    for await (const { pid } of store.scan({})) {
      seen.push(pid);
      if (seen.length === size / 3)
        await store.write([{ delete: iriOf(0) }, { delete: iriOf(size - 1) }, put('ex:00000a')], BY);
    }
    assert.deepEqual(seen, [...seen].sort(compareCodePoints));
    assert.equal(new Set(seen).size, seen.length);
    const found = new Set(seen);
    for (let n = 1; n < size - 1; n++) assert.ok(found.has(pidOf(n)));
  });
}
