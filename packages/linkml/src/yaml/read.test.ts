/** Reads and refuses like PyYAML 6: each value equals that of `safe_load`, dates as `isoformat` writes them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { canonicalJson, parseJson } from '../json.ts';
import { readYaml, YamlError } from './read.ts';

const READ: readonly (readonly [name: string, yaml: string, json: string])[] = [
  ['lines in quotes without indentation', "a:\n  - 'x\n  y'\n", '{"a": ["x y"]}'],
  ['the same below a comment', "a:\n  # c\n  - 'x\n  y'\n", '{"a": ["x y"]}'],
  ['brackets that end at the left margin', 'a:\n  b: [x,\ny]\n', '{"a": {"b": ["x", "y"]}}'],
  ['a bracket on a line with less indentation', 'a:\n  b: [\n  x\n]\n', '{"a": {"b": ["x"]}}'],
  ['braces that end at the left margin', 'a:\n  b: {x: 1,\ny: 2}\n', '{"a": {"b": {"x": 1, "y": 2}}}'],
  ['double quotes that end at the left margin', 'a:\n  b: "x\ny"\n', '{"a": {"b": "x y"}}'],
  ['a comment without a blank behind a quote or bracket', 'a: "x"#c\nb: [y]#c\n', '{"a": "x", "b": ["y"]}'],
  [
    'strings in several lines',
    'a: x\n  y\n\n  z\nb: \'x\n\n  y\'\nc: "x \\\n  y\\n\\\n  z"\n',
    '{"a": "x y\\nz", "b": "x\\ny", "c": "x y\\nz"}',
  ],
  [
    'literal and folded strings',
    'a: |\n  x\n   y\n\n  z\nb: >-\n  x\n  y\n\n  z\n   w\nc: |+\n  x\n\nd: |2-\n   x\n',
    '{"a": "x\\n y\\n\\nz\\n", "b": "x y\\nz\\n w", "c": "x\\n\\n", "d": " x"}',
  ],
  ['a literal string at the left of its tag', '- !!str\n  |\n  x\n- a\n', '["x\\n", "a"]'],
  [
    'lists as far to the left as their key',
    'a:\n- x\n- - y\n  - z\n-\n  k: v\nb: 1\n',
    '{"a": ["x", ["y", "z"], {"k": "v"}], "b": 1}',
  ],
  ['keys in long form', '? a\n: b\n? c\n? |\n  d\n: - e\n', '{"a": "b", "c": null, "d\\n": ["e"]}'],
  [
    'mappings in brackets',
    '[a: b, {c, d: , ? e : f}, [g,]]\n',
    '[{"a": "b"}, {"c": null, "d": null, "e": "f"}, ["g"]]',
  ],
  [
    'colons and question marks in values',
    'a: x:y\nb: [x:y, \'z\':w, "q" : r]\nc: ?x\n',
    '{"a": "x:y", "b": ["x:y", {"z": "w"}, {"q": "r"}], "c": "?x"}',
  ],
  [
    'anchors, aliases and merged mappings',
    'a: &x {k: 1, l: 2}\nb: *x\nc: {<<: *x, l: 3}\nd: {<<: [{m: 1}, *x], k: 9}\n&y e: &z\nf: [*y, *z]\n',
    '{"a": {"k": 1, "l": 2}, "b": {"k": 1, "l": 2}, "c": {"k": 1, "l": 3}, "d": {"k": 9, "l": 2, "m": 1}, "e": null, "f": ["e", null]}',
  ],
  [
    'several merged mappings, of which the last key wins, and the first one of a list',
    'a: &a {x: 1, y: 2}\nb: &b {x: 3, z: 4}\nc: {<<: [*a, *b], w: 1}\nd: {q: 1, <<: *a, <<: *b, z: 9}\n',
    '{"a": {"x": 1, "y": 2}, "b": {"x": 3, "z": 4}, "c": {"w": 1, "x": 1, "y": 2, "z": 4}, "d": {"q": 1, "x": 3, "y": 2, "z": 9}}',
  ],
  [
    'tags',
    "a: !!str 5\nb: !!int '5'\nc: !!float 5\nd: ! '5'\ne: !!str\nf: !!map {x: !!seq [1]}\n",
    '{"a": "5", "b": 5, "c": 5.0, "d": 5, "e": "", "f": {"x": [1]}}',
  ],
  [
    'directives and the marks of a document',
    '%YAML 1.1\n%TAG !y! tag:yaml.org,2002:\n--- # c\na: !y!str 5\n...\n# c\n',
    '{"a": "5"}',
  ],
  ['line breaks of other systems', "a: 'x\r\n  y'\r\nb: z\u2028  w\r\n", '{"a": "x y", "b": "z\u2028w"}'],
  [
    'a value below its tag and anchor',
    'a: &x !!map\n  b: 1\nc: &y\n- *x\n',
    '{"a": {"b": 1}, "c": [{"b": 1}]}',
  ],
  [
    'dates, times and sexagesimal numbers',
    'a: 2020-01-01\nb: 2020-01-01 10:11:12\nc: 1:30\nd: 0o17\ne: 017\n',
    '{"a": "2020-01-01", "b": "2020-01-01T10:11:12", "c": 90, "d": "0o17", "e": 15}',
  ],
];

for (const [name, yaml, json] of READ) {
  test(`YAML is read as PyYAML reads it: ${name}`, () => {
    assert.equal(canonicalJson(readYaml(yaml)), canonicalJson(parseJson(json)));
  });
}

const REFUSED = [
  'a: b\n\tc: d',
  'a:\tb',
  'a: b: c',
  'a: - b',
  '- a\nb: 1',
  'a: b\n  c: d',
  '{a\n: b}',
  '[a b\nc: d]',
  '[a ? b]',
  '{a: [b]c}',
  '"a":b',
  '--- a: b',
  'a: |x\n  b',
  '&a *a',
  'a: &x 1\nb: &x 2',
  'a: 1\n...\nb',
  '---\n---',
  '[1, 2]: x',
  '<<: x',
  '!foo a',
  'a: !!int x',
  'a: 2020-13-01',
  'a: .inf',
  '"\\q"',
  "'x",
  '[x',
  "a: 'x\n---\ny'",
  'a: %b',
  'a: @b',
  'a: \u0007',
  'a: !!%zz x',
  'a: !%e0 [x]',
  '!!map% {a: b}',
];

test('what PyYAML refuses is refused', () => {
  for (const yaml of REFUSED) assert.throws(() => readYaml(yaml), YamlError, yaml);
});

test('aliases are copies, so a change of one value is none of the other', () => {
  const value = readYaml('a: &x [1]\nb: *x') as { a: unknown[]; b: unknown[] };
  value.a.push(2);
  assert.deepEqual(value.b, [1]);
});
