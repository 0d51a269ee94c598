/** The ledger: small rows of other rooms in the transactions of an area. */
import assert from 'node:assert/strict';
import type { LedgerRow } from '../store.ts';
import { all, BY, type Case, put, refuses } from './subject.ts';

const row = (id: string, keys: readonly string[] = [], kind = 'decision'): LedgerRow => ({
  kind,
  id,
  keys,
  json: JSON.stringify({ id }),
});

export function ledgerContract(it: Case): void {
  it('keeps, replaces and removes ledger rows, over reopening', async (store, reopen) => {
    await store.write([], BY, [{ set: row('1', ['x']) }, { set: row('2') }]);
    await store.write([], BY, [{ set: { ...row('1', ['y']), json: '"new"' } }]);
    await store.write([], BY, [
      { remove: { kind: 'decision', id: '2' } },
      { remove: { kind: 'none', id: '2' } },
    ]);
    const { ledger } = await reopen();
    assert.deepEqual(await ledger.get('decision', '1'), { ...row('1', ['y']), json: '"new"' });
    assert.equal(await ledger.get('decision', '2'), undefined);
    assert.deepEqual(await ledger.list({ kind: 'decision', keys: ['x'], limit: 10 }), []);
    assert.equal(await ledger.count({ kind: 'decision' }), 1);
  });

  it('keeps ledger rows under any id, however long, beside others', async (store) => {
    const random = (length: number) =>
      Array.from({ length }, (_, n) => ((n * 7919 + 13) % 1009).toString(36)).join('');
    const ids = ['a', 'a\0b', 'a\ud800', `long ${random(4000)}`, `long ${random(4001)}`];
    for (const id of ids) await store.write([], BY, [{ set: row(id, ['odd']), expect: 'absent' }]);
    for (const id of ids) {
      assert.equal((await store.ledger.get('decision', id))?.json, row(id).json);
      await refuses(store.write([], BY, [{ set: row(id), expect: 'absent' }]), 'precondition_failed');
    }
    const found = await store.ledger.list({ kind: 'decision', keys: ['odd'], limit: 10 });
    assert.equal(found.length, ids.length);
    for (const id of ids) await store.write([], BY, [{ remove: { kind: 'decision', id } }]);
    assert.equal(await store.ledger.count({ kind: 'decision' }), 0);
  });

  it('writes changes and ledger rows together or not at all', async (store) => {
    await store.write([put('ex:a')], BY, [{ set: row('1') }]);
    const again = [{ set: row('2') }, { set: row('1'), expect: 'absent' as const }];
    await refuses(store.write([put('ex:b')], BY, again), 'precondition_failed');
    await refuses(
      store.write([put('ex:b')], BY, [{ set: row('3'), expect: 'present' }]),
      'precondition_failed',
    );
    await refuses(store.write([{ delete: 'https://no.one/' }], BY, [{ set: row('4') }]), 'record_missing');
    assert.equal(await store.ledger.count({ kind: 'decision' }), 1);
    assert.equal((await all(store)).length, 1);
    assert.equal(await store.revision(), 1);
    assert.equal(await store.count({}), 1);
  });

  it('sets a row only if its key has no newer one than its writer knows', async (store) => {
    const after = (id: string, key: string, known: string) =>
      store.write([], BY, [{ set: row(id, [key, 'all']), expect: { newestOf: key, after: known } }]);
    await after('1', 'x', '');
    await refuses(after('2', 'x', ''), 'precondition_failed');
    await after('2', 'y', '');
    await after('3', 'x', '1');
    await refuses(after('4', 'x', '1'), 'precondition_failed');
    // Writes that are made together see each other.
    const both = await Promise.allSettled([after('5', 'y', '2'), after('6', 'y', '2')]);
    assert.deepEqual(both.map(({ status }) => status).sort(), ['fulfilled', 'rejected']);
    assert.equal(await store.ledger.count({ kind: 'decision' }), 4);
  });

  it('lists rows of a kind by id, and those that have all of the keys', async (store) => {
    const rows = [
      row('b', ['x', 'y']),
      row('a', ['x']),
      row('c', ['y', 'x', 'x']),
      row('d', ['x', 'y'], 'intent'),
    ];
    await store.write(
      [],
      BY,
      rows.map((set) => ({ set })),
    );
    const ids = async (query: object) =>
      (await store.ledger.list({ kind: 'decision', limit: 10, ...query })).map(({ id }) => id);
    assert.deepEqual(await ids({}), ['a', 'b', 'c']);
    assert.deepEqual(await ids({ keys: ['x'] }), ['a', 'b', 'c']);
    assert.deepEqual(await ids({ keys: ['x', 'y'] }), ['b', 'c']);
    assert.deepEqual(await ids({ keys: ['x', 'z'] }), []);
    assert.deepEqual(await ids({ after: 'a', before: 'c' }), ['b']);
    assert.deepEqual(await ids({ newestFirst: true, keys: ['x'], limit: 2 }), ['c', 'b']);
    assert.deepEqual(await ids({ newestFirst: true, before: 'b' }), ['a']);
    assert.equal(await store.ledger.count({ kind: 'decision', keys: ['x', 'y'] }), 2);
    assert.equal(await store.ledger.count({ kind: 'intent' }), 1);
  });
}
