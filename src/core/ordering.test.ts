import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { First, inOrder } from './ordering.ts';

const byNumber = (a: number, b: number) => a - b;

test('the first ones are those of the sorted list, and the last of them gives its place to others', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.integer({ max: 50 })), fc.nat({ max: 60 }), async (numbers, most) => {
      const first = new First(most, byNumber);
      for (const number of numbers) first.add(number);
      const expected = [...numbers].sort(byNumber).slice(0, most);
      assert.deepEqual(await first.sorted(async () => {}), expected);
      assert.deepEqual([...first.items].sort(byNumber), expected);
      assert.equal(first.last, expected.length < most ? undefined : expected.at(-1));
    }),
  );
});

test('many are sorted in turns', async () => {
  const numbers = Array.from({ length: 4321 }, (_, at) => (at * 7919) % 1000);
  let turns = 0;
  const sorted = await inOrder(numbers, byNumber, async () => {
    turns += 1;
  });
  assert.deepEqual(sorted, [...numbers].sort(byNumber));
  assert.ok(turns > 4, `${turns}`);
  assert.deepEqual(await inOrder([], byNumber, async () => {}), []);
});
