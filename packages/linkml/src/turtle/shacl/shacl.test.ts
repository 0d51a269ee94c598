/** The parts of a schema that are in its shapes. `test/generate/shacl.long.test.ts` holds them against pyshacl. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Parser } from 'n3';
import { openElements } from '../../../test/open-schema.ts';
import { shaclShapes } from './shacl.ts';

const ELEMENTS = `
enums:
  Kind: {permissible_values: {one: {meaning: ex:One}, two: {}}}
types:
  Code: {typeof: string, pattern: '^[a-z]+$'}
classes:
  Thing: {attributes: {id: {identifier: true, range: uriorcurie}}}
  Person: {is_a: Thing}
  Shape: {abstract: true, attributes: {kind: {designates_type: true}}}
  Circle: {is_a: Shape, attributes: {radius: {range: float, minimum_value: 0}}}
  Square: {is_a: Shape, attributes: {side: {range: integer, minimum_value: 1, maximum_value: 9}}}
  First: {class_uri: ex:Same, attributes: {a: {required: true}}}
  Second: {class_uri: ex:Same, attributes: {b: {required: true}}}
  All:
    attributes:
      kind: {range: Kind, required: true}
      code: {range: Code, pattern: '^.{3}$', title: Code, description: A code.}
      named: {pattern: '^(?P<x>a)$'}
      knows: {range: Thing, multivalued: true, maximum_cardinality: 3}
      shape: {range: Shape, inlined: true}
      same: {range: First, inlined: true}
      mixed: {any_of: [{range: integer}, {range: Kind}]}
      x: {slot_uri: ex:v, range: integer}
      y: {slot_uri: ex:v, range: boolean}
    unique_keys: {main: {unique_key_slots: [code]}}
`;

test('each element of a schema has its form in SHACL', async () => {
  const { turtle, warnings } = shaclShapes(await openElements(ELEMENTS));
  new Parser().parse(turtle);
  for (const text of [
    't:Thing a sh:NodeShape ;\n  sh:targetClass t:Thing ;\n  rdfs:label "Thing" ;\n  sh:closed true ;\n  sh:ignoredProperties ( rdf:type ) .',
    'sh:minCount 1 ;\n    sh:maxCount 1 ;\n    sh:in ( ex:One "two" )',
    'sh:name "Code" ;\n    sh:description "A code." ;\n    sh:order 1 ;\n    sh:maxCount 1 ;\n    sh:datatype xsd:string ;\n    sh:pattern "^$|^[a-z]+$" ;\n    sh:node [ sh:pattern "^.{3}$" ]',
    'sh:path t:knows ;\n    sh:name "knows" ;\n    sh:order 3 ;\n    sh:maxCount 3 ;\n    sh:nodeKind sh:IRI\n',
    'sh:nodeKind sh:BlankNode ;\n    sh:or ( [ sh:node t:Circle ] [ sh:node t:Square ] )',
    'sh:path t:kind ;\n    sh:name "kind" ;\n    sh:order 1 ;\n    sh:minCount 1 ;\n    sh:maxCount 1 ;\n    sh:in ( "Circle" )',
    'sh:minInclusive "0"^^xsd:float',
    'sh:minInclusive 1 ;\n    sh:maxInclusive 9',
    '[] a sh:NodeShape ;\n  sh:targetClass ex:Same ;\n  sh:or ( t:First t:Second ) .',
    't:First a sh:NodeShape ;\n  rdfs:label',
    'sh:or ( [ sh:datatype xsd:string ] [ sh:datatype xsd:integer ] )',
    'sh:path ex:v ;\n    sh:name "x" ;\n    sh:order 7 ;\n    sh:maxCount 2 ;\n    sh:or ( [ sh:datatype xsd:integer ] [ sh:datatype xsd:boolean ] )',
  ])
    assert.ok(turtle.includes(text), `${text}\n\n${turtle}`);
  assert.deepEqual(warnings, [
    'All: unique keys are left out.',
    'All.named: the pattern ^(?P<x>a)$ is left out.',
  ]);
});

test('references demand a class of the slot if that is wanted', async () => {
  const { turtle } = shaclShapes(await openElements(ELEMENTS), { references: true });
  assert.ok(
    turtle.includes('sh:nodeKind sh:IRI ;\n    sh:or ( [ sh:class t:Thing ] [ sh:class t:Person ] )'),
    turtle,
  );
});
