import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ArraySplitter } from './json-items.ts';

/** Arrays, their items, and whether they are whole. */
const CASES: readonly (readonly [text: string, items: readonly string[], isWhole: boolean])[] = [
  ['[]', [], true],
  [' [ ] ', [], true],
  ['[1,]', ['1', ''], true],
  ['[1,,2]', ['1', '', '2'], true],
  ['[{"a":"],[\\"x\\\\"},[1,[2]],"q"]', ['{"a":"],[\\"x\\\\"}', '[1,[2]]', '"q"'], true],
  ['["a\\\\","b\\""]', ['"a\\\\"', '"b\\""'], true],
  ['[1] x', ['1'], false],
  ['[1}', ['1'], false],
  ['["a]', [], false],
  ['[{"a":1}', [], false],
];

for (const [text, items, isWhole] of CASES)
  test(`the items of ${text} are the same in chunks of any length`, () => {
    for (const length of [1, 2, 3, text.length]) {
      const splitter = new ArraySplitter();
      const found: string[] = [];
      for (let at = 0; at < text.length; at += length)
        found.push(...splitter.split(text.slice(at, at + length)));
      assert.deepEqual([found, splitter.isWhole], [items, isWhole], `${length}`);
    }
  });
