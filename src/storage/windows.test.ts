import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { openStore } from './backends.ts';
import { BY, expand, put, schemaTypeOf } from './contract/subject.ts';

test('changes and entries are found behind any number of others', async (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'accession-windows-'));
  const store = await openStore({ type: 'sqlite' }, directory, { expand, schemaTypeOf });
  t.after(async () => {
    await store.close();
    rmSync(directory, { recursive: true });
  });
  const other = { ...BY, author: 'other@example.org' };
  await store.write([put('ex:first', 'Robot')], other);
  await store.write(
    Array.from({ length: 21_000 }, (_, n) => put('ex:again', 'Person', { n })),
    BY,
  );
  await store.write([put('ex:last', 'Robot')], other);

  const revisions = (some: { revision: number }[]) => some.map(({ revision }) => revision);
  const changes = [];
  for (let revision = 0; ; ) {
    const next = await store.changesSince(revision, 10);
    if (next.length === 0) break;
    changes.push(...next);
    const last = changes.at(-1)!;
    revision = last.kind === 'put' ? last.record.revision : last.revision;
  }
  assert.deepEqual(
    changes.map((change) => change.kind === 'put' && change.record.revision),
    [1, 21_001, 21_002],
  );
  const by = { author: other.author, limit: 10 };
  assert.deepEqual(revisions(await store.entries(by)), [1, 21_002]);
  assert.deepEqual(revisions(await store.entries({ ...by, newestFirst: true })), [21_002, 1]);
  assert.deepEqual(revisions(await store.entries({ ...by, newestFirst: true, limit: 1 })), [21_002]);
  assert.deepEqual(revisions(await store.entries({ className: 'Robot', after: 1, limit: 10 })), [21_002]);
  assert.deepEqual(revisions(await store.entries({ className: 'Robot', before: 21_002, limit: 10 })), [1]);
  const time = (await store.entries({ after: 10_000, limit: 1 }))[0]?.time ?? '';
  assert.deepEqual(revisions(await store.entries({ since: time, limit: 2 })), [10_001, 10_002]);
  assert.deepEqual(
    revisions(await store.entries({ until: time, newestFirst: true, limit: 2 })),
    [10_001, 10_000],
  );
  assert.deepEqual(revisions(await store.entries({ ...by, since: time })), [21_002]);
  assert.deepEqual(revisions(await store.entries({ ...by, until: time })), [1]);
});
