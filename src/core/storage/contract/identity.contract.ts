/** One record per IRI: getting, putting, replacing, deleting. */
import assert from 'node:assert/strict';
import { all, BY, type Case, pids, put, record, refuses } from './subject.ts';

export function identityContract(it: Case): void {
  it('has nothing at first', async (store) => {
    assert.equal(await store.count({}), 0);
    assert.equal(await store.revision(), 0);
    assert.deepEqual(await all(store), []);
  });

  it('gives nothing for an unknown IRI', async (store) => {
    assert.equal(await store.get('https://example.org/nobody'), undefined);
  });

  it('returns what was stored, text and key', async (store) => {
    const jane = record('ex:jane', 'Person', { name: 'Jane' });
    const [revision] = await store.write([{ put: jane }], BY);
    assert.deepEqual(await store.get(jane.iri), { ...jane, revision });
  });

  it('replaces a record that is put again', async (store) => {
    await store.write([put('ex:jane', 'Person', { name: 'Jane' })], BY);
    await store.write([put('ex:jane', 'Person', { name: 'Janet' })], BY);
    assert.match((await store.get('https://example.org/jane'))?.json ?? '', /"Janet"/);
    assert.equal(await store.count({}), 1);
  });

  it('holds one record for two spellings of a pid', async (store) => {
    await store.write([put('ex:jane')], BY);
    await store.write([put('https://example.org/jane')], BY);
    assert.deepEqual(pids(await all(store)), ['https://example.org/jane']);
    assert.equal((await store.get('https://example.org/jane'))?.pid, 'https://example.org/jane');
  });

  it('moves a record to another class', async (store) => {
    await store.write([put('ex:jane', 'Person')], BY);
    await store.write([put('ex:jane', 'Robot')], BY);
    assert.equal(await store.count({ classes: ['Person'] }), 0);
    assert.equal(await store.count({ classes: ['Robot'] }), 1);
    assert.equal((await store.get('https://example.org/jane'))?.className, 'Robot');
  });

  it('changes class and spelling at once', async (store) => {
    await store.write([put('ex:jane', 'Person')], BY);
    await store.write([put('https://example.org/jane', 'Robot')], BY);
    const records = await all(store);
    assert.deepEqual(
      records.map(({ pid, className }) => [pid, className]),
      [['https://example.org/jane', 'Robot']],
    );
  });

  it('keeps a changed class after reopening', async (store, reopen) => {
    await store.write([put('ex:jane', 'Person')], BY);
    await store.write([put('ex:jane', 'Robot')], BY);
    const again = await reopen();
    assert.deepEqual(
      (await all(again)).map(({ className }) => className),
      ['Robot'],
    );
  });

  it('deletes a record', async (store) => {
    await store.write([put('ex:jane')], BY);
    await store.write([{ delete: 'https://example.org/jane' }], BY);
    assert.equal(await store.get('https://example.org/jane'), undefined);
    assert.equal(await store.count({}), 0);
  });

  it('refuses to delete what is not there', async (store) => {
    await refuses(store.write([{ delete: 'https://example.org/jane' }], BY), 'record_missing');
    assert.equal(await store.revision(), 0);
  });

  it('refuses to delete twice', async (store) => {
    await store.write([put('ex:jane')], BY);
    await store.write([{ delete: 'https://example.org/jane' }], BY);
    await refuses(store.write([{ delete: 'https://example.org/jane' }], BY), 'record_missing');
  });

  it('takes a record again after it was deleted', async (store) => {
    await store.write([put('ex:jane')], BY);
    await store.write([{ delete: 'https://example.org/jane' }], BY);
    await store.write([put('ex:jane', 'Robot')], BY);
    assert.equal(await store.count({ classes: ['Robot'] }), 1);
  });

  it('keeps a deletion after reopening', async (store, reopen) => {
    await store.write([put('ex:jane'), put('ex:joe')], BY);
    await store.write([{ delete: 'https://example.org/jane' }], BY);
    assert.deepEqual(pids(await all(await reopen())), ['ex:joe']);
  });

  it('returns which of some IRIs are present', async (store) => {
    await store.write([put('ex:a'), put('ex:b', 'Robot')], BY);
    const keys = await store.present([
      'https://example.org/b',
      'https://example.org/c',
      'https://example.org/a',
    ]);
    assert.deepEqual(new Set(pids(keys)), new Set(['ex:a', 'ex:b']));
    assert.equal(keys.find(({ pid }) => pid === 'ex:b')?.className, 'Robot');
  });

  it('returns which of few and of many IRIs it has', async (store) => {
    const iriOf = (n: number) => `https://example.org/${n}`;
    await store.write(
      Array.from({ length: 20 }, (_, n) => put(`ex:${n}`)),
      BY,
    );
    for (const count of [0, 1, 3, 8, 9, 20]) {
      const iris = Array.from({ length: count }, (_, n) => iriOf(n));
      const others = iris.slice(0, 4).map((iri) => `${iri}-`);
      assert.deepEqual(new Set(await store.having([...others, ...iris])), new Set(iris));
      assert.deepEqual(new Set(await store.having(iris)), new Set(iris));
    }
  });

  it('returns the records of some IRIs, short and long ones', async (store) => {
    const [short, long] = [record('ex:a'), record('ex:b', 'Person', { note: 'x'.repeat(100_000) })];
    await store.write([{ put: short }, { put: long }, put('ex:c')], BY);
    const found = await Array.fromAsync(store.records([short.iri, long.iri, 'https://example.org/none']));
    assert.deepEqual(
      found.sort((a, b) => a.revision - b.revision),
      [short, long].map((one, at) => ({ ...one, revision: at + 1 })),
    );
    assert.deepEqual(await Array.fromAsync(store.records([])), []);
  });

  it('returns which of some IRIs are present in a selection', async (store) => {
    await store.write([put('ex:a'), put('ex:b', 'Robot')], BY);
    const iris = ['https://example.org/a', 'https://example.org/b'];
    assert.deepEqual(pids(await store.present(iris, { classes: ['Robot'] })), ['ex:b']);
    assert.deepEqual(await store.present([], {}), []);
  });

  it('keeps everything over reopening', async (store, reopen) => {
    await store.write([put('ex:a', 'Person', { name: 'Änne' }), put('ex:b', 'Robot', { legs: 4 })], BY);
    const before = await all(store);
    assert.deepEqual(await all(await reopen()), before);
  });
}
