/** A collection that is set again while requests are in its former run: both have the index of its queue open. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { Review } from '../../src/review/review.ts';
import { REVIEWER, testWorld } from './world.ts';

const PAGING = { page: 1, size: 10 };
const SORT = { by: 'pid', reverse: false } as const;

function indexFile(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'accession-replaced-'));
  t.after(() => rmSync(folder, { recursive: true }));
  return join(folder, 'queue.db');
}

test('requests in the former run of a collection do not change the index of its new schema', async (t) => {
  const world = await testWorld(t, { indexFile: indexFile(t) });
  const tagged = (name: string) => ({ pid: `ex:${name}`, name, annotations: { 'other:by': 'ann' } });
  await world.submit('ann', tagged('ada'));
  await world.review.queue({}, SORT, PAGING);
  // The tags are part of what digests are made with, as the schema is.
  const parts = { ...world.parts, tags: { submitterId: 'other:by', submissionTime: 'other:at' } };
  const next = new Review(parts);
  await next.queue({}, SORT, PAGING);
  await world.submit('ann', tagged('bob'));
  await world.review.queue({}, SORT, PAGING).catch(() => {});
  await world.review.item('ann', 'ex:bob').catch(() => {});
  const fresh = new Review({ ...parts, indexFile: ':memory:' });
  const digests = async (review: Review) =>
    (await review.queue({}, SORT, PAGING)).items.map(({ pid, digest }) => `${pid} ${digest}`);
  assert.deepEqual(await digests(next), await digests(fresh));
  await next.close();
  await fresh.close();
});

test('a decision that is made in the former run changes the entity tag of the queue', async (t) => {
  const world = await testWorld(t, { indexFile: indexFile(t) });
  await world.submit('ann', { pid: 'ex:ada', name: 'Ada' });
  const { digest } = await world.review.item('ann', 'ex:ada');
  const next = new Review(world.parts);
  const total = async () => (await next.queue({}, SORT, PAGING)).total;
  assert.equal(await total(), 1);
  const before = await next.version();
  const decision = { label: 'ann', pid: 'ex:ada', digest, decision: 'reject', reason: 'no' };
  await world.review.decide(decision, REVIEWER);
  assert.equal(await total(), 0);
  assert.notEqual(await next.version(), before);
  await next.close();
});
