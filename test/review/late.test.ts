/** Decisions of another instance whose ids are less than those that were seen before: their commits came later. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DECISION } from '../../src/review/ledger-rows.ts';
import { Review } from '../../src/review/review.ts';
import { REVIEWER, testWorld } from './world.ts';

const BY = { committer: 'cora', author: 'cora', role: 'curator' } as const;

test('a decision that is committed after a later one is in the next answer, and answers of the same state have one tag', async (t) => {
  const world = await testWorld(t);
  const { curated } = world;
  const other = new Review({ ...world.parts, shared: true });
  t.after(() => other.close());
  const total = async () =>
    (await other.queue({}, { by: 'pid', reverse: false }, { page: 1, size: 10 })).total;
  const reject = async (pid: string) => {
    const { digest } = await world.review.item('ann', pid);
    const decision = { label: 'ann', pid, digest, decision: 'reject', reason: 'no' };
    return (await world.review.decide(decision, REVIEWER)).id;
  };
  await world.submit('ann', { pid: 'ex:ada', name: 'Ada' });
  await world.submit('ann', { pid: 'ex:bob', name: 'Bob' });
  assert.equal(await total(), 2);
  // As if it had not been committed yet.
  const id = await reject('ex:ada');
  const late = await curated.ledger.get(DECISION, id);
  assert.ok(late);
  await curated.write([], BY, [{ remove: { kind: DECISION, id } }]);
  await reject('ex:bob');
  assert.equal(await total(), 1);
  await curated.write([], BY, [{ set: late }]);
  assert.equal(await total(), 0);
  const tag = await other.version();
  assert.equal(await total(), 0);
  assert.equal(await other.version(), tag);
});
