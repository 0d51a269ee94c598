/** Revisions, tombstones and the feed of changes. */
import assert from 'node:assert/strict';
import { BY, type Case, put, refuses } from './subject.ts';

/** Selects the last change of each record. */
const LAST = { lastOnly: true, limit: 10 } as const;

export function changeContract(it: Case): void {
  it('raises the revision by one for each change', async (store) => {
    await store.write([put('ex:a'), put('ex:b')], BY);
    assert.equal(await store.revision(), 2);
    await store.write([put('ex:a')], BY);
    assert.equal(await store.revision(), 3);
    await store.write([{ delete: 'https://example.org/a' }], BY);
    assert.equal(await store.revision(), 4);
  });

  it('gives each change a revision of its own', async (store) => {
    const results = await store.write(
      [put('ex:a'), put('ex:b'), put('ex:a'), { delete: 'https://example.org/b' }],
      BY,
    );
    assert.deepEqual(results, [1, 2, 3, 4]);
  });

  it('does not count a change that was turned down', async (store) => {
    await store.write([put('ex:a')], BY);
    await refuses(store.write([put('ex:b'), { delete: 'https://example.org/nobody' }], BY), 'record_missing');
    assert.equal(await store.revision(), 1);
    const [result] = await store.write([put('ex:b')], BY);
    assert.equal(result, 2);
  });

  it('keeps the revision of each record', async (store) => {
    await store.write([put('ex:a'), put('ex:b')], BY);
    await store.write([put('ex:a')], BY);
    assert.equal((await store.get('https://example.org/a'))?.revision, 3);
    assert.equal((await store.get('https://example.org/b'))?.revision, 2);
  });

  it('keeps revisions over reopening', async (store, reopen) => {
    await store.write([put('ex:a'), put('ex:b')], BY);
    await store.write([{ delete: 'https://example.org/b' }], BY);
    const again = await reopen();
    assert.equal(await again.revision(), 3);
    assert.equal((await again.get('https://example.org/a'))?.revision, 1);
    const [result] = await again.write([put('ex:c')], BY);
    assert.equal(result, 4);
  });

  it('never goes back, also when the last record is deleted and the store reopened', async (store, reopen) => {
    await store.write([put('ex:a')], BY);
    await store.write([{ delete: 'https://example.org/a' }], BY);
    const again = await reopen();
    assert.equal(await again.revision(), 2);
    const [result] = await again.write([put('ex:a')], BY);
    assert.equal(result, 3);
  });

  it('lists all changes from the beginning, oldest first', async (store) => {
    await store.write([put('ex:b'), put('ex:a')], BY);
    const changes = await store.entries(LAST);
    assert.deepEqual(
      changes.map(({ pid, revision }) => [pid, revision]),
      [
        ['ex:b', 1],
        ['ex:a', 2],
      ],
    );
  });

  it('lists only the last change of each record', async (store) => {
    await store.write([put('ex:a'), put('ex:b')], BY);
    await store.write([put('ex:a', 'Robot')], BY);
    const changes = await store.entries(LAST);
    assert.deepEqual(
      changes.map(({ className }) => className),
      ['Person', 'Robot'],
    );
  });

  it('lists a deletion as a tombstone', async (store) => {
    await store.write([put('ex:a'), put('ex:b')], BY);
    await store.write([{ delete: 'https://example.org/a' }], BY);
    const [tombstone, ...others] = await store.entries({ ...LAST, after: 2 });
    assert.deepEqual(
      [tombstone?.kind, tombstone?.pid, tombstone?.revision, others],
      ['delete', 'ex:a', 3, []],
    );
  });

  it('drops the tombstone of a record that is back', async (store) => {
    await store.write([put('ex:a')], BY);
    await store.write([{ delete: 'https://example.org/a' }], BY);
    await store.write([put('ex:a')], BY);
    const changes = await store.entries(LAST);
    assert.deepEqual(
      changes.map(({ kind }) => kind),
      ['put'],
    );
  });

  it('keeps tombstones over reopening', async (store, reopen) => {
    await store.write([put('ex:a')], BY);
    await store.write([{ delete: 'https://example.org/a' }], BY);
    const again = await reopen();
    const [tombstone, ...others] = await again.entries(LAST);
    assert.deepEqual(
      [tombstone?.kind, tombstone?.pid, tombstone?.revision, others],
      ['delete', 'ex:a', 2, []],
    );
  });

  it('lists changes in portions', async (store) => {
    await store.write(
      Array.from({ length: 25 }, (_, i) => put(`ex:${i}`)),
      BY,
    );
    let revision = 0;
    let told = 0;
    for (;;) {
      const changes = await store.entries({ ...LAST, after: revision });
      if (changes.length === 0) break;
      assert.ok(changes.length <= 10);
      told += changes.length;
      revision = changes.at(-1)!.revision;
    }
    assert.equal(told, 25);
  });

  it('lists nothing since the last revision', async (store) => {
    await store.write([put('ex:a')], BY);
    assert.deepEqual(await store.entries({ ...LAST, after: 1 }), []);
    assert.deepEqual(await store.entries({ ...LAST, after: 100 }), []);
  });
}
