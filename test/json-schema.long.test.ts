/** JSON Schema and the check of the engine are two projections of the same slots: here each is held against the other. */
import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import fc from 'fast-check';
import { canonicalJson, isJsonObject, type JsonObject, type JsonValue } from '#linkml/json.ts';
import { arbitraryRecord } from '#linkml-test/arbitrary-record.ts';
import { openSchema, type Schema } from '../src/core/schema/schema.ts';
import { openElements } from './support/open-text.ts';

const root = resolve(import.meta.dirname, '..');
const laboratory = join(root, 'examples/laboratory/schema.yaml');
const corpus = join(root, '../shared/corpus/schemas');
const addresses = [
  laboratory,
  join(root, 'packages/linkml/test/turtle.yaml'),
  join(root, 'test/parity/fixtures/laboratory.yaml'),
  ...(existsSync(corpus) ? readdirSync(corpus).map((name) => schemaFile(join(corpus, name))) : []),
];

/** Records of each class, and twice as many with one change each. More for a long run: `ACCESSION_PROPERTY_RUNS=100 node --test …`. */
const CLASS = 'urn:class:';
const RUNS = Number(process.env.ACCESSION_PROPERTY_RUNS ?? 8);

/**
 * What JSON Schema can't say, or says of canonical records only (docs/linkml.md): the types of the problems that the
 * check may find in what JSON Schema lets pass.
 */
const BEYOND_JSON_SCHEMA = new Set<string>([]);

/** Classes of the corpus that demand more than the generator knows, such as texts of a pattern. */
const BEYOND_GENERATION = new Set(['Item', 'SpecialItem', 'OptionalSerial']);

for (const address of addresses) {
  test(`JSON Schema and the check agree on records of ${address.split('/').slice(-2).join('/')}`, async () => {
    const schema = await openSchema(address);
    const validatorOf = validators(schema);
    for (const className of sample(concreteClasses(schema))) {
      const validate = validatorOf(className);
      fc.assert(
        fc.property(arbitraryRecord(schema, className), (record) => {
          assert.ok(validate(plain(record)), explain(className, record, validate.errors));
        }),
        { numRuns: RUNS, seed: 7, endOnFailure: true },
      );
      fc.assert(
        fc.property(arbitraryRecord(schema, className).chain(mutation), (mutated) => {
          const checked = schema.check(className, mutated);
          const accepted = validate(plain(mutated));
          if (checked.valid) {
            assert.ok(validate(plain(checked.record)), explain(className, checked.record, validate.errors));
          } else if (accepted) {
            const unexpected = checked.problems.filter((problem) => !BEYOND_JSON_SCHEMA.has(problem.type));
            assert.deepEqual(unexpected, [], `${className} accepts ${canonicalJson(mutated)}`);
          }
        }),
        { numRuns: 2 * RUNS, seed: 8, endOnFailure: true },
      );
    }
  });
}

test('a pattern may be found anywhere in a text, to both', async () => {
  const schema = await openElements('classes: {Item: {attributes: {a: {pattern: "[0-9]|x$"}}}}');
  const validate = new Ajv2020().compile(schema.jsonSchema('Item'));
  for (const [a, fits] of [
    ['a1b', true],
    ['yx', true],
    ['xy', false],
  ] as const)
    assert.deepEqual([validate({ a }), schema.check('Item', { a }).valid], [fits, fits], a);
});

test('patterns of Python mean the same in JSON Schema', async () => {
  const rows: [pattern: string, fitting: string[], unfitting: string[]][] = [
    ['(?P<x>a)b', ['ab', 'xab'], ['a']],
    ['^a\\Z', ['a'], ['a\n', 'ab']],
    ['^a$', ['a', 'a\n'], ['a\n\n', 'ab']],
    ['(?i)^abc$', ['ABC', 'abc'], ['abd']],
    ['^\\-$', ['-'], ['a']],
    ['^a{,3}$', ['', 'aaa'], ['aaaa']],
    ['^\\w+$', ['äß_9', '漢'], ['a-b']],
    ['^\\d+$', ['٣', '12'], ['x']],
    ['^(a)(b)\\1$', ['aba'], ['abb']],
    ['^(?!x)a', ['a'], ['xa']],
  ];
  for (const [pattern, fitting, unfitting] of rows) {
    const schema = await openElements(
      `classes: {Item: {attributes: {a: {pattern: ${JSON.stringify(pattern)}}}}}`,
    );
    const validate = new Ajv2020({ strict: true }).compile(schema.jsonSchema('Item'));
    for (const [texts, fits] of [
      [fitting, true],
      [unfitting, false],
    ] as const)
      for (const a of texts)
        assert.deepEqual(
          [validate({ a }), schema.check('Item', { a }).valid],
          [fits, fits],
          `${pattern} ${a}`,
        );
  }
});

test('members, expressions, abstract classes and times are in JSON Schema', async () => {
  const schema = await openElements(`
classes:
  Any: {class_uri: linkml:Any}
  Base: {abstract: true, attributes: {x: {}}}
  Part: {attributes: {size: {range: integer}}}
  Entry: {attributes: {tag: {key: true}, a: {}, b: {}}}
  Item:
    attributes:
      some: {multivalued: true, has_member: {equals_string: a}}
      every: {multivalued: true, all_members: {pattern: "^a"}}
      map: {range: Entry, multivalued: true, inlined: true, has_member: {range: Entry, range_expression: {slot_conditions: {a: {equals_string: x}}}}}
      part: {range: Part, inlined: true, range_expression: {slot_conditions: {size: {minimum_value: 3}}}}
      any: {range: Any, range_expression: {any_of: [{is_a: Part}, {is_a: integer}]}}
      time: {range: time}
      number: {range: integer, equals_string: "5"}
`);
  const validate = new Ajv2020({ strict: true }).compile(schema.jsonSchema('Item'));
  const rows: [JsonObject, boolean][] = [
    [{ some: ['b', 'a'] }, true],
    [{ some: ['b'] }, false],
    [{ every: ['a', 'ab'] }, true],
    [{ every: ['a', 'b'] }, false],
    [{ part: { size: 3 } }, true],
    [{ part: { size: 2 } }, false],
    [{ any: { size: 2 } }, true],
    [{ any: 7 }, true],
    [{ any: 'x' }, false],
    [{ any: { zz: 1 } }, false],
    [{ time: '10:11:12' }, true],
    [{ time: '1011' }, true],
    [{ time: '25:00:00' }, false],
    [{ number: 5 }, true],
    [{ number: 6 }, false],
  ];
  for (const [record, fits] of rows)
    assert.deepEqual(
      [validate(record), schema.check('Item', record).valid],
      [fits, fits],
      canonicalJson(record),
    );
  const abstract = new Ajv2020({ strict: true }).compile(schema.jsonSchema('Base'));
  assert.deepEqual([abstract({}), schema.check('Base', {}).valid], [false, false]);
});

test('what JSON Schema cannot express is listed in a comment', async () => {
  const schema = await openElements(`
classes:
  Item:
    attributes: {a: {pattern: '^(a)?(?(1)b|c)$'}, d: {range: date, minimum_value: "2020-01-01"}, e: {range: decimal, equals_number: 3}}
`);
  const text = canonicalJson(schema.jsonSchema('Item'));
  assert.match(text, /Bounds on strings/);
  assert.match(text, /equality of decimal numbers/);
});

test('every class compiles in the strict mode of Ajv', async () => {
  for (const address of addresses) {
    const schema = await openSchema(address);
    for (const name of schema.classes.keys()) {
      const ajv = new Ajv2020({ strict: true });
      formats.default(ajv);
      assert.doesNotThrow(() => ajv.compile(schema.jsonSchema(name)), `${address} ${name}`);
    }
  }
});

test('a class without its surroundings brings along all that it refers to', async () => {
  const schema = await openSchema(laboratory);
  const validate = new Ajv2020({ strict: false })
    .addFormat('date', true)
    .compile(schema.jsonSchema('Project'));
  assert.ok(
    validate({ pid: 'ex:p', name: 'P', schema_type: schema.schemaType('Project') }),
    JSON.stringify(validate.errors),
  );
});

/** Abstract classes have no objects, and so no records. */
function concreteClasses(schema: Schema): string[] {
  return schema.recordClasses.filter(
    (name) => !schema.classes.get(name)?.abstract && !BEYOND_GENERATION.has(name),
  );
}

/** Large schemas repeat themselves: some of their classes do, unless more is asked for. */
function sample(classes: readonly string[]): string[] {
  const step = process.env.ACCESSION_PROPERTY_RUNS ? 1 : Math.ceil(classes.length / 5);
  return classes.filter((_, index) => index % step === 0);
}

function schemaFile(path: string): string {
  return path.endsWith('.yaml') ? path : join(path, 'schema.yaml');
}

/** Compiled checks of all classes of a schema, which share what they refer to. */
function validators(schema: Schema): (className: string) => ValidateFunction {
  const ajv = new Ajv2020({ strict: false, inlineRefs: false });
  formats.default(ajv);
  for (const name of schema.classes.keys()) {
    ajv.addSchema(schema.jsonSchema(name, { definitions: CLASS }), CLASS + name);
  }
  return (name) => ajv.getSchema(CLASS + name) as ValidateFunction;
}

/** As a reader of the JSON text sees it: numbers are plain. */
function plain(record: JsonValue): unknown {
  return JSON.parse(canonicalJson(record));
}

function explain(className: string, record: JsonValue, errors: unknown): string {
  return `${className} ${canonicalJson(record)}: ${JSON.stringify(errors, null, 1)}`;
}

/** One change at a random place: a value of another kind, a missing or an unknown member. */
function mutation(record: JsonObject): fc.Arbitrary<JsonObject> {
  const paths = [...placesOf(record)];
  const replacement = fc.constantFrom<JsonValue[]>(7, -1.5, true, 'no such value', [], {}, ['a', 'b'], {
    unheard: 1,
  });
  const change = fc.record({
    path: fc.constantFrom(...paths),
    act: fc.constantFrom('replace', 'remove', 'add'),
    value: replacement,
  });
  return change.map(({ path, act, value }) => changed(record, path, act, value) as JsonObject);
}

function* placesOf(value: JsonValue, path: readonly string[] = []): Generator<readonly string[]> {
  if (path.length > 0) yield path;
  if (Array.isArray(value)) {
    for (const [index, member] of value.entries()) yield* placesOf(member, [...path, String(index)]);
  } else if (isJsonObject(value)) {
    for (const [key, member] of Object.entries(value)) yield* placesOf(member, [...path, key]);
  }
}

function changed(value: JsonValue, path: readonly string[], act: string, replacement: JsonValue): JsonValue {
  const [key, ...rest] = path;
  if (key === undefined) return replacement;
  const copy = (Array.isArray(value) ? [...value] : { ...(value as JsonObject) }) as JsonObject;
  if (rest.length > 0) copy[key] = changed(copy[key] as JsonValue, rest, act, replacement);
  else if (act === 'replace') copy[key] = replacement;
  else if (act === 'add') copy[`${key}_x`] = replacement;
  else if (Array.isArray(copy)) (copy as JsonValue[]).splice(Number(key), 1);
  else delete copy[key];
  return copy;
}
