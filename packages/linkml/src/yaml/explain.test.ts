/** Messages about invalid YAML: they have the position, and no words from inside of a parser. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readYaml } from './read.ts';

const ROWS: readonly (readonly [string, RegExp])[] = [
  ['a: [1, 2\nb: 3', /^line 1, column 4: not valid YAML: a list that starts with '\[' has no '\]'/],
  ['a: {x: 1', /^line 1, column 4: .*a mapping that starts with '\{' has no '\}'/],
  ['a: b: c', /^line 1, column 5: .*a second ': ' is on one line; put the value in quotes/],
  ['"abc', /a string in quotes has no closing quote$/],
  ['a: "\\q"', /unknown escape/],
  ['a: b\n\tc: d', /^line 2, column 1: .*found a tab; use spaces$/],
  ['a:\tb', /^line 1, column 3: .*found a tab; use spaces$/],
  ['a:\n  - b\n c: 1', /^line 3, column 2: .*the indentation differs/],
  ['x: @a', /a value that starts with '@' or '`' has to be in quotes$/],
  ['%YAML 3\n---\na: 1', /the version of YAML is not supported, expected 1\.1 or 1\.2$/],
  ['- a\nb: 1', /^line 2, column 1: .*unexpected text; check the quotes, commas and indentation before it$/],
  ['a\nb: 1', /a key, or the colon after it, is missing/],
  ['a: [,]', /a comma has no value before it$/],
  ['a: &a &b 1', /a value has two anchors$/],
  ['a: *', /expected a name after '\*'$/],
  ['a: &x 1\nb: &x 2', /the anchor &x occurs twice$/],
  ['a: - b', /'-' has to start a line of its own$/],
  ['a: "\u0007"', /found a control character; escape it in double quotes$/],
  ['['.repeat(3000), /the values are nested too deeply$/],
  ['x: &a [*a]', /found an alias without a value with this anchor before it$/],
  [
    `a: &a [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]\n${'bcdefgh'.replace(/./g, (key, at) => `${key}: &${key} [${`*${'abcdefgh'[at]}, `.repeat(10)}]\n`)}`,
    /^aliases expand to more than 1,000,000 values$/,
  ],
];

for (const [yaml, message] of ROWS) {
  test(`${JSON.stringify(yaml.slice(0, 30))} is explained in plain words`, () => {
    assert.throws(
      () => readYaml(yaml),
      (error: Error) => {
        assert.match(error.message, message);
        assert.doesNotMatch(error.message, /scalar|token|implicit|flow|compact|node|stack/i);
        return true;
      },
    );
  });
}
