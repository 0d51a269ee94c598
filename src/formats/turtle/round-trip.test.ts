/** JSON → Turtle → JSON is the identity, but for what `docs/turtle.md` lists. */

import assert from 'node:assert/strict';
import { resolve } from 'node:path';
import fc from 'fast-check';
import { arbitraryRecord } from '../../../test/support/arbitrary-record.ts';
import { asTurtleKeepsIt, hasSharedObjects } from '../../../test/support/as-turtle-keeps-it.ts';
import { propertyRuns, repeated, test } from '../../../test/support/tier.ts';
import { canonicalJson, type JsonObject } from '../../json.ts';
import { openSchema } from '../../schema/schema.ts';
import { readTurtle } from './read/read-turtle.ts';
import { writeTurtle } from './write/write-turtle.ts';

/** Records for each class. */
const numRuns = propertyRuns(30, 100);

const root = resolve(import.meta.dirname, '../../..');
const schema = await openSchema(resolve(root, 'test/fixtures/turtle.yaml'));
const laboratory = await openSchema(resolve(root, 'examples/laboratory/schema.yaml'));

function there(record: JsonObject, className: string, using = schema): string {
  return writeTurtle(canonicalJson(record), className, using);
}

function back(document: string, className: string, using = schema): JsonObject {
  const checked = using.check(className, readTurtle(document, className, using));
  assert.ok(checked.valid, `what was written is not valid: ${JSON.stringify(checked)}\n${document}`);
  return checked.record;
}

for (const using of [schema, laboratory]) {
  for (const className of using.recordClasses) {
    if (using.classes.get(className)?.abstract) continue;
    repeated(`generated records of ${using.name}: ${className} come back from Turtle as they were`, () => {
      fc.assert(
        fc.property(arbitraryRecord(using, className), (record) => {
          fc.pre(!hasSharedObjects(record));
          const document = there(record, className, using);
          const returned = back(document, className, using);
          const kept = using.check(className, asTurtleKeepsIt(record, className, using));
          assert.ok(kept.valid, JSON.stringify(kept));
          assert.equal(canonicalJson(returned), canonicalJson(kept.record), document);
          const again = there(returned, className, using);
          assert.equal(there(back(again, className, using), className, using), again);
        }),
        { numRuns },
      );
    });
  }
}

const KEPT: [name: string, record: JsonObject][] = [
  ['text with everything in it', { pid: 'ex:a', title: '"\\\n\r\t\u0000\u007f é🎉 """ \'\'\' <> @en ^^ ' }],
  [
    'objects in objects',
    {
      pid: 'ex:a',
      part: { pid: 'ex:p', inner: { pid: 'ex:q', label: 'l' } },
      spot: { deeper: { deeper: { x: 1 } } },
    },
  ],
  ['one of several classes', { pid: 'ex:a', pet: { barks: false } }],
  [
    'anything',
    { pid: 'ex:a', anything: { a: [1, { b: null }] }, anythings: ['5', 5, true, [1], { c: 1.5 }] },
  ],
  [
    'lists that are one value',
    { pid: 'ex:a', anything: [5], grid: [[1, 2], [3]], grids: [[[1]], [[2], [1]]] },
  ],
  ['a number in a union of types', { pid: 'ex:a', width: 5 }],
  ['a text in a union of types', { pid: 'ex:a', width: '5' }],
  ['a subclass with a blank in its name', { pid: 'ex:a', shape: { kind: 'Right Triangle', base: 3 } }],
  ['a text in a language that is not told', { pid: 'ex:a', motto: 'per aspera' }],
  ['a subclass by its designator', { pid: 'ex:a', shape: { kind: 'Circle', radius: 0.5 } }],
  [
    'IRIs of all kinds',
    { pid: 'http://a.invalid/x?y=1#z', links: ['ex:a:b', 'no-colon', 'nope:x', 'urn:x:y', 'ex:a/b', 'ex:'] },
  ],
];

for (const [name, record] of KEPT) {
  test(`comes back as it was: ${name}`, () => {
    const checked = schema.check('Sample', record);
    assert.ok(checked.valid, JSON.stringify(checked));
    assert.equal(
      canonicalJson(back(there(checked.record, 'Sample'), 'Sample')),
      canonicalJson(checked.record),
    );
  });
}

test('all names of classes that a designator holds come back', () => {
  const kinds = ['t:Subkinds', 't:Kinds'];
  const checked = schema.check('Kinds', { pid: 'ex:a', inner: { pid: 'ex:b', kinds, label: 'b' } });
  assert.ok(checked.valid, JSON.stringify(checked));
  assert.equal(canonicalJson(back(there(checked.record, 'Kinds'), 'Kinds')), canonicalJson(checked.record));
});

test('a record with an object of its own class comes back', () => {
  const checked = schema.check('Person', {
    pid: 'ex:a',
    friend: { pid: 'ex:b', title: 'B', friend: { pid: 'ex:c' } },
  });
  assert.ok(checked.valid, JSON.stringify(checked));
  assert.equal(canonicalJson(back(there(checked.record, 'Person'), 'Person')), canonicalJson(checked.record));
});
