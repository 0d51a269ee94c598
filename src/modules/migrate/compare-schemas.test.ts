import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { canonicalJson, type JsonObject } from '#linkml/json.ts';
import { openElements } from '../../../test/support/open-text.ts';
import { compareSchemas, type SchemaComparison } from './compare-schemas.ts';
import { addToSummary, emptySummary, judgeRecord } from './judge.ts';

const BEFORE = `
classes:
  Thing:
    attributes:
      pid: { identifier: true, range: uriorcurie, required: true }
      label: {}
  Person:
    is_a: Thing
    attributes:
      mail: { required: true }
      age: {}
      status: { range: Status }
      friend: { range: Person }
      tags: { multivalued: true }
      nick: {}
  Gadget:
    is_a: Thing
    attributes: { weight: { range: integer, minimum_value: 0 } }
enums:
  Status: { permissible_values: { alive: { meaning: ex:alive }, dead: {} } }
`;

const AFTER = `
classes:
  Thing:
    attributes:
      pid: { identifier: true, range: uriorcurie, required: true }
      label: {}
  Human:
    is_a: Thing
    aliases: [Person]
    attributes:
      email: { required: true, aliases: [mail] }
      age: { range: integer }
      status: { range: Status }
      friend: { range: Human }
      tags: {}
      nick: { multivalued: true }
      consent: { required: true, ifabsent: string(unknown) }
  Tool:
    is_a: Thing
    attributes: { power: { range: integer, required: true } }
enums:
  Status: { permissible_values: { living: { meaning: ex:alive }, dead: {} } }
`;

const messages = ({ changes }: SchemaComparison) => changes.map(({ message }) => message);

describe('the comparison of two schemas', () => {
  test('of one schema with itself is empty', async () => {
    const schema = await openElements(BEFORE);
    assert.deepEqual(compareSchemas(schema, schema).changes, []);
  });

  test('finds renamed classes, slots and values, and says by what', async () => {
    const comparison = compareSchemas(await openElements(BEFORE), await openElements(AFTER));
    const text = messages(comparison).join('\n');
    assert.match(text, /class Person is called Human now \(by its aliases\)/);
    assert.match(text, /slot mail of Human is called email now \(by its aliases\)/);
    assert.match(text, /value alive of Status is called living now \(by the same URI\)/);
    assert.match(text, /class Gadget is gone/);
    assert.match(text, /class Tool is new/);
  });

  test('says what is tightened and what is loosened', async () => {
    const one = await openElements(
      'classes: { Thing: { attributes: { pid: { identifier: true }, n: { range: integer, maximum_value: 5 } } } }',
    );
    const two = await openElements(
      'classes: { Thing: { attributes: { pid: { identifier: true }, n: { range: float, maximum_value: 9, required: true } } } }',
    );
    const effects = compareSchemas(one, two).changes.map(({ effect, message }) => `${effect} ${message}`);
    assert.deepEqual(effects, [
      'tightened n: required now.',
      'loosened n: its range is float instead of integer.',
      'loosened n: the greatest value is 9 instead of 5.',
    ]);
    assert.ok(
      compareSchemas(two, one).changes.some(
        ({ effect, message }) => effect === 'tightened' && /greatest value/.test(message),
      ),
    );
  });

  test('reports a change of an inherited slot once', async () => {
    const classes = (extra: string) => `
classes:
  Thing: { attributes: { pid: { identifier: true }, name: { ${extra} } } }
  A: { is_a: Thing }
  B: { is_a: A }
`;
    const comparison = compareSchemas(
      await openElements(classes('')),
      await openElements(classes('pattern: "^x"')),
    );
    assert.deepEqual(messages(comparison), ['name: must match ^x.']);
  });

  test('never pairs two candidates that are equally alike', async () => {
    const one = await openElements(
      'classes: { Thing: { attributes: { pid: { identifier: true }, date: {} } } }',
    );
    const two = await openElements(
      'classes: { Thing: { attributes: { pid: { identifier: true }, date_a: {}, date_b: {} } } }',
    );
    assert.equal(compareSchemas(one, two).changes.filter(({ kind }) => kind === 'renamed').length, 0);
  });
});

describe('judging a record', () => {
  test('a year in a slot that becomes one of dates is not a moment in 1970', async () => {
    const schemaOf = (range: string) =>
      openElements(
        `classes: { Thing: { attributes: { pid: { identifier: true }, made: { range: ${range} } } } }`,
      );
    const [from, to] = [await schemaOf('integer'), await schemaOf('datetime')];
    const json = '{"made":2024,"pid":"ex:a"}';
    const result = judgeRecord({ pid: 'ex:a', className: 'Thing', json }, from, to, compareSchemas(from, to));
    assert.equal(result.outcome, 'newly_invalid');
  });

  const judged = async (className: string, record: JsonObject) => {
    const [from, to] = [await openElements(BEFORE), await openElements(AFTER)];
    const checked = from.check(className, record);
    const json = canonicalJson(checked.valid ? checked.record : record);
    return judgeRecord({ pid: String(record.pid), className, json }, from, to, compareSchemas(from, to));
  };

  test('migrates what the schema says how to migrate', async () => {
    const result = await judged('Person', {
      pid: 'ex:a',
      mail: 'a@b.example',
      age: '41',
      status: 'alive',
      tags: ['one'],
      nick: 'al',
    });
    assert.equal(result.outcome, 'mendable', JSON.stringify(result.problems));
    assert.equal(result.migrated?.className, 'Human');
    assert.deepEqual(result.migrated?.record, {
      pid: 'ex:a',
      email: 'a@b.example',
      age: 41,
      status: 'living',
      tags: 'one',
      nick: ['al'],
      consent: 'unknown',
    });
  });

  test('leaves alone what nothing says how to migrate, and says why it is invalid', async () => {
    const result = await judged('Person', {
      pid: 'ex:a',
      mail: 'a@b.example',
      age: 'forty',
      tags: ['one', 'two'],
    });
    assert.equal(result.outcome, 'newly_invalid');
    assert.deepEqual(result.problems.map(({ loc }) => loc[0]).sort(), ['age', 'tags']);
  });

  test('names records whose class is gone', async () => {
    assert.equal((await judged('Gadget', { pid: 'ex:g', weight: 3 })).outcome, 'unreachable');
  });

  test('distinguishes old problems from new ones', async () => {
    assert.equal((await judged('Person', { pid: 'ex:a', age: 'forty' })).outcome, 'invalid_before');
  });

  test('finds records whose pid resolves to something else', async () => {
    const head = (iri: string) => `
prefixes: { p: ${iri} }
classes: { Thing: { attributes: { pid: { identifier: true, range: uriorcurie } } } }
`;
    const { openFiles } = await import('../../../test/support/open-text.ts');
    const file = (iri: string) => ({
      'schema.yaml':
        `id: https://example.org/s\nname: s\nimports: [linkml:types]\ndefault_range: string\n${head(iri)}`.replace(
          'prefixes: {',
          'prefixes: { linkml: https://w3id.org/linkml/,',
        ),
    });
    const [from, to] = [
      await openFiles(file('https://a.example/')),
      await openFiles(file('https://b.example/')),
    ];
    const result = judgeRecord(
      { pid: 'p:x', className: 'Thing', json: '{"pid":"p:x"}' },
      from,
      to,
      compareSchemas(from, to),
    );
    assert.equal(result.identityChanges, true);
    assert.equal(result.outcome, 'mendable');
    assert.equal(result.migrated?.record.pid, 'https://a.example/x');
  });

  test('counts by outcome, class and cause', async () => {
    const summary = emptySummary();
    addToSummary(summary, await judged('Person', { pid: 'ex:a', mail: 'm', age: 'forty' }));
    addToSummary(summary, await judged('Person', { pid: 'ex:b', mail: 'm' }));
    assert.equal(summary.total, 2);
    assert.equal(summary.by_class.Person?.newly_invalid, 1);
    assert.deepEqual(Object.keys(summary.by_cause), ['Person.age: int_parsing']);
  });
});
