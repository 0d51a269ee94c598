/** Entries: who made which change, when, and to what. */
import assert from 'node:assert/strict';
import { scanEntries } from '../read/paging.ts';
import type { Actor, Entry, EntryQuery } from '../store.ts';
import { BY, type Case, expand, put, record, refuses } from './subject.ts';

const IRI = 'https://example.org/a';

export function entryContract(it: Case): void {
  it('keeps an entry for each change, with its revision, actor and record', async (store) => {
    const other: Actor = { committer: 'c', author: 'd', role: 'submitter' };
    await store.write([put('ex:a', 'Person', { n: 1 }), put('ex:b', 'Robot')], BY);
    await store.write([put('ex:a', 'Robot', { n: 2 })], other);
    await store.write([{ delete: IRI }], BY);
    const entries = await store.entries({ limit: 10 });
    assert.deepEqual(
      entries.map(({ time: _, ...entry }) => entry),
      [
        { revision: 1, ...entryOf('ex:a', 'Person', { n: 1 }), ...BY, kind: 'put' },
        { revision: 2, ...entryOf('ex:b', 'Robot'), ...BY, kind: 'put' },
        { revision: 3, ...entryOf('ex:a', 'Robot', { n: 2 }), ...other, kind: 'put' },
        { revision: 4, ...entryOf('ex:a', 'Robot'), ...BY, kind: 'delete', json: null },
      ],
    );
  });

  it('keeps entries over reopening', async (store, reopen) => {
    await store.write([put('ex:a', 'Person', { n: 1 })], BY);
    await store.write([put('ex:a', 'Person', { n: 2 })], BY);
    const before = await store.entries({ limit: 10 });
    assert.deepEqual(await (await reopen()).entries({ limit: 10 }), before);
  });

  it('keeps an entry of a put that changes nothing', async (store) => {
    for (const author of ['one', 'two']) await store.write([put('ex:a')], { ...BY, author });
    const entries = await store.entries({ limit: 10 });
    assert.deepEqual(
      entries.map(({ author }) => author),
      ['one', 'two'],
    );
  });

  it('keeps no entry of a write that was refused', async (store) => {
    await refuses(store.write([put('ex:a'), { delete: 'https://no.one/' }], BY), 'record_missing');
    assert.deepEqual(await store.entries({ limit: 10 }), []);
  });

  it('keeps the note of a change as it was given', async (store) => {
    const note = {
      reason: 'a "reason"\u2028',
      decision: 'd1',
      batch: 'b1',
      message: 'm',
    };
    await store.write([{ ...put('ex:a'), note }, put('ex:b')], BY);
    const [first, second] = await store.entries({ limit: 10 });
    const { reason, decision, batch, message } = first as Entry;
    assert.deepEqual({ reason, decision, batch, message }, note);
    assert.ok(second && !('reason' in second));
  });

  it('gives entries strictly increasing times with microseconds', async (store) => {
    await store.write(
      Array.from({ length: 50 }, (_, i) => put(`ex:${i}`)),
      BY,
    );
    await store.write([put('ex:1'), put('ex:1'), { delete: 'https://example.org/1' }], BY);
    const times = (await store.entries({ limit: 100 })).map(({ time }) => time);
    assert.deepEqual(times, [...new Set(times)].sort());
    for (const time of times) assert.match(time, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}\+00:00$/);
    assert.ok(Math.abs(Date.parse(times[0] ?? '') - Date.now()) < 60_000);
  });

  it('selects entries by record, revision, author, class and time, a page at a time', async (store) => {
    await store.write([put('ex:a'), put('ex:b', 'Robot'), put('ex:a'), put('ex:c')], BY);
    await store.write([put('ex:b', 'Robot')], { ...BY, author: 'another' });
    const all = await store.entries({ limit: 10 });
    const revisions = async (query: object) =>
      (await store.entries({ limit: 10, ...query })).map(({ revision }) => revision);
    assert.deepEqual(await revisions({ iris: [IRI, 'https://example.org/c'] }), [1, 3, 4]);
    assert.deepEqual(await revisions({ after: 1, before: 4 }), [2, 3]);
    assert.deepEqual(await revisions({ author: 'another' }), [5]);
    assert.deepEqual(await revisions({ className: 'Robot' }), [2, 5]);
    assert.deepEqual(await revisions({ since: all[1]?.time, until: all[3]?.time }), [2, 3, 4]);
    assert.deepEqual(await revisions({ newestFirst: true, limit: 2 }), [5, 4]);
    assert.deepEqual(await revisions({ newestFirst: true, before: 4, limit: 2 }), [3, 2]);
    assert.deepEqual(await revisions({ iris: [] }), []);
  });

  it('scans in steps that are shorter for long former records of deletes', async (store) => {
    const text = 'x'.repeat(50_000);
    for (const pid of ['ex:a', 'ex:b', 'ex:c', 'ex:d', 'ex:e', 'ex:f'])
      await store.write([put(pid, 'Person', { text }), { delete: expand(pid)! }], BY);
    const limits: number[] = [];
    const recording = {
      entries(query: EntryQuery) {
        limits.push(query.limit);
        return store.entries(query);
      },
    };
    const iris = ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => expand(`ex:${name}`)!);
    const query = { iris, newestFirst: true, withFormer: true };
    assert.equal((await Array.fromAsync(scanEntries(recording, query, 120_000))).length, 12);
    assert.ok(Math.max(...limits) <= 3, `steps of ${limits.join(', ')} entries`);
  });

  it('prunes entries, but of each record never the last one up to a revision', async (store, reopen) => {
    await store.write([put('ex:a'), put('ex:b'), put('ex:a'), { delete: IRI }], BY);
    await store.write([put('ex:b')], BY);
    const last = (await store.entries({ limit: 10 })).at(-1)?.time ?? '';
    assert.equal(await store.prune('2000-01-01T00:00:00.000000+00:00', 100), 0);
    assert.equal(await store.prune(last, 2), 0);
    assert.equal(await store.prune(last, 3), 1);
    assert.equal(await store.prune('9999-01-01T00:00:00.000000+00:00', 100), 2);
    const again = await reopen();
    assert.deepEqual(
      (await again.entries({ limit: 10 })).map(({ revision }) => revision),
      [4, 5],
    );
    await again.write([put('ex:b')], BY);
    assert.ok((await again.entries({ after: 4, limit: 10 })).every(({ json }) => json !== null));
    assert.equal(await again.revision(), 6);
  });
}

function entryOf(
  pid: string,
  className: string,
  fields = {},
): Pick<Entry, 'pid' | 'iri' | 'className' | 'json'> {
  return record(pid, className, fields);
}
