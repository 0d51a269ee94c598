import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openElements } from '../test/open-schema.ts';
import { processorTime } from '../test/processor-time.ts';
import { canonicalJson, type JsonValue, parseJson } from './json.ts';

const ELEMENTS = `
types: {Code: {typeof: string, pattern: "^(a+)+$"}}
enums: {Colour: {permissible_values: {red: , green: }}}
classes:
  Thing:
    attributes:
      pid: {identifier: true, range: uriorcurie}
      text: {}
      number: {range: integer}
      float: {range: float}
      code: {range: Code}
      codes: {range: Code, multivalued: true}
      colours: {range: Colour, multivalued: true}
      things: {range: Thing, multivalued: true, inlined: true}
`;

/** Generous: what must not happen takes minutes. */
const SOON = 10_000;

function soon<T>(work: () => T): T {
  let result: T;
  const time = processorTime(() => {
    result = work();
  });
  assert.ok(time < SOON, `took ${time} ms`);
  return result!;
}

test('records of ten megabytes are answered, whatever they are full of', async () => {
  const schema = await openElements(ELEMENTS);
  const check = (members: Record<string, JsonValue>): boolean =>
    soon(() => schema.check('Thing', { pid: 'ex:a', ...members }).valid);
  assert.ok(check({ text: 'x'.repeat(10_000_000) }));
  assert.ok(!check({ pid: `ex:${'x'.repeat(10_000_000)}` }));
  assert.ok(!check({ number: '1'.repeat(10_000_000) }));
  assert.ok(!check({ code: `${'a'.repeat(900_000)}!` }));
  assert.ok(!check({ codes: Array.from({ length: 300_000 }, () => `${'a'.repeat(30)}!`) }));
  assert.ok(!check({ colours: Array.from({ length: 1_000_000 }, () => 'grean') }));
  assert.ok(!check(Object.fromEntries(Array.from({ length: 300_000 }, (_, i) => [`unknown_slot_${i}`, 1]))));
  const things = Object.fromEntries(
    Array.from({ length: 100_000 }, (_, i) => [`ex:${i}`, { pid: `ex:${i}`, text: 'x' }]),
  );
  assert.ok(check({ things }));
});

test('ten thousand levels are refused with their place, not with a crash', async () => {
  const schema = await openElements(ELEMENTS);
  const levels = 10_000;
  const text = `${'{"pid":"ex:a","things":{"ex:a":'.repeat(levels)}{"pid":"ex:a"}${'}}'.repeat(levels)}`;
  const checked = soon(() => schema.check('Thing', parseJson(text)));
  assert.equal(!checked.valid && checked.problems[0]?.type, 'too_deep');
});

test('no digit is lost, and the last of equal keys is used', async () => {
  const schema = await openElements(ELEMENTS);
  const said = (text: string): string => {
    const checked = schema.check('Thing', parseJson(text));
    return checked.valid ? canonicalJson(checked.record) : checked.problems[0]!.type;
  };
  assert.equal(
    said('{"pid":"ex:a","number":100000000000000000000000000000000000000001}'),
    '{"number":100000000000000000000000000000000000000001,"pid":"ex:a"}',
  );
  assert.equal(said('{"pid":"ex:a","number":9007199254740993}'), '{"number":9007199254740993,"pid":"ex:a"}');
  assert.equal(said('{"pid":"ex:a","float":1e999}'), 'float_type');
  assert.equal(said('{"pid":"ex:a","text":"one","text":"two"}'), '{"pid":"ex:a","text":"two"}');
  assert.equal(said('{"pid":"ex:a","text":"\\ud800"}'), 'string_unicode');
  assert.equal(said('{"pid":"ex:a","__proto__":{"text":"x"}}'), 'extra_forbidden');
});

test('a class that refers to itself does not end in a loop', async () => {
  const schema = await openElements(`
classes:
  Holder: {attributes: {one: {range: Loop}, all: {range: Loop, multivalued: true, inlined: true}}}
  Loop: {attributes: {self: {key: true, range: Loop}, a: {}}}
`);
  assert.ok(schema.check('Holder', { one: 'x', all: { x: 'y' } }).valid);
  assert.ok(!schema.check('Holder', { one: 5 }).valid);
});

test('patterns read a bounded number of characters in one record', async () => {
  const schema = await openElements(
    'classes: {Item: {attributes: {a: {multivalued: true, pattern: "^[a-z]+$"}}}}',
  );
  const long = 'a'.repeat(200_000);
  assert.equal(schema.check('Item', { a: [long, long] }).valid, true);
  const refused = schema.check('Item', { a: [long, long, long] });
  assert.equal(refused.valid ? '' : refused.problems[0]!.type, 'pattern_too_long');
});

test('strings under a pattern of many parts, or one that needs backtracking, take as little time as under others', async () => {
  const schema = await openElements(`
classes:
  Thing:
    attributes:
      sentences: {multivalued: true, pattern: "[a-z]{0,1000}!"}
      pairs: {multivalued: true, pattern: "^([a-z]+)+-(?!x)"}
      repeated: {multivalued: true, pattern: "([a-z]*)[a-z]*;\\\\1"}
      texts: {multivalued: true, pattern: "^.{500,}$"}
      ids: {multivalued: true, pattern: '^\\d{4}-\\d{4}-\\d{4}-\\d{3}[\\dX]$'}
`);
  const types = (members: Record<string, JsonValue>) =>
    soon(() => {
      const checked = schema.check('Thing', members);
      return checked.valid ? [] : [...new Set(checked.problems.map(({ type }) => type))].sort();
    });
  const texts = (length: number, count = 120_000 / length) => Array(count).fill('a'.repeat(length));
  for (const slot of ['sentences', 'repeated']) {
    const found = types({ [slot]: texts(1000) });
    assert.ok(found.includes('pattern_too_long'), `${slot}: ${found}`);
    types({ [slot]: texts(100) });
  }
  assert.deepEqual(types({ sentences: Array(20).fill(`${'a'.repeat(100)}!`) }), []);
  assert.deepEqual(types({ pairs: ['abc-y', 'abc-x'] }), ['pattern']);
  // However many instructions a pattern has: what tries each character once takes no longer for them.
  assert.deepEqual(types({ texts: ['a'.repeat(10_000)] }), []);
  assert.deepEqual(types({ ids: Array(50_000).fill('0000-0001-2345-678X') }), []);
});

test('nested objects of mappings without their keys are judged in linear time', async () => {
  const schema = await openElements(`
slots:
  id: {key: true}
  kind: {designates_type: true, range: string}
  inner: {range: A, multivalued: true, inlined: true}
classes:
  A: {slots: [id, kind, inner]}
  B: {is_a: A}
  C: {is_a: A}
`);
  let record: JsonValue = { wrong: 1 };
  for (let depth = 0; depth < 60; depth++) record = { inner: { x: record } };
  assert.equal(schema.check('A', { id: 'x', ...record }).valid, false);
});

test('a schema in which few lines inherit without end is refused, and a large one is not', async () => {
  const chain = (length: number) =>
    Array.from({ length }, (_, at) => `  C${at}: {is_a: C${at + 1}}\n`)
      .concat(`  C${length}: {}\n`)
      .join('');
  await assert.rejects(
    openElements(`classes:\n${chain(40_000)}`),
    /classes of the schema inherit from too many others/,
  );
  const wide = (slots: number, classes: number) => {
    const names = Array.from({ length: slots }, (_, at) => `s${at}`);
    const heirs = Array.from({ length: classes }, (_, at) => `  H${at}: {is_a: Base}\n`).join('');
    return `classes:\n  Base: {slots: [${names}]}\n${heirs}slots:\n${names.map((name) => `  ${name}: {}\n`).join('')}`;
  };
  await assert.rejects(openElements(wide(2000, 1000)), /too many slots together/);
  const large = await openElements(wide(100, 1000));
  assert.equal(large.classes.get('H999')?.slots.size, 100);
});

test('enums that inherit from each other in many ways are read once, and a chain without end is refused', async () => {
  const lattice = (levels: number, ending: string) =>
    `enums:\n${Array.from(
      { length: levels },
      (_, at) =>
        `  E${at}: {inherits: [E${at + 1}], include: [{inherits: [E${at + 1}]}], permissible_values: {v${at}: {}}}\n`,
    ).join('')}  E${levels}: ${ending}\nclasses: {A: {attributes: {x: {range: E0}}}}`;
  const listed = await openElements(lattice(60, '{permissible_values: {last: {}}}'));
  assert.equal(listed.check('A', { x: 'last' }).valid, true);
  assert.equal(listed.check('A', { x: 'other' }).valid, false);
  const asked = await openElements(
    lattice(60, '{concepts: [ex:a], minus: [{permissible_values: {v0: {}}}]}'),
  );
  assert.equal(asked.check('A', { x: 'ex:a' }).valid, true);
  assert.equal(asked.check('A', { x: 'ex:b' }).valid, false);
  await assert.rejects(openElements(lattice(20_000, '{}')), /enums of the schema inherit from too many/);
});
