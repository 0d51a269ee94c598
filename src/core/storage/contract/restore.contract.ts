/** Copies: an area that is restored from the entries of another one is equal to it. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RecordStore } from '../store.ts';
import { all, BY, type Case, put, refuses, type Subject } from './subject.ts';

export function restoreContract(it: Case, subject: Subject): void {
  it('restores records, revisions, tombstones and entries of another area', async (store) => {
    await write(store);
    await withOther(subject, async (other, reopen) => {
      const entries = await store.entries({ limit: 100 });
      await other.restore(entries.slice(0, 4));
      assert.equal(await other.revision(), 4);
      await other.restore(entries.slice(4));
      assert.deepEqual(await state(other), await state(store));
      const again = await reopen();
      assert.deepEqual(await state(again), await state(store));
    });
  });

  it('restores what is left after entries were pruned', async (store) => {
    await write(store);
    assert.ok((await store.prune('9999-01-01T00:00:00.000000+00:00', 1_000_000)) > 0);
    await withOther(subject, async (other) => {
      await other.restore(await store.entries({ limit: 100 }));
      assert.deepEqual(await state(other), await state(store));
      const [result] = await other.write([put('ex:next')], BY);
      assert.equal(result, (await store.revision()) + 1);
      const times = (await other.entries({ limit: 100 })).map(({ time }) => time);
      assert.deepEqual(times, [...new Set(times)].sort());
    });
  });

  it('refuses to restore a revision that it has passed', async (store) => {
    await store.write([put('ex:a'), put('ex:b')], BY);
    await refuses(store.restore(await store.entries({ limit: 2 })), 'precondition_failed');
    assert.equal(await store.revision(), 2);
  });
}

/** Records that stay, change, move, go and come back, with notes and other actors. */
async function write(store: RecordStore): Promise<void> {
  const other = { committer: 'c', author: 'd', role: 'submitter' } as const;
  await store.write([put('ex:a', 'Person', { n: 1 }), put('ex:b'), put('ex:c', 'Robot')], BY);
  await store.write([{ ...put('ex:a', 'Robot', { n: 2 }), note: { reason: 'why', batch: '7' } }], other);
  await store.write([{ delete: 'https://example.org/b' }, { delete: 'https://example.org/c' }], BY);
  await store.write([put('ex:c', 'Person', { back: true }), put('ex:a', 'Person', { n: 3 })], other);
}

async function state(store: RecordStore) {
  return {
    records: await all(store),
    count: await store.count({ classes: ['Person'] }),
    revision: await store.revision(),
    entries: await store.entries({ limit: 100 }),
  };
}

async function withOther(
  subject: Subject,
  work: (other: RecordStore, reopen: () => Promise<RecordStore>) => Promise<void>,
): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'accession-copy-'));
  let other = await subject.open(directory);
  try {
    await work(await other.area('area'), async () => {
      await other.close();
      other = await subject.open(directory);
      return other.area('area');
    });
  } finally {
    await other.close();
    rmSync(directory, { recursive: true });
  }
}
