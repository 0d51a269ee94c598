import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openElements, openFiles, warningsOf } from '../test/open-schema.ts';

test('a schema that contradicts itself is refused with the element, and with what may be meant', async () => {
  const rows: readonly (readonly [string, RegExp])[] = [
    [
      'classes: {A: {is_a: B}, B: {is_a: C}, C: {is_a: A}}',
      /Classes inherit from each other in a cycle: A → B → C → A/,
    ],
    ['slots: {a: {is_a: b}, b: {is_a: a}}', /Slots inherit from each other in a cycle/],
    ['types: {A: {typeof: B}, B: {typeof: A}}', /Types inherit from each other in a cycle/],
    ['enums: {A: {inherits: [B]}, B: {inherits: [A]}}', /Enums inherit from each other in a cycle/],
    [
      'classes: {Person: {}, Student: {is_a: Persn}}',
      /class Student .* inherits from Persn.* Did you mean Person\?/,
    ],
    [
      'slots: {name: {}}\nclasses: {A: {slots: [nam]}}',
      /class A .* has the slot nam, .* Did you mean name\?/,
    ],
    [
      'classes: {A: {attributes: {a: {range: integr}}}}',
      /slot a of the class A has the range integr, .* Did you mean integer\?/,
    ],
    [
      'classes: {A: {attributes: {a: {pattern: "(a"}}}}',
      /slot a of the class A: the pattern \(a is not valid/,
    ],
  ];
  for (const [elements, message] of rows)
    await assert.rejects(openElements(elements), { code: 'schema_invalid', message }, elements);
});

test('what is wrong with a schema is reported at once, whatever it concerns', async () => {
  const elements = `classes: {A: {is_a: Nowhere, attributes: {one: {range: strin}, two: {range: integr}}}}
slots: {s: {is_a: t}}`;
  const problems = ['from Nowhere', 'from t', 'range strin', 'range integr'];
  await assert.rejects(openElements(elements), (error: { problems: { msg: string }[] }) => {
    assert.equal(error.problems.length, problems.length);
    return error.problems.every(({ msg }, index) => msg.includes(problems[index]!));
  });
});

test('a missing import is reported with the importing file and the location that was tried', async () => {
  const files = { 'schema.yaml': 'id: https://example.org/a\nname: a\nimports: [linkml:types, ./lost]' };
  await assert.rejects(openFiles(files), {
    code: 'schema_invalid',
    message: /schema\.yaml imports \.\/lost, which does not exist \(looked for file:.*lost\.yaml/,
  });
});

test('an import that is not an address is reported as one that does not exist', async () => {
  const files = {
    'schema.yaml': 'id: https://example.org/a\nname: a\nimports: [linkml:types, "http://[::1"]',
  };
  await assert.rejects(openFiles(files), {
    code: 'schema_invalid',
    message: /imports http:\/\/\[::1, which/,
  });
});

test('messages repeat the beginning of long patterns, expressions, defaults and values', async () => {
  const long = 'x'.repeat(20_000);
  const schema = await openElements(`
classes:
  A:
    attributes:
      pattern: {pattern: "^${long}$"}
      lookaround: {pattern: "(?<=${long})y"}
      literal: {equals_string: ${long}}
      expression: {equals_expression: "open(${long})"}
      default: {range: integer, ifabsent: "int(${long})"}
`);
  const checked = schema.check('A', { pattern: 'a', lookaround: 'a', literal: 'a' });
  const problems = checked.valid ? [] : checked.problems.map(({ msg }) => msg);
  const messages = [...problems, ...warningsOf(schema)];
  assert.ok(messages.length >= 6, messages.join('\n').slice(0, 1000));
  for (const msg of messages) assert.ok(msg.length < 1500, msg.slice(0, 100));
});

test('files that import each other are one schema; the importing one wins', async () => {
  const schema = await openFiles({
    'schema.yaml':
      'id: https://example.org/a/\nname: a\nimports: [linkml:types, b]\nclasses: {A: {is_a: B}, Shared: {description: of a}}',
    'b.yaml':
      'id: https://example.org/b/\nname: b\nprefixes: {b: https://example.org/b/}\ndefault_prefix: b\nimports: [schema]\nclasses: {B: {attributes: {x: {range: integer}}}, Shared: {description: of b}}',
  });
  assert.deepEqual([...schema.classes.keys()], ['B', 'Shared', 'A']);
  assert.equal(schema.classes.get('Shared')?.description, 'of a');
  assert.match(
    warningsOf(schema).join(),
    /classes\.Shared of .*b\.yaml is replaced by that of .*schema\.yaml/,
  );
  assert.equal(schema.classes.get('B')?.uri, 'https://example.org/b/B');
  assert.equal(schema.classes.get('A')?.uri, 'https://example.org/a/A');
  assert.equal(schema.schemaType('B'), 'b:B');
});

test('induced slots: bounds get tighter, what is required stays required, mixins come before is_a', async () => {
  const schema = await openElements(`
slots:
  base: {range: integer, minimum_value: 1, required: true}
  n: {is_a: base}
classes:
  A: {slots: [n], slot_usage: {n: {minimum_value: 5}}}
  B: {is_a: A, mixins: [M], slot_usage: {n: {minimum_value: 3, required: false}}}
  M: {mixin: true, slot_usage: {n: {maximum_value: 9}}, attributes: {m: {range: integer}}}
  N: {attributes: {m: {}}}
  C: {is_a: N, mixins: [M]}
`);
  const slot = schema.classes.get('B')!.slots.get('n')!;
  assert.deepEqual([slot.required, slot.constraints], [true, { minimumValue: 5, maximumValue: 9 }]);
  assert.deepEqual(schema.classes.get('B')!.ancestors, ['B', 'M', 'A']);
  const range = schema.classes.get('C')!.slots.get('m')!.range;
  assert.equal(range.kind === 'type' && range.type.name, 'integer');
  assert.deepEqual(schema.descendants('M'), ['M', 'B', 'C']);
});

test('what is not enforced is reported with its element', async () => {
  const schema = await openElements(`
slots: {a: {implicit_prefix: ex, bindings: []}, b: {equals_expression: "open('x')"}}
classes: {Item: {slots: [a, b], classification_rules: [{is_a: Item}]}}
`);
  assert.match(warningsOf(schema).join('\n'), /slots\.a\.implicit_prefix is not supported/);
  assert.match(warningsOf(schema).join('\n'), /classes\.Item\.classification_rules is not supported/);
  assert.match(
    warningsOf(schema).join('\n'),
    /slot b of the class Item: the equals_expression .* is not enforced, because it calls open/,
  );
});

test('structured patterns take settings, of slots, types and branches', async () => {
  const schema = await openElements(`
settings: {num: "[0-9]+", unit: {setting_value: "(mm|cm)"}}
types: {Length: {typeof: string, structured_pattern: {syntax: "{num} {unit}", interpolated: true}}}
slots:
  a: {range: Length}
  b: {structured_pattern: {syntax: "{num}", interpolated: true, partial_match: true}}
  c: {any_of: [{structured_pattern: {syntax: "x{num}", interpolated: true}}, {equals_string: y}]}
classes: {Item: {slots: [a, b, c]}}
`);
  const valid = (record: Record<string, string>): boolean => schema.check('Item', record).valid;
  assert.deepEqual(
    [valid({ a: '12 mm' }), valid({ a: '12 mm ' }), valid({ b: 'a12b' }), valid({ b: 'a' })],
    [true, false, true, false],
  );
  assert.deepEqual([valid({ c: 'x1' }), valid({ c: 'y' }), valid({ c: 'x1y' })], [true, true, false]);
});

test('a pattern that no engine here can run is reported and not enforced', async () => {
  const schema = await openElements(
    'classes: {Item: {attributes: {a: {pattern: "^(a)?(?(1)b|c)$"}, b: {pattern: "^b++$"}}}}',
  );
  assert.match(
    warningsOf(schema).join(),
    /slot a of the class Item: the pattern .* is not enforced: the group \(\?\(1/,
  );
  assert.ok(schema.check('Item', { a: 'x', b: 'bb' }).valid);
  assert.ok(!schema.check('Item', { b: 'a' }).valid);
});

test('two thousand classes are opened', async () => {
  const classes = Array.from(
    { length: 2000 },
    (_, i) =>
      `  C${i}: {is_a: ${i < 20 ? 'Thing' : `C${Math.floor(i / 20)}`}, attributes: {a${i}: {range: C${i}}}}`,
  );
  const schema = await openElements(
    `classes:\n  Thing: {attributes: {pid: {identifier: true, range: uriorcurie}}}\n${classes.join('\n')}`,
  );
  assert.equal(schema.descendants('Thing').length, 2001);
  assert.ok(schema.check('C1999', { pid: 'ex:a', a1999: 'ex:b' }).valid);
});

test('the schemas of LinkML itself are built in', async () => {
  const schema = await openFiles({
    'schema.yaml': `
id: https://example.org/a
name: a
prefixes: {linkml: "https://w3id.org/linkml/"}
imports: [linkml:types, linkml:mappings, linkml:annotations, linkml:units]
default_curi_maps: [semweb_context, monarch_context]
classes:
  Thing: {mixins: [annotatable], slots: [exact mappings, unit], attributes: {pid: {identifier: true, range: uriorcurie}}}
`,
  });
  assert.equal(schema.expand('foaf:name'), 'http://xmlns.com/foaf/0.1/name');
  assert.match(warningsOf(schema).join(), /default_curi_maps: the map monarch_context is unknown/);
  const record = {
    pid: 'linkml:a',
    exact_mappings: ['skos:x'],
    unit: { symbol: 'm' },
    annotations: { 'linkml:b': { tag: 'linkml:b', value: [1] } },
  };
  assert.ok(schema.check('Thing', record).valid);
  assert.ok(
    !schema.check('Thing', { pid: 'linkml:a', unit: { derivation: 'm' } }).valid,
    'a unit needs a symbol or a code',
  );
});

test('ranges may be enums written in place, and branches may ask for objects of a kind', async () => {
  const schema = await openElements(`
classes:
  Item:
    attributes:
      size: {enum_range: {permissible_values: {small: , large: }}}
      inner: {range: Inner, inlined: true, any_of: [{range_expression: {slot_conditions: {a: {equals_string: x}}}}]}
      all:
        range: Inner
        multivalued: true
        inlined_as_list: true
        range_expression: {slot_conditions: {a: {equals_string: x}}}
  Inner: {attributes: {a: {}}}
`);
  assert.ok(schema.check('Item', { size: 'small', inner: { a: 'x' } }).valid);
  assert.ok(!schema.check('Item', { size: 'medium' }).valid);
  assert.ok(!schema.check('Item', { inner: { a: 'y' } }).valid);
  assert.ok(schema.check('Item', { all: [{ a: 'x' }] }).valid);
  assert.ok(!schema.check('Item', { all: [{ a: 'x' }, { a: 'y' }] }).valid);
});
