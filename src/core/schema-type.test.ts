/** Splicing `schema_type` into canonical text, against doing it by parsing. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { canonicalJson, type JsonObject, parseJson } from '#linkml/json.ts';
import { addSchemaType, removeSchemaType } from './schema-type.ts';

const key = fc.oneof(
  fc.constantFrom(
    'a',
    'pid',
    'schema',
    'schema_typ',
    'schema_type',
    'schema_type2',
    'schema_"',
    'schema_\\',
    'schema\n',
    'z',
    'ß',
  ),
  fc.string(),
);
const record = fc.dictionary(key, fc.jsonValue({ maxDepth: 3 }), { maxKeys: 6 }) as fc.Arbitrary<JsonObject>;

/** Through text and back, so that both sides hold the same numbers. */
const plain = (value: JsonObject) => parseJson(canonicalJson(value)) as JsonObject;

test('with schema_type, a text is what parsing, setting and writing makes of it', () => {
  const property = fc.property(record, (value) => {
    const object = plain(value);
    const expected = canonicalJson({ ...object, schema_type: 'ex:Type "x"' });
    assert.equal(addSchemaType(canonicalJson(object), 'ex:Type "x"'), expected);
    const kept = 'schema_type' in object ? canonicalJson(object) : expected;
    assert.equal(addSchemaType(canonicalJson(object), 'ex:Type "x"', 'keep'), kept);
  });
  fc.assert(property, { numRuns: 3000 });
});

test('without schema_type, a text is what parsing, deleting and writing makes of it', () => {
  const property = fc.property(record, fc.boolean(), (value, present) => {
    const object = plain(present ? { ...value, schema_type: 'ex:Type' } : value);
    const { schema_type: _, ...rest } = object;
    assert.equal(removeSchemaType(canonicalJson(object)), canonicalJson(rest));
  });
  fc.assert(property, { numRuns: 3000 });
});
