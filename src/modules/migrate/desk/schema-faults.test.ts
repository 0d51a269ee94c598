import assert from 'node:assert/strict';
import { test } from 'node:test';
import { schemaFaults } from './schema-faults.ts';

const TEXT = `classes:
  # A class Persn is not one.
  Named:
    slots: [name, nmae]
  Person:
    is_a: Named
slots:
  name:
    range: strin
`;

test('a message with a line is at that line, others at the rarest name that they have', () => {
  assert.deepEqual(
    schemaFaults(TEXT, [
      'body.schema: line 3, column 10: not valid YAML.',
      'The slot name of the class Named has the range strin, which is not a class, enum, type of the schema.',
      'The class Named (body.schema) has the slot nmae, which is not defined. Did you mean name?',
      'Nothing of the text.',
    ]).map(({ line }) => line),
    [3, 9, 4, undefined],
  );
});

test('what several classes have of one slot is one fault', () => {
  const message = (of: string) =>
    `The slot name of the class ${of} has the range strin, which is not a class.`;
  assert.deepEqual(schemaFaults(TEXT, [message('Named'), message('Person')]), [
    { message: message('Named'), line: 9, more: 1 },
  ]);
});
