import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { anyCharacter } from '../../test/any-character.ts';
import { canonicalJson, type JsonObject, type JsonValue, parseJson } from '../json.ts';
import { readYaml, YamlError } from './read.ts';
import { writeYaml } from './write.ts';

/** JSON text → what PyYAML 6 writes for it (`dump(sort_keys=True, allow_unicode=True, default_flow_style=False)`). */
const ROWS: readonly (readonly [name: string, json: string, yaml: string])[] = [
  ['plain texts', '{"pid":"ex:a","name":"Älter 漢 😀"}', 'name: Älter 漢 😀\npid: ex:a\n'],
  [
    'texts that look like something else',
    '{"a":"yes","b":"12","c":"","d":"null","e":"2020-01-01","f":"=","g":"1e5","h":"0o7"}',
    "a: 'yes'\nb: '12'\nc: ''\nd: 'null'\ne: '2020-01-01'\nf: '='\ng: 1e5\nh: 0o7\n",
  ],
  [
    'marks of YAML',
    '{"a":"x: y","b":"#x","c":"a #b","d":"it\'s","e":"\'q"}',
    "a: 'x: y'\nb: '#x'\nc: 'a #b'\nd: it's\ne: '''q'\n",
  ],
  [
    'numbers',
    '{"a":5.0,"b":1e21,"c":12345678901234567890,"d":0.00001,"e":-0.5}',
    'a: 5.0\nb: 1.0e+21\nc: 12345678901234567890\nd: 1.0e-05\ne: -0.5\n',
  ],
  [
    'lists and mappings',
    '{"l":[1,[2],{"x":[],"y":{}}],"m":{"n":null,"o":true}}',
    'l:\n- 1\n- - 2\n- x: []\n  y: {}\nm:\n  n: null\n  o: true\n',
  ],
  ['line breaks', '{"a":"x\\ny\\n","b":"x \\ny"}', 'a: \'x\n\n  y\n\n  \'\nb: "x \\ny"\n'],
  [
    'control characters',
    '{"a":"\\u0000\\u001b\\t\\"\\\\😀\\ufeff"}',
    'a: "\\0\\e\\t\\"\\\\\\U0001F600\\uFEFF"\n',
  ],
  [
    'long texts are folded',
    `{"a":"${'word '.repeat(20)}end","b":"${'x: '.repeat(30)}end"}`,
    `a: ${'word '.repeat(15)}word\n  ${'word '.repeat(4)}end\nb: '${'x: '.repeat(25)}x:\n  ${'x: '.repeat(4)}end'\n`,
  ],
  ['long keys', `{"${'k'.repeat(123)}":[1]}`, `? ${'k'.repeat(123)}\n: - 1\n`],
];

for (const [name, json, yaml] of ROWS) {
  test(`YAML is what PyYAML writes, and reads back: ${name}`, () => {
    assert.equal(writeYaml(parseJson(json) as JsonObject), yaml);
    assert.equal(
      canonicalJson(readYaml(yaml)),
      canonicalJson(parseJson(json)).replace('1e21', '1e+21').replace('0.00001', '1e-05'),
    );
  });
}

test('every record reads back as it was written', () => {
  const text = fc.oneof(
    fc.string({ unit: anyCharacter }),
    fc.string({ unit: fc.constantFrom('a', ' ', '\n', ':', '#', "'", '-', 'é', '\u2028') }),
  );
  const { tree } = fc.letrec<{ tree: JsonValue }>((tie) => ({
    tree: fc.oneof(
      { maxDepth: 3 },
      text,
      fc.integer(),
      fc.boolean(),
      fc.constant(null),
      fc.array(tie('tree'), { maxLength: 4 }),
      fc.dictionary(text, tie('tree'), { maxKeys: 4 }),
    ),
  }));
  fc.assert(
    fc.property(fc.dictionary(text, tree, { maxKeys: 5 }), (record) => {
      assert.equal(canonicalJson(readYaml(writeYaml(record))), canonicalJson(record));
    }),
    { numRuns: 2000 },
  );
});

test('scalars without quotes have the meaning of YAML 1.1', () => {
  const value = readYaml(
    '{a: Off, b: 0x1f, c: 012, d: 1_000, e: 12:30, f: ~, g: .5, h: 2020-01-01, i: 1.0e+3, j: 1e3}',
  );
  assert.equal(
    canonicalJson(value),
    '{"a":false,"b":31,"c":10,"d":1000,"e":750,"f":null,"g":0.5,"h":"2020-01-01","i":1000.0,"j":"1e3"}',
  );
});

for (const [name, text] of [
  ['a string that is not YAML', 'a: 1\nb: [\n'],
  ['an alias of nothing', 'a: *x\nb: &x 1\n'],
  ['an alias of what it stands in', 'a: &x\n  b: *x\n'],
] as const) {
  test(`${name} is refused`, () => {
    assert.throws(
      () => readYaml(text),
      (error) => error instanceof YamlError,
    );
  });
}
