import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listening } from '../../../test/cli/service.ts';
import { person } from '../../../test/support/people.ts';
import { connect } from '../../client/client.ts';
import { review, submissions } from './client.ts';

test('the client reads the queue, decides, and shows submitters what was decided', async (t) => {
  const { url } = await listening(t);
  const [ann, cur] = ['ann', 'cur'].map((token) => connect({ url, token }).collection('lab'));
  await ann!.put('Person', person('ada'));
  const queue = cur!.use(review);
  const { items, total } = await queue.list();
  assert.equal(total, 1);
  assert.equal((await queue.summary()).by_label.ann, 1);
  const { label, pid, digest } = items[0]!;
  await ann!.use(submissions).comment(pid, 'Please take it.');
  assert.equal((await queue.item(label, pid)).comments[0]?.text, 'Please take it.');
  const decision = await queue.decideOne({ label, pid, digest, decision: 'reject', reason: 'twice' });
  const own = await ann!.use(submissions).list({ status: 'rejected' });
  assert.equal(own.items[0]?.reason, 'twice');
  assert.equal(own.counts.rejected, 1);
  await queue.undo(decision.id);
  assert.equal((await queue.decisions()).items[0]?.undone?.reviewer, 'cur@example.org');
  assert.equal((await ann!.use(submissions).item(pid)).status, 'waiting');
});
