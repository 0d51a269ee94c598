import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { openStore } from '../backends.ts';
import { all, BY, expand, pids, put, schemaTypeOf } from '../contract/subject.ts';

const BACKEND = { type: 'record_dir', mapping_method: 'digest-md5-p3' } as const;
const PEER_INDEX = '.directory_dir_index.db';

test('the records of an area below are none of this one, here and for the peer', async (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'accession-areas-'));
  t.after(() => rmSync(directory, { recursive: true }));
  const open = (place: string) =>
    openStore(BACKEND, place, { expand, schemaTypeOf, schema: 'https://example.org/schema' });
  const outer = await open(directory);
  const inner = await open(join(directory, 'incoming/ann'));
  await outer.write([put('ex:outer', 'Person', {})], BY);
  await inner.write([put('ex:inner', 'Person', {})], BY);
  // The watch of the outer area has seen the files of the inner one by then.
  await wait(900);
  assert.deepEqual([pids(await all(outer)), await outer.faults()], [['ex:outer'], []]);
  await outer.close();
  await inner.close();

  assert.ok(!existsSync(join(directory, 'incoming/ann', PEER_INDEX)), 'the peer makes this one itself');
  const index = new DatabaseSync(join(directory, PEER_INDEX), { readOnly: true });
  const rows = index.prepare('SELECT iri, class_name, path, sort_key FROM index_entry').all();
  index.close();
  assert.equal(rows.length, 1);
  const { path, ...rest } = rows[0] as { path: string };
  assert.deepEqual(
    { ...rest },
    { iri: 'https://example.org/outer', class_name: 'Person', sort_key: 'ex:outer' },
  );
  assert.ok(existsSync(path));

  const again = await open(directory);
  assert.ok(!existsSync(join(directory, PEER_INDEX)));
  assert.deepEqual([pids(await all(again)), await again.faults()], [['ex:outer'], []]);
  await again.close();
});
