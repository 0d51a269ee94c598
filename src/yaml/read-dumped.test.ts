/** The fast reader is either right or not sure. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { canonicalJson, type JsonObject, type JsonValue, parseJson } from '../json.ts';
import { readAnyYaml, readYaml, type YamlOptions } from './read.ts';
import { readDumped } from './read-dumped.ts';
import { writeYaml } from './write.ts';

const NASTY = [
  'no',
  '1e3',
  '0x1F',
  '~',
  ' a',
  'a ',
  'a: b',
  'a #b',
  '- x',
  "it's",
  '"q"',
  'a\nb',
  '\n',
  '',
  '🚀',
  '\x85',
  '\t',
];
const text = fc.oneof(
  fc.constantFrom(...NASTY),
  fc.string({ unit: 'grapheme' }),
  fc
    .array(fc.constantFrom('word', 'another', "don't", 'x:y', '#z'), { maxLength: 40 })
    .map((words) => words.join(' ')),
);
const value: fc.Arbitrary<JsonValue> = fc.letrec<{ any: JsonValue }>((tie) => ({
  any: fc.oneof(
    { maxDepth: 4 },
    text,
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('any'), { maxLength: 4 }),
    fc.dictionary(text, tie('any'), { maxKeys: 4 }),
  ),
})).any;

test('what was dumped is read as it was, or left to the other reader', () => {
  const property = fc.property(fc.dictionary(text, value, { maxKeys: 5 }), (object) => {
    const plain = parseJson(canonicalJson(object as JsonObject)) as JsonObject;
    const read = readDumped(writeYaml(plain));
    if (read !== undefined) assert.equal(canonicalJson(read), canonicalJson(plain));
  });
  fc.assert(property, { numRuns: 2000 });
});

test('an everyday record needs no other reader', () => {
  const record = {
    annotations: { 'ex:by': 'jane@example.org' },
    description: `A long text, ${'folded over many lines, '.repeat(10)}and at its end.`,
    keywords: ['one', 'two: three', '2024-01-01', "it's"],
    nothing: [],
    pid: 'ex:a',
    relations: { 'ex:b': { pid: 'ex:b', schema_type: 'ex:Thing' } },
    steps: [
      { name: 'first', n: 1 },
      { name: 'second\nline', n: 2.5 },
    ],
  };
  assert.deepEqual(readDumped(writeYaml(record)), record);
});

const BY_HAND: readonly string[] = [
  'a: 1 # one\n',
  '# head\na: 1\n',
  'a: |\n  text\n',
  'a: >-\n  folded\n  text\n',
  'a: &x {b: 1}\nc: *x\n',
  'a: [1, 2]\n',
  '---\na: 1\n',
  'a: 1\n...\n',
  'a:\n\n  b: 1\n',
  'a:   1\n',
  'a:\n- 1\n\n- 2\n',
  'a: "x\n  y"\n',
  "a: 'x\n\n  y'\n",
  'a: plain\n  text # comment\n',
  '? a\n: b\n',
  'a: !!str 5\n',
  'a:\n    b: 1\n    c: 2\n',
  '- a: 1\n  b: 2\n-   c\n',
  'a: x\nb\n',
  'a:\n  - 1\n  - b: 2\n    c: 3\n',
  'a: "\\x41\\u0042\\\n  c"\n',
  'a: b: c\n',
  'a:\tb\n',
  'a: "unclosed\n',
  '<<: {a: 1}\nb: 2\n',
  'a',
  '',
  'a: 1',
];

for (const source of BY_HAND) {
  test(`${JSON.stringify(source)} means the same to both readers`, () => {
    const fast = readDumped(source);
    if (fast !== undefined) assert.deepEqual(fast, readAnyYaml(source));
  });
}

/** What the fast reader must leave to the other one, for each decision of the caller. */
const DECIDED: readonly (readonly [source: string, options: YamlOptions])[] = [
  ['a: 1\na: 2\n', { duplicateKeys: 'refuse' }],
  ['? a\n: 1\na: 2\n', { duplicateKeys: 'refuse' }],
  ['a:\n  b: 1\n  b: 2\n', { duplicateKeys: 'refuse' }],
  ['true: 1\n', { otherKeys: 'python' }],
  ['1.50: 1\n', { otherKeys: 'python' }],
  ['? 12\n: 1\n', { otherKeys: 'refuse' }],
  ['null: 1\n', { otherKeys: 'refuse' }],
  ['2024-01-01: 1\n', { dates: 'refuse' }],
  ['a:\n- 2024-01-01\n', { dates: 'refuse' }],
  ["a: '2024-01-01'\nb: 2\n", { duplicateKeys: 'refuse', otherKeys: 'refuse', dates: 'refuse' }],
];

for (const [source, options] of DECIDED) {
  test(`${JSON.stringify(source)} is read as decided: ${JSON.stringify(options)}`, () => {
    const result = (read: typeof readYaml) => {
      try {
        return read(source, options);
      } catch (error) {
        return (error as Error).message;
      }
    };
    assert.deepEqual(result(readYaml), result(readAnyYaml));
  });
}

test('a schema as programs dump it needs no other reader', () => {
  const source = 'classes:\n  Thing:\n    slots:\n    - pid\nid: https://example.org/s\n';
  assert.notEqual(readDumped(source, { duplicateKeys: 'refuse', otherKeys: 'python' }), undefined);
});
