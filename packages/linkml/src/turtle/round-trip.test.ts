/** JSON → Turtle → JSON is the identity, but for what `docs/turtle.md` lists. */
import assert from 'node:assert/strict';
import { resolve } from 'node:path';
import { test } from 'node:test';
import { identifiedClasses, openFile } from '../../test/open-schema.ts';
import { assertComeBack, back, there } from '../../test/round-trip.ts';
import { canonicalJson, type JsonObject } from '../json.ts';

/** Records for each class. */
const RUNS = Number(process.env.ACCESSION_PROPERTY_RUNS ?? 30);

const schema = await openFile(resolve(import.meta.dirname, '../../test/turtle.yaml'));

for (const className of identifiedClasses(schema))
  test(`generated records of ${className} come back from Turtle as they were`, () =>
    assertComeBack(schema, className, RUNS));

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
      canonicalJson(back(there(checked.record, 'Sample', schema), 'Sample', schema)),
      canonicalJson(checked.record),
    );
  });
}

test('all names of classes that a designator holds come back', () => {
  const kinds = ['t:Subkinds', 't:Kinds'];
  const checked = schema.check('Kinds', { pid: 'ex:a', inner: { pid: 'ex:b', kinds, label: 'b' } });
  assert.ok(checked.valid, JSON.stringify(checked));
  assert.equal(
    canonicalJson(back(there(checked.record, 'Kinds', schema), 'Kinds', schema)),
    canonicalJson(checked.record),
  );
});

test('a record with an object of its own class comes back', () => {
  const checked = schema.check('Person', {
    pid: 'ex:a',
    friend: { pid: 'ex:b', title: 'B', friend: { pid: 'ex:c' } },
  });
  assert.ok(checked.valid, JSON.stringify(checked));
  assert.equal(
    canonicalJson(back(there(checked.record, 'Person', schema), 'Person', schema)),
    canonicalJson(checked.record),
  );
});
