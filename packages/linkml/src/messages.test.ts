import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openElements } from '../test/open-schema.ts';
import type { JsonObject } from './json.ts';
import type { LinkmlSchema } from './linkml.ts';
import { readYaml } from './yaml/read.ts';

function messages(
  schema: LinkmlSchema,
  className: string,
  record: Parameters<LinkmlSchema['check']>[1],
): string[] {
  const checked = schema.check(className, record);
  return checked.valid ? [] : checked.problems.map((problem) => `${problem.loc.join('.')} | ${problem.msg}`);
}

const ELEMENTS = `
enums: {Colour: {permissible_values: {red: , green: , blue: }}}
classes:
  Thing:
    attributes:
      pid: {identifier: true, range: uriorcurie}
      relations: {range: Thing, multivalued: true, inlined: true}
      colour: {range: Colour}
      size: {range: integer, minimum_value: 1}
      kind: {designates_type: true, range: string}
  Person: {is_a: Thing, attributes: {given_name: {required: true}, age: {range: integer}}}
  Place: {is_a: Thing, attributes: {latitude: {range: float, required: true}, longitude: {range: float, required: true}}}
`;

test('all problems of a record are reported at once, each with its path, what was found and what was expected', async () => {
  const schema = await openElements(ELEMENTS);
  assert.deepEqual(
    messages(schema, 'Thing', {
      pid: 'exx:a',
      colour: 'gren',
      size: 0,
      sise: 1,
      relations: { 'ex:p1': { pid: 'ex:p1', kind: 'Person', given_name: 5 } },
    }),
    [
      'pid | pid: found "exx:a", but the schema has no prefix \'exx\'. Did you mean ex?',
      'colour | colour: found "gren", expected "red", "green" or "blue" (Colour). Did you mean "green"?',
      'size | size: found 0, expected a value of at least 1.',
      'sise | sise: the class Thing has no slot of this name. Did you mean size?',
      'relations.ex:p1.given_name | given_name: found 5, expected text.',
    ],
  );
  assert.deepEqual(messages(schema, 'Persn', {}), [' | The schema has no class Persn. Did you mean Person?']);
});

test('a time of day that YAML has read as a number is named, and other numbers are not', async () => {
  const schema = await openElements(`
types: {time: {uri: xsd:time, base: XSDTime, repr: str}}
classes: {Shift: {attributes: {begin: {range: time}}}}
`);
  const found = (yaml: string) => messages(schema, 'Shift', readYaml(`begin: ${yaml}`) as JsonObject)[0];
  const expected = (number: number) => `begin | begin: found ${number}, expected a time (HH:MM:SS).`;
  for (const [time, number] of [
    ['10:30', 630],
    ['23:59:59', 86_399],
    ['1:00', 60],
  ] as const) {
    const hint = ` YAML 1.1 reads ${time} without quotes as ${number}: write "${time}" with quotes.`;
    assert.equal(found(time), expected(number) + hint);
  }
  for (const number of [5, 1500, 90_000, -630, 630.5]) assert.equal(found(String(number)), expected(number));
});

test('of two letters, another one is not a slip: no unit is suggested for another unit', async () => {
  const schema = await openElements(`
enums: {Unit: {permissible_values: {mg: {}, g: {}}}}
classes:
  Any: {abstract: true}
  Amount: {is_a: Any, attributes: {unit: {range: Unit}}}
`);
  const [message = '', ...others] = messages(schema, 'Amount', { unit: 'kg' });
  assert.deepEqual([message, others], ['unit | unit: found "kg", expected "mg" or "g" (Unit).', []]);
  assert.match(messages(schema, 'Amount', { unit: 'MG' })[0] ?? '', /Did you mean "mg"\?$/);
  assert.deepEqual(messages(schema, 'Any', {}), [
    ' | The class Any is abstract: use one of its subclasses, such as Amount.',
  ]);
});

test('of the classes that an object may be of, the one that fits best is reported', async () => {
  const schema = await openElements(ELEMENTS);
  const about = (inner: Parameters<LinkmlSchema['check']>[1]): string[] =>
    messages(schema, 'Thing', { pid: 'ex:a', relations: { 'ex:b': inner } });
  assert.deepEqual(about({ pid: 'ex:b', latitude: 1, longitude: 'east' }), [
    'relations.ex:b.longitude | longitude: found "east", expected a number.',
  ]);
  assert.deepEqual(about({ pid: 'ex:b', given_name: 'A', age: 'old' }), [
    'relations.ex:b.age | age: found "old", expected an integer.',
  ]);
  assert.deepEqual(about({ pid: 'ex:b', kind: 'Plaace', latitude: 1, longitude: 2 }), [
    'relations.ex:b.kind | kind: found "Plaace", expected "Thing", "Person" or "Place". Did you mean Place?',
  ]);
});

test('a record with thousands of problems gets a list that ends', async () => {
  const schema = await openElements(
    'classes: {Item: {attributes: {a: {range: integer, multivalued: true}}}}',
  );
  const checked = schema.check('Item', { a: Array.from({ length: 100_000 }, () => 'x') });
  assert.ok(!checked.valid && checked.problems.length === 201);
  assert.equal(checked.problems.at(-1)?.type, 'too_many_problems');
});

test('objects nested too deeply are refused, a hundred levels are accepted, also without a class', async () => {
  const schema = await openElements(ELEMENTS);
  const nested = (depth: number): Parameters<LinkmlSchema['check']>[1] => {
    let inner: Parameters<LinkmlSchema['check']>[1] = { pid: 'ex:n0' };
    for (let i = 1; i <= depth; i++) inner = { pid: `ex:n${i}`, relations: { [`ex:n${i - 1}`]: inner } };
    return inner;
  };
  assert.ok(schema.check('Thing', nested(100)).valid);
  assert.match(messages(schema, 'Thing', nested(5000))[0]!, /nested deeper than 256 levels/);
});
