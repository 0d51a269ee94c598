import assert from 'node:assert/strict';
import { test } from 'node:test';
import { processorTime } from '../test/processor-time.ts';
import { canonicalJson, type JsonValue, parseJson } from './json.ts';
import { compareNumbers } from './types/numbers.ts';
import { BUILT_IN_TYPES } from './types/types.ts';

/** Type, then what is given and what becomes of it, as JSON texts; nothing where it is refused. */
const rows: Record<string, readonly (readonly [string, string?])[]> = {
  integer: [
    ['5', '5'],
    ['5.0', '5'],
    ['1e3', '1000'],
    ['-0.0', '0'],
    ['true', '1'],
    ['" 7 "', '7'],
    ['"+8"', '8'],
    ['"007"', '7'],
    ['"1_000"', '1000'],
    ['"5.0"', '5'],
    ['12345678901234567890123', '12345678901234567890123'],
    ['9007199254740993', '9007199254740993'],
    ['5.5'],
    ['"5."'],
    ['"1e3"'],
    ['"0x10"'],
    ['"1__0"'],
    ['""'],
    ['[1]'],
    ['1e20'],
  ],
  float: [
    ['5', '5.0'],
    ['-0.0', '-0.0'],
    ['1e16', '1e+16'],
    ['1e-5', '1e-05'],
    ['0.0001', '0.0001'],
    ['1e21', '1e+21'],
    ['100000000000000000', '1e+17'],
    ['123456789.12345679', '123456789.12345679'],
    ['"1_0.5"', '10.5'],
    ['".5"', '0.5'],
    ['true', '1.0'],
    ['"inf"'],
    ['"nan"'],
    ['"1,5"'],
    ['1e400'],
  ],
  decimal: [
    ['1.5', '"1.5"'],
    ['"3.250"', '"3.250"'],
    ['"1E+2"', '"1E+2"'],
    ['"1e-10"', '"1E-10"'],
    ['"00.5"', '"0.5"'],
    ['"  4.5 "', '"4.5"'],
    ['1e22', '"1E+22"'],
    ['12345678901234567890123', '"12345678901234567890123"'],
    ['true'],
    ['"nan"'],
    ['""'],
  ],
  boolean: [
    ['true', 'true'],
    ['1.0', 'true'],
    ['0', 'false'],
    ['"Yes"', 'true'],
    ['"oFF"', 'false'],
    ['2'],
    ['" true "'],
    ['[]'],
  ],
  date: [
    ['"2024-02-29"', '"2024-02-29"'],
    ['"2024-02-29T00:00:00"', '"2024-02-29"'],
    ['86400', '"1970-01-02"'],
    ['"0"', '"1970-01-01"'],
    ['"2023-02-29"'],
    ['"2024-02-29T10:00:00"'],
    ['1700000000'],
    ['"0000-01-01"'],
    ['true'],
  ],
  datetime: [
    ['"2024-02-29T10:11:12"', '"2024-02-29T10:11:12"'],
    ['"2024-02-29 10:11"', '"2024-02-29T10:11:00"'],
    ['"2024-02-29"', '"2024-02-29T00:00:00"'],
    ['"2024-02-29T10:11:12.123456789"', '"2024-02-29T10:11:12.123456"'],
    ['"2024-02-29T10:11:12.5+00:00"', '"2024-02-29T10:11:12.500000Z"'],
    ['"2024-02-29T10:11:12-0530"', '"2024-02-29T10:11:12-05:30"'],
    ['1700000000.5', '"2023-11-14T22:13:20.500000Z"'],
    ['1700000000000', '"2023-11-14T22:13:20Z"'],
    ['"2024-02-29T24:00:00"'],
    ['"2024-02-29T10:11:12 +01:00"'],
    ['"now"'],
  ],
  time: [
    ['"10"', '"10"'],
    ['"1011"', '"1011"'],
    ['"10:11:12.5+02:00"', '"10:11:12.5+02:00"'],
    ['"25:00:00"'],
    ['3600'],
  ],
  date_or_datetime: [
    ['"2024-02-29"', '"2024-02-29"'],
    ['"2024-02-29 10:11:12"', '"2024-02-29 10:11:12"'],
    ['"2024"'],
    ['5'],
  ],
  uri: [
    ['"http://[::1]/"', '"http://[::1]/"'],
    ['"no-colon"', '"no-colon"'],
    ['"http://example.org/a b"'],
    ['"http://example.org/ä"'],
  ],
  uriorcurie: [
    ['"nope:local"', '"nope:local"'],
    ['"ex:a:b"', '"ex:a:b"'],
    ['"a_b:c"', '"a_b:c"'],
    ['"_:b0"'],
    ['":x"'],
    ['"ex:ä"'],
  ],
  curie: [['"ex:"', '"ex:"'], ['":x"', '":x"'], ['"no-colon"'], ['"ex:a b"']],
  ncname: [['"ñame"', '"ñame"'], ['"_x"', '"_x"'], ['"2name"'], ['"a:b"'], ['""']],
  jsonpointer: [['""', '""'], ['"/a~1b"', '"/a~1b"'], ['"a/b"'], ['"/a~2"']],
  jsonpath: [['"$..b[0]"', '"$..b[0]"'], ['"bad("'], ['"$[0"']],
  string: [['""', '""'], ['"\\u0000"', '"\\u0000"'], ['5'], ['true']],
};

for (const [name, cases] of Object.entries(rows))
  test(`values of ${name} become canonical, or are refused`, () => {
    const type = BUILT_IN_TYPES.get(name)!;
    for (const [given, expected] of cases) {
      const canonical = type.coerce(parseJson(given));
      assert.equal(canonical === undefined ? undefined : canonicalJson(canonical), expected, given);
      // Canonical values stay as they are.
      if (canonical !== undefined) assert.deepEqual(type.coerce(canonical), canonical);
    }
  });

test('numbers are compared by all their digits', () => {
  const rows: [string, string, number][] = [
    ['5.0', '5', 0],
    ['9007199254740993', '9007199254740992', 1],
    ['1e400', '1e401', -1],
    ['1e400', '5', 1],
    ['-0.0', '0', 0],
  ];
  for (const [a, b, order] of rows)
    assert.equal(compareNumbers(parseJson(a), parseJson(b)), order, `${a} ${b}`);
});

test('texts that are far too long are refused in no time', () => {
  const long = 'x'.repeat(5_000_000);
  const hostile: JsonValue[] = [
    long,
    `http://${long}`,
    '1'.repeat(5_000_000),
    `$${"'\\".repeat(2_000_000)}`,
    ' '.repeat(5_000_000),
  ];
  for (const [name, type] of BUILT_IN_TYPES)
    for (const value of hostile) {
      const time = processorTime(() => type.coerce(value));
      assert.ok(time < 1000, name);
    }
});
