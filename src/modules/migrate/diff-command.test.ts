/** `accession schema diff`: changes with what they mean for records. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { accession, LABORATORY, scratch } from '../../../test/cli/accession.ts';
import { openElements } from '../../../test/support/open-text.ts';
import { schemaDifference } from './schema-difference.ts';

const BASE = `
types: { Code: { typeof: string, pattern: '^a' } }
classes:
  Part: { attributes: { id: { key: true }, size: {}, more: {} } }
  Item:
    attributes:
      code: { range: Code }
      parts: { range: Part, inlined: true, multivalued: true, inlined_as_list: true }
      size: { range: integer, maximum_value: 5 }
  Special: { is_a: Item }
`;

/** A change of the text with what is found. */
const CHANGES: readonly (readonly [from: string, to: string, found: readonly string[]])[] = [
  ['maximum_value: 5', 'maximum_value: 9', ['loosened size: the greatest value is 9 instead of 5.']],
  ["pattern: '^a'", "pattern: '^b'", ['tightened The constraints of the type of Code changed.']],
  [', inlined_as_list: true', '', ['tightened The form of inlined objects of Item.parts changed.']],
  [
    'Special: { is_a: Item }',
    'Special: { is_a: Item, rules: [{ preconditions: { slot_conditions: { code: { equals_string: a } } }, postconditions: { slot_conditions: { size: { required: true } } } }] }',
    ['tightened The rules of Special changed.'],
  ],
  [
    'code: { range: Code }',
    'code: { range: Code, none_of: [{ equals_string: abc }] }',
    ['tightened The conditions of Item.code changed.'],
  ],
];

for (const [from, to, found] of CHANGES) {
  test(`the difference has ${to}`, async () => {
    assert.ok(BASE.includes(from));
    const changes = schemaDifference(await openElements(BASE), await openElements(BASE.replace(from, to)));
    assert.deepEqual(
      changes.map(({ effect, message }) => `${effect} ${message}`),
      found,
    );
  });
}

test('what may break records comes first and sets the status', async (t) => {
  const folder = scratch(t);
  const head = 'id: https://example.org/s\nname: s\nimports: [linkml:types]\n';
  const [a, b] = [join(folder, 'a.yaml'), join(folder, 'b.yaml')];
  writeFileSync(a, `${head}classes: { Person: { attributes: { name: {}, age: { range: integer } } } }\n`);
  writeFileSync(
    b,
    `${head}classes: { Person: { attributes: { name: { required: true }, age: { range: float }, mail: {} } } }\n`,
  );
  const forward = await accession(['schema', 'diff', a, b]);
  assert.equal(forward.status, 2);
  assert.match(forward.stdout, /^effect .*\nbreaks +slot +Person\.name +name: required now\.\ncompatible /);
  assert.equal(forward.stderr, '3 changes, 1 may break records\n');
  const json = await accession(['schema', 'diff', a, b, '--json']);
  assert.deepEqual(JSON.parse(json.stdout)[0].effect, 'breaks');
  const none = await accession(['schema', 'diff', LABORATORY, LABORATORY]);
  assert.deepEqual(none, { status: 0, stdout: '', stderr: '0 changes, 0 may break records\n' });
});
