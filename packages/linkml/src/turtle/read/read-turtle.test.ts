import assert from 'node:assert/strict';
import { resolve } from 'node:path';
import { test } from 'node:test';
import { openFile } from '../../../test/open-schema.ts';
import { LinkmlError } from '../../errors.ts';
import type { JsonObject } from '../../json.ts';
import { readTurtle } from './read-turtle.ts';

const schema = await openFile(resolve(import.meta.dirname, '../../../test/turtle.yaml'));

const HEAD = `@prefix ex: <https://accession.invalid/ns/> .
@prefix t: <https://accession.invalid/schemas/turtle/> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
@prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> .
@prefix linkml: <https://w3id.org/linkml/> .
`;

function read(text: string, className = 'Sample'): JsonObject {
  return readTurtle(HEAD + text, className, schema);
}

const READ: [text: string, slots: JsonObject][] = [
  ['t:title "x"@en ; t:labels "a", "b", "a"@de', { title: 'x', labels: ['a', 'b'] }],
  ['t:size 5 ; t:weight 1.5 ; t:done "1"^^xsd:boolean', { size: 5, weight: 1.5, done: true }],
  ['t:title 5 ; t:note true', { title: '5', note: 'True' }],
  ['t:title ex:a ; t:link "ex:a"^^xsd:anyURI ; t:code ex:c', { title: 'ex:a', link: 'ex:a', code: 'ex:c' }],
  [
    't:links <https://accession.invalid/ns/a>, <https://accession.invalid/ns/a:b>, <http://other.invalid/>',
    { links: ['ex:a', 'https://accession.invalid/ns/a:b', 'http://other.invalid/'] },
  ],
  ['t:owner <https://accession.invalid/ns/a:b>', { owner: 'ex:a:b' }],
  [
    't:colour ex:Red ; t:colours "red", ex:Green, "plain"',
    { colour: 'red', colours: ['red', 'green', 'plain'] },
  ],
  ['t:hex "beef"^^t:Hex ; t:count "5"^^xsd:nonNegativeInteger', { hex: 'beef', count: 5 }],
  ['t:mixed "5" ; t:anythings 5, "5", ex:a, "{}"^^rdf:JSON', { mixed: '5', anythings: [5, '5', 'ex:a', {}] }],
  ['t:labels 1, 01, 1.0', { labels: ['1', '1.0'] }],
  ['t:spot [ t:x 1 ; t:deeper [ a t:Spot ; t:x 2 ] ]', { spot: { x: 1, deeper: { x: 2 } } }],
  ['t:spot [ a t:Spot ; t:deeper [ ] ]', {}],
  ['t:spots [ ], [ t:x 1 ]', { spots: [{}, { x: 1 }] }],
  [
    't:part ex:p . ex:p t:label "l" ; t:inner ex:q',
    { part: { pid: 'ex:p', label: 'l', inner: { pid: 'ex:q' } } },
  ],
  ['t:part ex:p', { part: { pid: 'ex:p' } }],
  ['t:partsByPid ex:p, ex:q', { partsByPid: { 'ex:p': { pid: 'ex:p' }, 'ex:q': { pid: 'ex:q' } } }],
  ['t:settings [ t:key "k" ; t:rank 1 ]', { settings: { k: { key: 'k', rank: 1 } } }],
  ['t:tags [ t:name ex:k ; t:value "v" ]', { tags: { 'ex:k': { name: 'ex:k', value: 'v' } } }],
  ['t:shape [ t:kind "Circle" ; t:radius 1.5 ]', { shape: { kind: 'Circle', radius: 1.5 } }],
  ['t:shape [ t:kind "Right Triangle" ; t:base 3 ]', { shape: { kind: 'Right Triangle', base: 3 } }],
  ['t:motto "x"@la', { motto: 'x' }],
  ['t:patron ex:p', { patron: 'ex:p' }],
  ['t:patron "ex:p"', { patron: 'ex:p' }],
  ['t:spot _:b ; t:spots _:b . _:b t:x 1', { spot: { x: 1 }, spots: [{ x: 1 }] }],
  ['t:title [ ex:says "nothing" ], "x"', { title: 'x' }],
  ['t:title "x" . ex:unrelated ex:p "x"', { title: 'x' }],
];

for (const [text, slots] of READ) {
  test(`read: ${text}`, () => {
    assert.deepEqual(read(`ex:r a t:Sample ; ${text} .`), { pid: 'ex:r', schema_type: 't:Sample', ...slots });
  });
}

test('a mapping key that JavaScript knows is a key like any other', () => {
  const { settings } = read('ex:r a t:Sample ; t:settings [ t:key "__proto__" ] .') as {
    settings: JsonObject;
  };
  assert.deepEqual(Object.keys(settings), ['__proto__']);
});

test('a slot may have rdf:type as its URI without naming the class', () => {
  assert.deepEqual(read('ex:r a t:Role, ex:Kind .', 'Role'), { pid: 'ex:r', kinds: ['ex:Kind'] });
  assert.deepEqual(read('ex:r a t:Role .', 'Role'), { pid: 'ex:r' });
});

test('the base of the document distinguishes the record from objects of its class', () => {
  const record = { pid: 'ex:b', schema_type: 't:Person', friend: { pid: 'ex:a', schema_type: 't:Person' } };
  const text = 'ex:a a t:Person . ex:b a t:Person ; t:friend ex:a .';
  assert.deepEqual(read(`BASE <https://accession.invalid/ns/b>\n${text}`, 'Person'), record);
  assert.throws(
    () => read(text, 'Person'),
    /2 subjects have the rdf:type t:Person of the class Person.*: ex:a, ex:b/,
  );
});

const REFUSED: [text: string, type: string, loc: (string | number)[], message: RegExp][] = [
  [
    'ex:r a t:Thing .',
    'turtle_unsuitable',
    [],
    /No subject has the rdf:type t:Sample of the class Sample; the types found are t:Thing/,
  ],
  ['ex:r t:title "x" .', 'turtle_unsuitable', [], /no subject has any/],
  ['ex:r a t:SubSample .', 'turtle_unsuitable', [], /the types found are t:SubSample/],
  ['ex:r a t:Sample . ex:s a t:Sample .', 'turtle_unsuitable', [], /2 subjects have .* ex:r, ex:s/],
  [
    '[] a t:Sample .',
    'turtle_identifier_missing',
    [],
    /Expected an IRI for an object of the class Sample, found a blank node/,
  ],
  [
    'ex:r a t:Sample, t:Thing .',
    'turtle_class_ambiguous',
    [],
    /ex:r: expected one type, found several: t:Sample, t:Thing/,
  ],
  [
    'ex:r a t:Sample ; ex:other "x" .',
    'turtle_predicate_unknown',
    [],
    /ex:r has the predicate ex:other, which is not a slot of the class Sample/,
  ],
  ['ex:r a t:Sample ; t:friend ex:x .', 'turtle_predicate_unknown', [], /t:friend, which is not a slot/],
  [
    'ex:r a t:Sample ; t:title "x", "y" .',
    'turtle_value_superfluous',
    ['title'],
    /title: expected one value, found 2: "x", "y"/,
  ],
  [
    'ex:r a t:Sample ; t:part ex:p, ex:q .',
    'turtle_value_superfluous',
    ['part'],
    /part: expected one value, found 2: ex:p, ex:q/,
  ],
  [
    'ex:r a t:Sample ; t:size "x"^^xsd:integer .',
    'turtle_literal',
    ['size'],
    /"x" is not a value of the datatype xsd:integer/,
  ],
  [
    'ex:r a t:Sample ; t:labels "a", "x"^^ex:unknown .',
    'turtle_literal',
    ['labels', 1],
    /is unknown, expected one of XML Schema or of the schema/,
  ],
  [
    'ex:r a t:Sample ; t:colour ex:Blue .',
    'turtle_enum_unknown',
    ['colour'],
    /ex:Blue is not the meaning of a value of the enumeration Colour/,
  ],
  [
    'ex:r a t:Sample ; t:owner "ex:x" .',
    'turtle_object_expected',
    ['owner'],
    /Expected the IRI of an object of the class Person, found the literal "ex:x"/,
  ],
  [
    'ex:r a t:Sample ; t:part "ex:x" .',
    'turtle_object_expected',
    ['part'],
    /Expected an object of the class Part, found the literal "ex:x"/,
  ],
  ['ex:r a t:Sample ; t:owner [] .', 'turtle_blank_node', ['owner'], /a reference to an object needs an IRI/],
  ['ex:r a t:Sample ; t:title [] .', 'turtle_blank_node', ['title'], /a value is needed/],
  ['ex:r a t:Sample ; t:pet [ t:meows true ] .', 'turtle_blank_node', ['pet'], /a value is needed/],
  ['ex:r a t:Sample ; t:labels ("a" "b") .', 'turtle_list', ['labels'], /rdf:List/],
  ['ex:r a t:Sample ; t:labels () .', 'turtle_list', ['labels'], /rdf:List/],
  [
    'ex:r a t:Sample ; t:spot ex:s .',
    'turtle_identifier_unexpected',
    ['spot'],
    /object of the class Spot, which has no identifier, found the IRI ex:s/,
  ],
  [
    'ex:r a t:Sample ; t:part [ t:label "l" ] .',
    'turtle_identifier_missing',
    ['part'],
    /Expected an IRI for an object of the class Part/,
  ],
  [
    'ex:r a t:Sample ; t:spots [ t:x 1 ], [ t:y 2 ] .',
    'turtle_predicate_unknown',
    ['spots', 1],
    /a blank node has the predicate t:y/,
  ],
  [
    'ex:r a t:Sample ; t:settings [ t:rank 1 ] .',
    'turtle_key_missing',
    ['settings'],
    /has no key, which is its key in the mapping/,
  ],
  [
    'ex:r a t:Sample ; t:settings [ t:key "k" ], [ t:key "k" ] .',
    'turtle_key_repeated',
    ['settings'],
    /same key: k/,
  ],
  [
    'ex:r a t:Sample ; t:shape [ t:kind "Square" ] .',
    'turtle_class_unknown',
    ['shape'],
    /"Square", which is not a class/,
  ],
  [
    'ex:r a t:Sample ; t:shape [ t:kind t:Spot ] .',
    'turtle_class_unsuitable',
    ['shape'],
    /t:Spot, expected Shape or a subclass/,
  ],
  [
    'ex:r a t:Sample ; t:shape [ a t:Circle ; t:kind "Circle" ] .',
    'turtle_class_ambiguous',
    ['shape'],
    /names its class twice/,
  ],
  [
    'ex:r a t:Sample ; t:part ex:p . ex:p t:inner ex:q . ex:q t:inner ex:p .',
    'turtle_cycle',
    ['part', 'inner', 'inner'],
    /ex:p contains itself/,
  ],
  [
    'ex:r a t:Sample ; t:spot _:a . _:a t:deeper _:a .',
    'turtle_cycle',
    ['spot', 'deeper'],
    /a blank node contains itself/,
  ],
  [
    `ex:r a t:Sample ; t:spot ${'[ t:deeper '.repeat(100)} [ t:x 1 ] ${']'.repeat(100)} .`,
    'turtle_too_large',
    ['spot', ...Array(63).fill('deeper')],
    /nested deeper than 64/,
  ],
];

for (const [text, type, loc, message] of REFUSED) {
  test(`refused: ${text.slice(0, 100)}`, () => {
    assert.throws(
      () => read(text),
      (error) => {
        assert.ok(error instanceof LinkmlError && error.code === 'conversion_failed');
        assert.deepEqual({ type: error.problems[0]?.type, loc: error.problems[0]?.loc }, { type, loc });
        assert.match(error.message, message);
        return true;
      },
    );
  });
}

test('all problems of a document are reported at once', () => {
  assert.throws(
    () => read('ex:r a t:Sample ; ex:one 1 ; ex:two 2 ; t:size "x"^^xsd:integer, "y"^^xsd:integer .'),
    (error) =>
      error instanceof LinkmlError && error.problems.length === 4 && /and 3 more/.test(error.message),
  );
});

/** Values that patterns and numbers could be slow with: each must be read, or refused, in no time. */
const LONG: [name: string, text: string][] = [
  ['zeros in the middle of a decimal', `t:title 1.${'0'.repeat(5_000_000)}1`],
  ['zeros in the middle of a decimal slot', `t:exact 1.${'0'.repeat(5_000_000)}1`],
  ['digits of a bounded integer', `t:labels "${'9'.repeat(5_000_000)}"^^xsd:int`],
  ['digits of an open range', `t:anything ${'9'.repeat(5_000_000)}`],
  ['an IRI that is not a slot', `<http://x.invalid/${'x'.repeat(5_000_000)}> 1`],
  ['a literal for an object', `t:part "${'x'.repeat(5_000_000)}"`],
];

for (const [name, text] of LONG) {
  test(`megabytes of ${name} take no time, and no message repeats them`, { timeout: 20_000 }, () => {
    try {
      read(`ex:r a t:Sample ; ${text} .`);
    } catch (error) {
      assert.ok(error instanceof LinkmlError && error.message.length < 500, String(error).slice(0, 200));
    }
  });
}

test('nodes that are used many times cannot make a record of unlimited size', { timeout: 20_000 }, () => {
  const levels = Array.from({ length: 40 }, (_, i) => `_:n${i} t:deeper _:n${i + 1} ; t:x ${i} .`).join('\n');
  assert.equal((read(`ex:r a t:Sample ; t:spot _:n0 .\n${levels}`) as { spot: JsonObject }).spot.x, 0);
  const parts = Array.from({ length: 2000 }, (_, i) => `_:s${i}`).join(', ');
  const many = Array.from({ length: 2000 }, (_, i) => `_:s${i} t:deeper _:deep .`).join('\n');
  const deep = Array.from({ length: 60 }, (_, i) => `_:d${i} t:deeper _:d${i + 1} ; t:x 1 .`).join('\n');
  assert.throws(
    () =>
      read(
        `ex:r a t:Sample ; t:spots ${parts} .\n${many.replaceAll('_:deep', '_:d0')}\n${deep}\n${`_:d60 t:x ${Array.from({ length: 5000 }, (_, i) => i).join(', ')} .`}`,
      ),
    /more than 200000 values|takes one value/,
  );
});

test('a record that a short document would make too large is refused', () => {
  const prefix = `@prefix long: <https://example.org/${'x'.repeat(100)}> .\n`;
  const many = Array.from({ length: 100_000 }, (_, index) => `long:n${index}`).join(', ');
  assert.throws(() => read(`${prefix}ex:s a t:Sample ; t:links ${many} .`), {
    code: 'conversion_failed',
    message: /larger than 10 MiB/,
  });
});
