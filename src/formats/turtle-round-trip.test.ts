/** JSON → Turtle → JSON is the identity, but for what `docs/turtle.md` lists. */
import assert from 'node:assert/strict';
import { resolve } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import { arbitraryRecord } from '../../test/support/arbitrary-record.ts';
import { asTurtleKeepsIt, hasSharedObjects } from '../../test/support/as-turtle-keeps-it.ts';
import { canonicalJson, type JsonObject } from '../json.ts';
import { openSchema } from '../schema/schema.ts';
import { readTurtle } from './turtle-read.ts';
import { writeTurtle } from './turtle-write.ts';

/** More records for each class, for a long run: `ROUNDS=10000 node --test …`. */
const numRuns = Number(process.env.ROUNDS ?? 100);

const schema = await openSchema(resolve(import.meta.dirname, '../../test/fixtures/turtle.yaml'));

function there(record: JsonObject, className: string): string {
  return writeTurtle(canonicalJson(record), className, schema);
}

function back(document: string, className: string): JsonObject {
  const checked = schema.check(className, readTurtle(document, className, schema));
  assert.ok(checked.valid, `what was written is not valid: ${JSON.stringify(checked)}\n${document}`);
  return checked.record;
}

for (const className of schema.recordClasses) {
  test(`generated records of the class ${className} come back from Turtle as they were`, () => {
    fc.assert(
      fc.property(arbitraryRecord(schema, className), (record) => {
        fc.pre(!hasSharedObjects(record));
        const document = there(record, className);
        const returned = back(document, className);
        assert.equal(
          canonicalJson(returned),
          canonicalJson(asTurtleKeepsIt(record, className, schema)),
          document,
        );
        assert.equal(
          there(back(there(returned, className), className), className),
          there(returned, className),
        );
      }),
      { numRuns },
    );
  });
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
  ['a number in a union of types', { pid: 'ex:a', width: 5 }],
  ['a text in a union of types', { pid: 'ex:a', width: '5' }],
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

test('a record with an object of its own class comes back', () => {
  const checked = schema.check('Person', {
    pid: 'ex:a',
    friend: { pid: 'ex:b', title: 'B', friend: { pid: 'ex:c' } },
  });
  assert.ok(checked.valid, JSON.stringify(checked));
  assert.equal(canonicalJson(back(there(checked.record, 'Person'), 'Person')), canonicalJson(checked.record));
});
