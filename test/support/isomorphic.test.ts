import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isIsomorphic } from './isomorphic.ts';

const EX = '@prefix ex: <http://e/> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .\n';

const ROWS: [name: string, a: string, b: string, same: boolean][] = [
  [
    'prefixes and order are free',
    `${EX}ex:a ex:p 1 ; ex:q 2 .`,
    '<http://e/a> <http://e/q> 2 ; <http://e/p> 1 .',
    true,
  ],
  [
    'labels and nesting are free',
    `${EX}ex:a ex:p [ ex:q [ ex:r 1 ] ] .`,
    `${EX}_:x ex:r 1 . _:y ex:q _:x . ex:a ex:p _:y .`,
    true,
  ],
  [
    'twins are told from one',
    `${EX}ex:a ex:p [ ex:q 1 ], [ ex:q 1 ] .`,
    `${EX}ex:a ex:p [ ex:q 1 ] .`,
    false,
  ],
  [
    'children are not swapped',
    `${EX}ex:a ex:p [ ex:n 1 ; ex:c [ ex:n 2 ] ] .`,
    `${EX}ex:a ex:p [ ex:n 2 ; ex:c [ ex:n 1 ] ] .`,
    false,
  ],
  [
    'numbers count by value',
    `${EX}ex:a ex:p 1e+21, 1.50, 007 .`,
    `${EX}ex:a ex:p "1.0E21"^^xsd:double, 1.5, 7 .`,
    true,
  ],
  ['datatypes count', `${EX}ex:a ex:p 1 .`, `${EX}ex:a ex:p 1.0 .`, false],
  ['languages count', `${EX}ex:a ex:p "a"@en .`, `${EX}ex:a ex:p "a" .`, false],
  [
    'times count by value',
    `${EX}ex:a ex:p "2024-01-01T00:00:00+00:00"^^xsd:dateTime .`,
    `${EX}ex:a ex:p "2024-01-01T00:00:00.000Z"^^xsd:dateTime .`,
    true,
  ],
  [
    'times differ',
    `${EX}ex:a ex:p "2024-01-01T00:00:00+01:00"^^xsd:dateTime .`,
    `${EX}ex:a ex:p "2024-01-01T00:00:00Z"^^xsd:dateTime .`,
    false,
  ],
];

for (const [name, a, b, same] of ROWS) test(name, () => assert.equal(isIsomorphic(a, b), same));
