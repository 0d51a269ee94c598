import assert from 'node:assert/strict';
import { test } from 'node:test';
import { yielder } from './yield.ts';

test('others have their turn between any two slices of long work, however much there is', async () => {
  const turns: string[] = [];
  let other = setImmediate(function goOn() {
    turns.push('other');
    other = setImmediate(goOn);
  });
  const work = async (name: string) => {
    const yieldIfDue = yielder();
    for (let slice = 0; slice < 4; slice++) {
      const end = performance.now() + 15;
      while (performance.now() < end);
      await yieldIfDue();
      turns.push(name);
    }
  };
  await Promise.all(['a', 'b', 'c'].map(work));
  clearImmediate(other);
  assert.equal(turns.filter((turn) => turn !== 'other').length, 12);
  const crowded = turns.filter((turn, at) => at > 0 && turn !== 'other' && turns[at - 1] !== 'other');
  assert.deepEqual(crowded, []);
});

test('those who wait for one result go on one after the other if the turn that has found it was long', async () => {
  let slices = 0;
  let most = 0;
  let other = setImmediate(function goOn() {
    slices = 0;
    other = setImmediate(goOn);
  });
  const spin = (milliseconds: number) => {
    for (const end = performance.now() + milliseconds; performance.now() < end; );
  };
  const result = Promise.withResolvers<void>();
  const reader = async () => {
    await result.promise;
    const yieldIfDue = yielder();
    await yieldIfDue();
    spin(4);
    most = Math.max(most, ++slices);
  };
  const readers = Array.from({ length: 20 }, reader);
  yielder();
  spin(15);
  result.resolve();
  await Promise.all(readers);
  clearImmediate(other);
  assert.ok(most <= 2, `${most} slices in one turn`);
});
