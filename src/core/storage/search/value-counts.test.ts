import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ValueCounts } from './value-counts.ts';

const OPTIONS = { most: 50_000, identity: (text: string) => text, isKept: () => false };

/** Different values of some characters, every hundredth of two records. */
function countsOf(values: number, characters: number): ValueCounts {
  const counts = new ValueCounts('slot', OPTIONS);
  counts.beginLast();
  for (let at = 0; at < values; at++)
    counts.add(`${at} `.padEnd(characters, 'x'), at, at % 100 === 0 ? 2 : 1);
  return counts;
}

test('of values that are too many, or too long together, those of few records are left out', () => {
  for (const [values, characters] of [
    [120_000, 10],
    [20_000, 1_000],
  ] as const) {
    const { isCut, mostLeftOut, values: kept } = countsOf(values, characters);
    assert.deepEqual([isCut, mostLeftOut], [true, 1]);
    assert.equal([...kept.values()].filter(({ count }) => count === 2).length, values / 100);
    assert.ok(kept.size < values / 2, `${kept.size}`);
  }
  const all = countsOf(15_000, 1_000);
  assert.deepEqual([all.isCut, all.mostLeftOut, all.values.size], [false, 0, 15_000]);
});
