import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LinkmlError } from './errors.ts';
import { Faults } from './faults.ts';
import { canonicalJson, type JsonValue } from './json.ts';
import { openLinkml } from './linkml.ts';
import { parseYaml } from './load/yaml.ts';

const read = (text: string): string => {
  const faults = new Faults();
  const value = parseYaml(text, 'a schema', faults);
  faults.end();
  return canonicalJson(value as JsonValue);
};

test('scalars are those of YAML 1.1 as PyYAML reads them', () => {
  assert.equal(read('[on, Off, yes, NO, true]'), '[true,false,true,false,true]');
  assert.equal(read('[y, n, "on", tRue]'), '["y","n","on","tRue"]');
  assert.equal(read('[010, 0x10, 1_000, 1:30, 0b11, -7]'), '[8,16,1000,90,3,-7]');
  assert.equal(read('[1e3, 1.5, 1.50, .5, 1.e+3]'), '["1e3",1.5,1.5,0.5,1000.0]');
  assert.equal(read('[~, null, "", 2024-01-01]'), '[null,null,"","2024-01-01"]');
});

test('keys are text, as Python writes them', () => {
  assert.equal(read('{on: 1, 1: 2, 2.50: 3, ~: 4}'), '{"1":2,"2.5":3,"None":4,"True":1}');
});

test('merge keys are merged', () => {
  assert.equal(read('a: &a {x: 1}\nb: {<<: *a, y: 2}'), '{"a":{"x":1},"b":{"x":1,"y":2}}');
});

test('invalid YAML is refused with its position, duplicate keys too', () => {
  assert.throws(() => read('a: ['), {
    code: 'schema_invalid',
    message: /^a schema: line 1, column 4: not valid YAML: .*\.$/s,
  });
  assert.throws(() => read('a: 1\na: 2'), {
    message: /^a schema: line 2, column 1: a key occurs twice in one mapping\.$/,
  });
});

test('the error of a file with what looks like a date or a number quotes nothing of it', async () => {
  for (const text of [
    '7351-97-86',
    'a: 7351-97-86',
    'a: 2001-01-01 73:51:97',
    'a: !!float 7351hunter',
    'a: !!7351 x',
  ])
    await assert.rejects(
      openLinkml(text),
      (error: Error) => !/7351|73:51/.test(error.message + String(error.cause ?? '')),
      text,
    );
});

test('the error of a file that is not a schema quotes nothing of it', async () => {
  const secrets = [
    'secret: "hunter2',
    '- hunter2\nhunter2',
    '@hunter2: x',
    'hunter2: hunter2',
    'a: *hunter2',
    '!!hunter2 x',
    '{hunter2: 1, hunter2: 2}',
    '&hunter2 [&hunter2 x]',
    "'hunter2",
  ];
  for (const text of secrets) {
    await assert.rejects(
      openLinkml(text),
      (error) => {
        return (
          error instanceof LinkmlError &&
          error.code === 'schema_invalid' &&
          !error.message.includes('hunter2')
        );
      },
      text,
    );
  }
});
