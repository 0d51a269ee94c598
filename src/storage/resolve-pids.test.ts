/** A prefix that changes, in a store that stays. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { openStore } from './backends.ts';
import { all, BY, pids, schemaTypeOf } from './contract/subject.ts';
import type { Change } from './store.ts';

const naming = (ex: string) => ({
  schemaTypeOf,
  expand: (pid: string) => (pid.startsWith('ex:') ? ex + pid.slice(3) : pid),
});
const put = (pid: string, { expand }: ReturnType<typeof naming>): Change => ({
  put: { pid, iri: expand(pid), className: 'Person', json: JSON.stringify({ pid }) },
});

test('the records of a changed prefix are found under their new IRIs', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'accession-prefix-'));
  const [before, after] = [naming('https://a.example/'), naming('https://b.example/')];
  try {
    const first = await openStore({ type: 'sqlite' }, directory, before);
    const many = Array.from({ length: 450 }, (_, i) => put(`ex:${i}`, before));
    await first.write([...many, put('https://b.example/7', before), put('zz:1', before)], BY);
    // Like a schema that changes while the collection is open.
    const second = await openStore({ type: 'sqlite' }, directory, after);
    assert.equal((await second.get('https://b.example/8'))?.pid, 'ex:8');
    assert.equal(await second.get('https://a.example/8'), undefined);
    assert.equal((await second.get('https://b.example/7'))?.pid, 'https://b.example/7');
    assert.match((await second.faults())[0]?.message ?? '', /'ex:7' keeps the IRI 'https:\/\/a.example\/7'/);
    assert.equal((await second.faults()).length, 1);
    await second.write([put('ex:8', after)], BY);
    assert.equal(await second.count({}), 452);
    assert.equal(new Set(pids(await all(second))).size, 452);
    await first.close();
    await second.close();
  } finally {
    rmSync(directory, { recursive: true });
  }
});
