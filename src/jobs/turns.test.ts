import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sortInTurns } from './turns.ts';

const byKey = (a: { key: number }, b: { key: number }) => a.key - b.key;

test('an array is sorted in turns as it is at once, and equal items keep their order', async () => {
  for (const length of [0, 1, 1023, 1024, 1025, 3 * 1024, 50_000]) {
    const items = Array.from({ length }, (_, n) => ({ key: (n * 7919) % 997, n }));
    assert.deepEqual(await sortInTurns(items, byKey), items.toSorted(byKey), String(length));
  }
});

test('others have their turn while many items are sorted', async () => {
  let turns = 0;
  const count = setInterval(() => turns++, 0);
  const slow = (a: { key: number }, b: { key: number }) => {
    for (let i = 0; i < 500; i++) Math.sqrt(i);
    return byKey(a, b);
  };
  await sortInTurns(
    Array.from({ length: 100_000 }, (_, n) => ({ key: (n * 7919) % 99_991 })),
    slow,
  );
  clearInterval(count);
  assert.ok(turns > 5, `${turns} turns`);
});
