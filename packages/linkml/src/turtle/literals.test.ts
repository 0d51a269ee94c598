import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type JsonValue, Numeral } from '../json.ts';
import { RDF_JSON, XSD } from './namespaces.ts';
import { literalValue } from './read/read-literals.ts';
import { Misfit } from './read/read-run.ts';
import { nativeLiteral, plainDecimal, typedLiteral } from './write/write-values.ts';

const CUSTOM = 'http://example.org/Custom';
const iri = (full: string) =>
  full.replace(XSD, 'xsd:').replace(RDF_JSON, 'rdf:JSON').replace(CUSTOM, 'ex:Custom');

function read(
  text: string,
  datatype: string,
  base: string | undefined,
  own?: string,
  language = '',
): JsonValue {
  const full = datatype.includes('://') ? datatype : XSD + datatype;
  const literal = { kind: 'literal', key: text, text, datatype: full, language } as const;
  return literalValue(literal, base, own ? XSD + own : undefined, (other) => other === CUSTOM);
}

const WRITTEN: [value: JsonValue, base: string, datatype: string, text: string][] = [
  ['a "b"\n\\', 'string', 'string', '"a \\"b\\"\\n\\\\"'],
  ['\u0000\u007f', 'string', 'string', '"\\u0000\\u007F"'],
  ['é🎉', 'string', 'string', '"é🎉"'],
  [5, 'integer', 'integer', '5'],
  [5, 'integer', 'nonNegativeInteger', '"5"^^xsd:nonNegativeInteger'],
  [new Numeral('12345678901234567890123'), 'integer', 'integer', '12345678901234567890123'],
  [1.5, 'float', 'float', '"1.5"^^xsd:float'],
  [new Numeral('1e+21'), 'double', 'double', '"1e+21"^^xsd:double'],
  ['3.250', 'decimal', 'decimal', '3.250'],
  ['2', 'decimal', 'decimal', '"2"^^xsd:decimal'],
  ['1E+2', 'decimal', 'decimal', '"100"^^xsd:decimal'],
  [1e21, 'float', 'decimal', '"1000000000000000000000"^^xsd:decimal'],
  [true, 'boolean', 'boolean', 'true'],
  ['10', 'time', 'time', '"10:00:00"^^xsd:time'],
  ['1011', 'time', 'time', '"10:11:00"^^xsd:time'],
  ['10:11:12.5+0100', 'time', 'time', '"10:11:12.5+01:00"^^xsd:time'],
  ['2024-02-29', 'date', 'date', '"2024-02-29"^^xsd:date'],
];

for (const [value, base, datatype, text] of WRITTEN) {
  test(`written: ${JSON.stringify(value)} of xsd:${datatype} as ${text}`, () => {
    assert.equal(typedLiteral(value, base, XSD + datatype, iri), text);
  });
}

test('values of an open range are written by their JSON type', () => {
  const texts = [5, 1.5, new Numeral('1.0'), true, 'x', { b: [1], a: null }].map((value) =>
    nativeLiteral(value, iri),
  );
  assert.deepEqual(texts, [
    '5',
    '"1.5"^^xsd:double',
    '"1.0"^^xsd:double',
    'true',
    '"x"',
    '"{\\"a\\":null,\\"b\\":[1]}"^^rdf:JSON',
  ]);
});

test('decimals lose their exponent and keep their digits', () => {
  const plain = ['1E+2', '1e-10', '12.5e1', '12.5e-1', '-1.50e3', '0.5'].map(plainDecimal);
  assert.deepEqual(plain, ['100', '0.0000000001', '125', '1.25', '-1500', '0.5']);
});

const READ: [text: string, datatype: string, base: string | undefined, value: JsonValue][] = [
  ['5', 'integer', 'integer', 5],
  ['+007', 'integer', 'integer', 7],
  ['12345678901234567890', 'integer', 'integer', new Numeral('12345678901234567890')],
  ['5', 'string', 'integer', '5'],
  ['true', 'boolean', 'integer', true],
  ['.5', 'decimal', 'float', 0.5],
  ['-0005.50', 'decimal', 'decimal', '-5.5'],
  ['2.0', 'decimal', 'decimal', '2'],
  ['100', 'decimal', 'decimal', '100'],
  ['3.250', 'string', 'decimal', '3.25'],
  ['1.5e0', 'double', 'decimal', '1.5'],
  ['12345678901234567890.125', 'decimal', 'decimal', '12345678901234567890.125'],
  ['1', 'boolean', 'boolean', true],
  ['False', 'string', 'boolean', false],
  ['5', 'integer', 'string', '5'],
  ['1.50', 'decimal', 'string', '1.50'],
  ['true', 'boolean', 'string', 'True'],
  ['x', CUSTOM, 'string', 'x'],
  ['2024-02-29', 'date', 'date_or_datetime', '2024-02-29'],
  ['5', 'integer', undefined, 5],
  ['[1,{"a":null}]', RDF_JSON, undefined, [1, { a: null }]],
  ['2024', 'gYear', 'string', '2024'],
  ['x', 'constructor', 'string', 'x'],
  ['-0.10', 'decimal', 'decimal', '-0.1'],
  ['9'.repeat(50), 'positiveInteger', 'integer', new Numeral('9'.repeat(50))],
];

for (const [text, datatype, base, value] of READ) {
  test(`read: "${text.slice(0, 20)}"^^${datatype} for ${base ?? 'anything'}`, () => {
    assert.deepEqual(read(text, datatype, base), value);
  });
}

test('of its own datatype a slot takes what the schema lets it take', () => {
  assert.equal(read('10:11', 'time', 'time', 'time'), '10:11');
  assert.equal(read('-1', 'nonNegativeInteger', 'integer', 'nonNegativeInteger'), -1);
  assert.equal(read('x', 'hexBinary', 'string', 'hexBinary'), 'x');
  assert.throws(() => read('10:11', 'time', 'string'), Misfit);
  assert.throws(() => read('x', 'integer', 'integer', 'integer'), Misfit);
  assert.throws(() => read('yes', 'boolean', 'boolean', 'boolean'), Misfit);
});

const REFUSED: [text: string, datatype: string, base: string | undefined, message: RegExp][] = [
  ['x', 'integer', 'integer', /"x" is not a value of the datatype xsd:integer/],
  ['-1', 'nonNegativeInteger', 'integer', /not a value of the datatype xsd:nonNegativeInteger/],
  ['256', 'unsignedByte', 'integer', /xsd:unsignedByte/],
  ['1.5.2', 'decimal', 'string', /xsd:decimal/],
  ['yes', 'boolean', 'boolean', /xsd:boolean/],
  ['yes', 'string', 'boolean', /not a boolean/],
  ['true', 'boolean', 'decimal', /found a boolean/],
  [
    '2024-02-29',
    'date',
    'datetime',
    /Expected the datatype xsd:dateTime or xsd:dateTimeStamp, found "2024-02-29" with the datatype xsd:date\./,
  ],
  [
    '2024-02-29T00:00:00',
    'dateTime',
    'date',
    /Expected the datatype xsd:date, found .* with the datatype xsd:dateTime\./,
  ],
  ['2024-02-29T00:00:00', 'string', 'date', /not a date/],
  ['x', 'date', 'string', /xsd:date/],
  ['INF', 'double', 'double', /not a number that JSON can represent/],
  ['a', 'http://unknown.invalid/type', 'string', /The datatype <http:\/\/unknown.invalid\/type> is unknown/],
  ['{', RDF_JSON, undefined, /not JSON/],
  ['9'.repeat(50), 'int', 'integer', /xsd:int/],
  [`-${'9'.repeat(50)}`, 'int', 'integer', /xsd:int/],
  ['abc', 'hexBinary', 'string', /xsd:hexBinary/],
];

for (const [text, datatype, base, message] of REFUSED) {
  test(`refused: "${text.slice(0, 20)}"^^${datatype} for ${base ?? 'anything'}`, () => {
    assert.throws(
      () => read(text, datatype, base),
      (error) => error instanceof Misfit && message.test(error.message),
    );
  });
}

test('millions of digits are not a year', () => {
  for (const type of ['date', 'dateTime', 'gYear', 'gYearMonth'])
    assert.throws(() => read('1'.repeat(10_000_000), type, 'string'), Misfit, type);
});
