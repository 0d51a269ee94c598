import assert from 'node:assert/strict';
import { test } from 'node:test';
import { canonicalJson } from '#linkml/json.ts';
import { openSchemaText } from '../schema/schema.ts';
import { readJsonLd } from './read-json-ld.ts';

const SCHEMA = `
id: https://example.org/s
name: s
prefixes: {linkml: https://w3id.org/linkml/, ex: https://example.org/}
default_prefix: ex
imports: [linkml:types]
classes:
  Thing:
    attributes:
      pid: {identifier: true, range: uriorcurie}
      size: {range: double}
      count: {range: integer}
`;

test('numbers of JSON-LD are those of the document, also beyond a double', async () => {
  const schema = await openSchemaText(SCHEMA, 'schema.yaml');
  const read = async (member: string) => {
    const body = `{"@context": {"@vocab": "https://example.org/"}, "@id": "ex:1", "@type": "Thing", ${member}}`;
    const record = await readJsonLd(body, 'Thing', schema);
    const checked = schema.check('Thing', record);
    return checked.valid ? canonicalJson(checked.record) : checked.problems[0]!.msg;
  };
  assert.match(await read('"count": 12345678901234567890'), /"count":12345678901234567890/);
  assert.match(await read('"size": 0.1'), /"size":0\.1/);
  for (const number of ['1e400', '-1e400'])
    assert.equal(await read(`"size": ${number}`), `size: found "${number}", expected a number.`);
});
