/** How many dry runs of schema changes there may be at once. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BEFORE, RENAMED } from '../../../test/support/schemas.ts';
import { emptyStores, storesOf } from '../../../test/support/stores.ts';
import { isServiceError } from '../../core/errors.ts';
import { DryRuns } from './dry-runs.ts';

test('a user has two dry runs in progress at most, and one that runs is never removed for others', async (t) => {
  const stores = await emptyStores(t, 'sqlite', BEFORE);
  const { schema: to } = await storesOf(stores.database, RENAMED, '/two.yaml');
  const runs = new DryRuns();
  const start = (by: string) => runs.start({ stores, to, by });
  const started = Array.from({ length: 12 }, (_, n) => start(`user ${n >> 1}`));
  assert.throws(
    () => start('user 0'),
    (error: unknown) => isServiceError(error) && error.code === 'too_many_requests',
  );
  for (const { id, state } of started) {
    assert.equal(state, 'running');
    assert.ok(runs.get(stores.name, id));
  }
  await Promise.all(started.map(({ done }) => done));
  const last = start('user 0');
  assert.ok(runs.get(stores.name, last.id));
  const kept = started.filter(({ id }) => runs.get(stores.name, id));
  assert.equal(kept.length, 8, 'of those that have ended, the last ones are kept');
  await last.done;
});
