import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Numeral } from '#linkml/json.ts';
import { isServiceError } from '../errors.ts';
import { findJsonFault, parseJsonObject } from './json.ts';

test('a JSON object is read, numbers keep their digits', () => {
  assert.deepEqual(parseJsonObject('{"a": 1, "b": [true, null, "x"]}'), { a: 1, b: [true, null, 'x'] });
  assert.deepEqual(parseJsonObject('{"a": 12345678901234567890}'), {
    a: new Numeral('12345678901234567890'),
  });
  assert.deepEqual(parseJsonObject('\ufeff{}'), {});
});

const REFUSED: [name: string, body: string, message: RegExp][] = [
  ['an empty body', '', /empty/],
  ['blanks', ' \n ', /empty/],
  ['a list', '[1]', /one JSON object, found a list/],
  ['a string', '"ex:a"', /found a string/],
  ['null', 'null', /found null/],
  ['a number with many digits', '12345678901234567890', /found a number/],
  ['a missing quote', '{\n  "a: 1}', /line 2, column 3: a string that is not closed/],
  ['a bare word', '{"a": yes}', /line 1, column 7: expected a value, found "y"/],
  [
    'a missing comma',
    '{"a": 1\n "b": 2}',
    /line 2, column 2: expected "," or the closing bracket, found "\\""/,
  ],
  ['a comma too many', '{"a": 1,}', /line 1, column 9: expected a key in double quotes, found "}"/],
  [
    'a comma before a bracket',
    '{"a": [1, ]}',
    /column 11: expected a value, found "]"; remove the comma before it/,
  ],
  ['text behind the object', '{} x', /line 1, column 4: expected the end of the text, found "x"/],
  [
    'an end too early',
    '{"a": [1',
    /line 1, column 9: expected "," or the closing bracket, found the end of the text/,
  ],
  ['columns are characters', '{"é🎉": 🎉}', /line 1, column 8/],
  ['deep nesting', `{"a":${'['.repeat(100_000)}`, /nested deeper than 500/],
  [
    'ten megabytes of string',
    `{"a": "${'x\\\\n'.repeat(3_000_000)}`,
    /column 7: a string that is not closed/,
  ],
  ['deep nesting that is JSON', `{"a":${'['.repeat(10_000)}${']'.repeat(10_000)}}`, /nested deeper than 500/],
];

for (const [name, body, message] of REFUSED) {
  test(`refused, with where and why: ${name}`, () => {
    assert.throws(
      () => parseJsonObject(body),
      (error) => isServiceError(error) && error.code === 'body_malformed' && message.test(error.message),
    );
  });
}

test('the scanner finds a fault exactly where JSON.parse does', () => {
  fc.assert(
    fc.property(fc.json(), fc.nat(), fc.string({ maxLength: 2 }), (json, at, junk) => {
      const text = json.slice(0, at % (json.length + 1)) + junk + json.slice((at + 1) % (json.length + 1));
      let accepted = true;
      try {
        JSON.parse(text);
      } catch {
        accepted = false;
      }
      assert.equal(findJsonFault(text) === undefined, accepted, text);
    }),
  );
});
