import assert from 'node:assert/strict';
import { test } from 'node:test';
import { below, edgeAbove } from './doubles.ts';

test('a number of a few digits is found again from the greatest double below it, and from no other', () => {
  for (const edge of [2, 0.3, -1.5, 1e9, 123456.789, 0])
    assert.equal(edgeAbove(String(below(edge))), String(edge));
  for (const text of ['2', '1.5', '1.9999', '1.99999999999', '2.0000000000000004', '-0', 'text', ''])
    assert.equal(edgeAbove(text), undefined, text);
});
