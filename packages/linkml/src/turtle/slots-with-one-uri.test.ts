/** Slots that share a URI, and values that share an IRI: each value comes back in its slot, as it was. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { canonicalJson, type JsonObject } from '../json.ts';
import { openLinkml } from '../linkml.ts';
import { readTurtle } from './read/read-turtle.ts';
import { writeTurtle } from './write/write-turtle.ts';

/** The attributes of a class, and records that come back from Turtle as they were. */
const ROWS: readonly (readonly [name: string, attributes: string, records: readonly JsonObject[]])[] = [
  [
    'a number before a boolean',
    'num: {range: double, slot_uri: ex:v}, flag: {range: boolean, slot_uri: ex:v}',
    [{ flag: true }, { num: 1.5 }, { num: 0.5, flag: false }],
  ],
  [
    'a boolean before a number and a string',
    'flag: {range: boolean, slot_uri: ex:v}, num: {range: double, slot_uri: ex:v}, text: {slot_uri: ex:v}',
    [{ num: 0.5 }, { text: 'P1D' }, { flag: true, num: 0.5, text: 'true' }],
  ],
  [
    'an integer before a number',
    'i: {range: integer, slot_uri: ex:v}, num: {range: double, slot_uri: ex:v}',
    [{ num: 0.5 }, { i: 5 }],
  ],
  [
    'an enumeration before a string',
    'e: {range: E, slot_uri: ex:v}, t: {slot_uri: ex:v}',
    [{ t: 'x' }, { e: 'a' }, { e: 'b', t: 'x' }],
  ],
  [
    'several values before one',
    'nums: {range: integer, multivalued: true, minimum_cardinality: 2, slot_uri: ex:v}, t: {pattern: "^x", slot_uri: ex:v}',
    [{ nums: [1, 2], t: 'xy' }],
  ],
  [
    'objects with and without an identifier, and of two classes',
    'spot: {range: Spot, slot_uri: ex:v}, one: {range: One, inlined: true, slot_uri: ex:v}, two: {range: Two, inlined: true, slot_uri: ex:v}',
    [{ two: { id: 'ex:2', b: 'y' } }, { spot: { x: 1 }, one: { id: 'ex:1', a: 'x' } }],
  ],
  [
    'a pattern for the IRI, not for the CURIE',
    'ror: {range: uriorcurie, pattern: "^https://ror\\\\.org/\\\\w+$"}, page: {range: Page}',
    [{ ror: 'https://ror.org/02jbv0t02' }, { page: 'https://ror.org/about' }],
  ],
  ['values of one meaning', 'es: {range: E, multivalued: true}', [{ es: ['c'] }, { es: ['b', 'c', 'a'] }]],
];

for (const [name, attributes, records] of ROWS) {
  test(`records come back from Turtle as they were: ${name}`, async () => {
    const schema = await openLinkml(`
id: https://example.org/schemas/one-uri
prefixes: {ex: https://example.org/ns/, ROR: https://ror.org/}
default_prefix: ex
enums: {E: {permissible_values: {a: {}, b: {meaning: ex:B}, c: {meaning: ex:B}}}}
types: {Page: {typeof: uri, pattern: "^https:"}}
classes:
  Thing: {attributes: {id: {identifier: true, range: uriorcurie}, ${attributes}}}
  Spot: {attributes: {x: {range: integer}}}
  One: {attributes: {id: {identifier: true, range: uriorcurie}, a: {}}}
  Two: {attributes: {id: {identifier: true, range: uriorcurie}, b: {}}}
`);
    for (const slots of records) {
      const record = { id: 'ex:r', ...slots };
      const checked = schema.check('Thing', record);
      assert.ok(checked.valid, JSON.stringify(checked));
      const turtle = writeTurtle(canonicalJson(checked.record), 'Thing', schema);
      const back = schema.check('Thing', readTurtle(turtle, 'Thing', schema));
      assert.ok(back.valid, `${JSON.stringify(back)}\n${turtle}`);
      assert.equal(canonicalJson(back.record), canonicalJson(checked.record), turtle);
    }
  });
}
