/** A review whose stores are away for a moment, as a database that restarts is. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ServiceError } from '../../src/errors.ts';
import type { RecordStore } from '../../src/storage/store.ts';
import { REVIEWER, testWorld } from './world.ts';

const isAway = (error: unknown) => error instanceof ServiceError && error.code === 'storage_unavailable';

/** Stores whose reads fail while their label is in a set. */
function absent(away: ReadonlySet<string>) {
  return (label: string, store: RecordStore): RecordStore => {
    const require = () => {
      if (away.has(label)) throw new ServiceError('storage_unavailable', 'The database is not available.');
    };
    return {
      ...store,
      async revision() {
        require();
        return store.revision();
      },
      ledger: {
        ...store.ledger,
        async list(query) {
          require();
          return store.ledger.list(query);
        },
      },
    };
  };
}

test('a review that is first used while its database is away works as soon as the database is back', async (t) => {
  const away = new Set<string>();
  const { review, submit } = await testWorld(t, { wrap: absent(away) });
  await submit('ann', { pid: 'ex:ada', name: 'Ada' });
  away.add('');
  await assert.rejects(review.item('ann', 'ex:ada'), isAway);
  away.clear();
  assert.equal((await review.item('ann', 'ex:ada')).pid, 'ex:ada');
});

test('a submission whose zone is away is not missing', async (t) => {
  const away = new Set<string>();
  const { review, submit } = await testWorld(t, { wrap: absent(away) });
  await submit('ann', { pid: 'ex:ada', name: 'Ada' });
  const { digest } = await review.item('ann', 'ex:ada');
  away.add('ann');
  await submit('ann', { pid: 'ex:bob', name: 'Bob' });
  const decision = { label: 'ann', pid: 'ex:bob', digest, decision: 'reject', reason: 'no' };
  await assert.rejects(review.item('ann', 'ex:bob'), isAway);
  await assert.rejects(review.decide(decision, REVIEWER), isAway);
  await assert.rejects(review.submission('ann', 'ex:bob', { readCurated: true }), isAway);
  await assert.rejects(review.submissions('ann', {}, { readCurated: true }, { page: 1, size: 10 }), isAway);
  away.clear();
  assert.equal((await review.item('ann', 'ex:bob')).pid, 'ex:bob');
});
