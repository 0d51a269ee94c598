import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { openStore } from './backends.ts';
import { BY, expand, put, refuses, schemaTypeOf } from './contract/subject.ts';
import { withMemoryLinks } from './memory-links.ts';

test('a store without an index of references gets one in memory', async (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'accession-links-'));
  t.after(() => rmSync(directory, { recursive: true }));
  const { links: _, ...plain } = await openStore({ type: 'sqlite' }, directory, { expand, schemaTypeOf });
  const store = withMemoryLinks(plain);
  t.after(() => store.close());
  const [a, b, c] = ['ex:a', 'ex:b', 'ex:c'].map((pid) => expand(pid)!) as [string, string, string];
  await store.write([put('ex:a'), put('ex:b')], BY);
  const links = [
    { iri: b, slot: 'friend', path: '/friend' },
    { iri: c, slot: 'friend', path: '/x' },
  ];
  await store.links.fill([{ iri: a, revision: 1, links }], { key: 'k', revision: 2 });
  assert.deepEqual(await store.links.position(), { key: 'k', revision: 2 });
  assert.equal(await store.links.countTo(b), 1);
  assert.deepEqual(
    (await store.links.dangling()).references.map(({ pid, to }) => [pid, to]),
    [['ex:a', c]],
  );
  await refuses(store.write([{ delete: b, unreferenced: true }], BY), 'record_referenced');
  await store.write([{ delete: a }], BY);
  await store.write([{ delete: b, unreferenced: true }], BY);
  assert.deepEqual(await store.links.from(a), []);
  assert.equal(await store.links.countTo(b), 0);
});
