import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Repeated } from './repeated.ts';

test('every string that occurs twice is found, and few others', () => {
  const repeated = new Repeated(10_000);
  for (let n = 0; n < 10_000; n++) {
    repeated.add(`once ${n}`);
    if (n % 100 === 0) for (const _ of [1, 2]) repeated.add(`twice ${n}`);
  }
  const found = (word: string) => Array.from({ length: 10_000 }, (_, n) => repeated.has(`${word} ${n}`));
  assert.ok(found('twice').every((isFound, n) => isFound || n % 100 !== 0));
  const wrong = found('once').filter(Boolean).length;
  assert.ok(wrong < 1_500, `${wrong} of 10,000 strings that occur once`);
});
