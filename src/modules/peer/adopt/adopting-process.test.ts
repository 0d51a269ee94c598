/** A service adopts a store in a process of its own, whose errors are those of the service. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { longTest, test } from '../../../../test/support/tier.ts';
import { isServiceError } from '../../../core/errors.ts';
import { adopting, COUNT, open, storeToAdopt } from './adopting-process.support.ts';
import { rowsOf } from './stores.support.ts';

test('a store is adopted in another process, which reports faults and is gone afterwards', async (t) => {
  const root = storeToAdopt(t);
  const seen: number[] = [];
  const { lines } = await open(root, { adopting: () => void seen.push(...adopting()) });
  assert.deepEqual(rowsOf(root, COUNT), [[3]]);
  assert.ok(seen.length > 0 && !seen.includes(process.pid));
  assert.deepEqual(adopting(), []);
  const faults = lines.filter(({ path }) => path === 'Person/broken.yaml');
  assert.ok(faults.length > 0);
});

test('errors of the process are those of the service: a missing schema', async (t) => {
  const root = storeToAdopt(t, { records: 1, schema: 'no-such.yaml' });
  await assert.rejects(open(root), (error) => {
    assert.ok(isServiceError(error) && error.code === 'schema_invalid', String(error));
    return /collection 'c'.*no-such\.yaml/.test(error.message);
  });
  assert.ok(!existsSync(join(root, 'accession.db')));
});

longTest('a process that cannot run is reported, and the next start adopts the store', async (t) => {
  const root = storeToAdopt(t);
  const { NODE_OPTIONS } = process.env;
  process.env.NODE_OPTIONS = '--require=/no-such-file.cjs';
  try {
    await assert.rejects(open(root), { code: 'storage_failed', message: /has ended \(status 1\)/ });
  } finally {
    if (NODE_OPTIONS === undefined) delete process.env.NODE_OPTIONS;
    else process.env.NODE_OPTIONS = NODE_OPTIONS;
  }
  await open(root);
  assert.deepEqual(rowsOf(root, COUNT), [[3]]);
});
