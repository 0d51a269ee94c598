import assert from 'node:assert/strict';
import { test } from 'node:test';
import { namesAt, namesIn } from './schema-names.ts';

const TEXT = `prefixes:
  ex: https://example.org/
enums:
  Kind:
    permissible_values: {a: {}}
slots:
  name: {}
classes:
  Named:
    slots:
      - name
  Person:
    is_a: Named
    attributes:
      age:
        range: integer
`;
const names = namesIn(TEXT);
const at = (text: string) => namesAt(text.split('\n'), names);

test('the names of a schema are those of its sections, and of the attributes of its classes', () => {
  assert.deepEqual(names.classes, ['Named', 'Person']);
  assert.deepEqual(names.slots, ['age', 'name']);
  assert.deepEqual([names.enums, names.prefixes], [['Kind'], ['ex']]);
  assert.ok(names.types.includes('integer'));
});

test('what fits follows from the keys above the cursor', () => {
  assert.deepEqual(at('classes:\n  Person:\n    is_a: N'), names.classes);
  assert.deepEqual(at('classes:\n  Person:\n    slots:\n      - n'), names.slots);
  assert.deepEqual(at('classes:\n  Person:\n    slots: [na'), names.slots);
  assert.deepEqual(at('classes:\n  Person:\n    slot_usage:\n      n'), names.slots);
  assert.deepEqual(at('slots:\n  name:\n    slot_uri: e'), ['ex:']);
  assert.ok(at('slots:\n  name:\n    range: K').includes('Kind'));
  assert.ok(at('slots:\n  name:\n    req').includes('required'));
  assert.ok(at('classes:\n  Person:\n    attributes:\n      age:\n        req').includes('required'));
  assert.ok(at('classes:\n  Person:\n    abs').includes('abstract'));
  assert.ok(at('cla').includes('classes'));
  assert.deepEqual(at('classes:\n  P'), [], 'a new name is not proposed');
});
