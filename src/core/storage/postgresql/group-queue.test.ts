/** Which transactions share a commit. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Transaction } from '../database.ts';
import { GroupQueue } from './group-queue.ts';

const writing = (name: string): Transaction => ({ checks: [], steps: [{ sql: name, values: [] }] });
const deriving = (id: number): Transaction => ({
  checks: [],
  steps: [{ area: { id, path: 'a' }, derived: { of: 'texts', span: { from: 1, to: 64 } } }],
});

test('a group derives rows once, and what else waits does not wait for more of them', async () => {
  const groups: (readonly Transaction[])[] = [];
  const queue = new GroupQueue(async (group) => {
    groups.push(group);
    return group.map(() => ({ revisions: [] }));
  });
  const [a, b] = [writing('a'), writing('b')];
  const [first, second, third] = [deriving(1), deriving(2), deriving(3)];
  await Promise.all([first, a, second, third, b].map((one) => queue.commit(one)));
  assert.deepEqual(groups, [[first, a, b], [second], [third]]);
});

test('a group ends with the transaction that makes it long', async () => {
  const groups: (readonly Transaction[])[] = [];
  const queue = new GroupQueue(async (group) => {
    groups.push(group);
    return group.map(() => ({ revisions: [] }));
  });
  const long: Transaction = { checks: [], steps: Array.from({ length: 1000 }, () => writing('a').steps[0]!) };
  await Promise.all([writing('a'), long, writing('b')].map((one) => queue.commit(one)));
  assert.deepEqual(
    groups.map(({ length }) => length),
    [2, 1],
  );
});
