import assert from 'node:assert/strict';
import { resolve } from 'node:path';
import { test } from 'node:test';
import { openFile } from '../../../test/open-schema.ts';
import { LinkmlError } from '../../errors.ts';
import type { JsonObject } from '../../json.ts';
import { writeTurtle } from './write-turtle.ts';

const schema = await openFile(resolve(import.meta.dirname, '../../../test/turtle.yaml'));

function write(record: JsonObject, className = 'Sample'): string {
  return writeTurtle(JSON.stringify(record), className, schema);
}

/** The statements of a document, without its prefixes. */
function statements(record: JsonObject, className?: string): string {
  return write(record, className).replace(/^(?:@.*\n)*\n/, '');
}

test('a document has the prefixes that it uses, the type first, and predicates in the order of their IRIs', () => {
  const record = {
    title: 'x',
    pid: 'ex:a',
    labels: ['b', 'a'],
    level: 1,
    size: 5,
    weight: 1.5,
    schema_type: 't:Sample',
  };
  assert.equal(
    write(record),
    `@prefix ex: <https://accession.invalid/ns/> .
@prefix t: <https://accession.invalid/schemas/turtle/> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .

ex:a a t:Sample ;
    t:labels "b", "a" ;
    t:level 1 ;
    t:size 5 ;
    t:title "x" ;
    t:weight "1.5"^^xsd:float .
`,
  );
  assert.equal(
    write(record),
    write(Object.fromEntries(Object.entries(record).reverse())),
    'the order of keys is free',
  );
});

test('objects without an identifier are nested, objects with one are statements', () => {
  const record = {
    pid: 'ex:a',
    spot: { x: 1, deeper: { x: 2 } },
    spots: [{ x: 3 }, { x: 3 }],
    part: { pid: 'ex:p', label: 'l' },
  };
  assert.equal(
    statements(record),
    `ex:a a t:Sample ;
    t:level 1 ;
    t:part ex:p ;
    t:spot [
        a t:Spot ;
        t:deeper [
            a t:Spot ;
            t:x 2
        ] ;
        t:x 1
    ] ;
    t:spots [
        a t:Spot ;
        t:x 3
    ], [
        a t:Spot ;
        t:x 3
    ] .

ex:p a t:Part ;
    t:label "l" .
`,
  );
});

const PROPERTIES: [name: string, slots: JsonObject, text: string][] = [
  [
    'IRIs, CURIEs and what is neither',
    { links: ['ex:a', 'https://accession.invalid/ns/b', 'no-colon', 'nope:x', 'ex:a:b', 'ex:a/b'] },
    't:links ex:a, ex:b, "no-colon"^^xsd:anyURI, <nope:x>, <ex:a:b>, <https://accession.invalid/ns/a/b>',
  ],
  ['a CURIE type is text', { code: 'ex:a' }, 't:code "ex:a"'],
  ['a reference', { owner: 'ex:a:b' }, 't:owner ex:a:b'],
  ['enumerations by meaning', { colours: ['red', 'plain'] }, 't:colours ex:Red, "plain"'],
  [
    'types of the schema',
    { hex: 'beef', count: 5 },
    't:count "5"^^xsd:nonNegativeInteger ;\n    t:hex "beef"^^t:Hex',
  ],
  [
    'an open range',
    { anythings: [1, 'x', true, { a: [1] }] },
    't:anythings 1, "x", true, "{\\"a\\":[1]}"^^rdf:JSON',
  ],
  ['one of several types', { mixed: '5' }, 't:mixed "5"'],
  ['one of several classes', { pet: { meows: true } }, 't:pet "{\\"meows\\":true}"^^rdf:JSON'],
  [
    'a designator instead of a type',
    { shape: { kind: 'Circle', radius: 1 } },
    't:shape [\n        t:kind "Circle" ;\n        t:radius "1"^^xsd:float\n    ]',
  ],
  [
    'a mapping in short form',
    { tags: { 'ex:k': 'v' } },
    't:tags [\n        a t:Tag ;\n        t:name ex:k ;\n        t:value "v"\n    ]',
  ],
  [
    'a mapping with a key that JavaScript knows',
    { settings: JSON.parse('{"__proto__": {"key": "__proto__", "rank": 1}}') },
    't:settings [\n        a t:Setting ;\n        t:key "__proto__" ;\n        t:rank 1\n    ]',
  ],
];

for (const [name, slots, text] of PROPERTIES) {
  test(`${name}: ${text.replaceAll(/\s+/g, ' ')}`, () => {
    const [, properties] =
      /^ex:r a t:Sample ;\n {4}([\s\S]*) \.\n$/.exec(statements({ pid: 'ex:r', level: 1, ...slots })) ?? [];
    assert.equal(properties?.replace(/t:level 1 ;\n {4}|( ;\n {4})t:level 1$/, ''), text);
  });
}

test('what is empty has no triple, and what is equal has one', () => {
  const record = {
    pid: 'ex:r',
    labels: [],
    links: ['ex:a', 'ex:a'],
    spot: {},
    settings: {},
    spots: [{}],
    level: 2,
  };
  assert.equal(
    statements(record),
    'ex:r a t:Sample ;\n    t:level 2 ;\n    t:links ex:a ;\n    t:spots [\n        a t:Spot\n    ] .\n',
  );
});

test('a slot that has rdf:type as its URI is written beside the type', () => {
  assert.equal(
    statements({ pid: 'ex:r', kinds: ['ex:Kind'] }, 'Role'),
    'ex:r a t:Role ;\n    rdf:type ex:Kind .\n',
  );
});

test('a record with objects of its own class says by its base which one is the record', () => {
  const record = { pid: 'ex:a', friend: { pid: 'ex:b', schema_type: 't:Person' }, schema_type: 't:Person' };
  assert.match(write(record, 'Person'), /^@base <https:\/\/accession\.invalid\/ns\/a> \.\n/);
  assert.doesNotMatch(write({ pid: 'ex:a', friend: null }, 'Person'), /@base/);
  assert.doesNotMatch(write({ pid: 'ex:a', friend: { pid: 'ex:a', title: 'A' } }, 'Person'), /@base/);
});

const UNWRITABLE: [name: string, record: JsonObject, message: RegExp][] = [
  [
    'a key that is not a slot',
    { pid: 'ex:a', other: 1 },
    /the key other, which is not a slot of the class Sample/,
  ],
  ['no pid', { title: 'x' }, /has no pid/],
  ['a pid that is not an IRI', { pid: 'a b' }, /"a b" does not resolve to an IRI/],
  ['text for an object', { pid: 'ex:a', part: 'ex:p' }, /part: expected an object of the class Part/],
];

for (const [name, record, message] of UNWRITABLE) {
  test(`a stored record that does not fit is an error: ${name}`, () => {
    assert.throws(
      () => write(record),
      (error) =>
        error instanceof LinkmlError && error.code === 'conversion_failed' && message.test(error.message),
    );
  });
}
