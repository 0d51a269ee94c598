/** Turtle, JSON-LD and N-Quads of a record are one graph, for processors that others wrote. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import jsonld from 'jsonld';
import { Parser, Writer } from 'n3';
import { canonicalJson, type JsonObject } from '#linkml/json.ts';
import { sampleSchemas } from '../../../test/generate/schemas.ts';
import { openFiles } from '../../../test/support/open-text.ts';
import type { Schema } from '../schema/schema.ts';
import { FORMATS } from './formats.ts';
import type { RecordFormat } from './record-format.ts';

/** The declared types know neither this algorithm nor N-Quads as input. */
const canonize = jsonld.canonize as unknown as (nquads: string, options: object) => Promise<string>;
const inputFormat = 'application/n-quads';
const canonical = (quads: string) =>
  canonize(quads, { algorithm: 'RDFC-1.0', inputFormat, format: inputFormat });

/** N-Quads without the names of graphs. */
function triples(quads: string): string {
  return quads.replace(/ <[^<>]*> \.$/gm, ' .');
}

/** With the text of doubles that JSON-LD processors write (JSON-LD 1.1 API, 8.6.2). */
function withDoubles(quads: string): string {
  return quads.replace(/"([^"]*)"(?=\^\^<[^>]*#double>)/g, (_, text) =>
    JSON.stringify(
      Number(text)
        .toExponential(15)
        .replace(/(\d)0*e\+?/, '$1E'),
    ),
  );
}

/** Refuses every address: documents need nothing but themselves. */
async function documentLoader(address: string): Promise<never> {
  throw new Error(`the document refers to ${address}`);
}

async function graphs(schema: Schema, className: string, record: JsonObject) {
  const json = canonicalJson(record);
  const quads = FORMATS.nq.serialize(json, className, schema);
  const document = FORMATS.jsonld.serialize(json, className, schema);
  const read = await jsonld.toRDF(JSON.parse(document), { format: inputFormat, documentLoader });
  const turtle = new Parser().parse(FORMATS.ttl.serialize(json, className, schema));
  const parsed = new Writer({ format: inputFormat }).quadsToString(turtle);
  return {
    quads: await canonical(withDoubles(triples(quads))),
    turtle: await canonical(withDoubles(parsed)),
    ld: await canonical(withDoubles(String(read))),
    document,
  };
}

test('records of all schemas have one graph in Turtle, in N-Quads and in JSON-LD', async (t) => {
  for (const { name, schema, valid } of await sampleSchemas()) {
    for (const { className, record } of valid) {
      const { quads, turtle, ld, document } = await graphs(schema, className, record);
      assert.equal(ld, quads, `${name}: ${canonicalJson(record)}\n${document}`);
      assert.equal(turtle, quads, `${name}: ${canonicalJson(record)}`);
    }
    t.diagnostic(`${name}: ${valid.length} records`);
  }
});

test('an IRI whose scheme is the name of a prefix stays what it is', async () => {
  const schema = await openFiles({
    'schema.yaml': `
id: https://example.org/schemas/test
name: test
imports: [linkml:types]
classes:
  Thing: {attributes: {id: {identifier: true, range: uriorcurie}, see: {range: uriorcurie, multivalued: true}}}
prefixes: {linkml: 'https://w3id.org/linkml/', urn: 'https://example.org/urn/', ex: 'https://example.org/ex_'}
`,
  });
  for (const see of ['urn:isbn:1', 'https://example.org/ex_a', 'https://example.org/urn/x']) {
    const { quads, ld } = await graphs(schema, 'Thing', {
      id: 'https://example.org/urn/a',
      see: [see, 'ex:b'],
    });
    assert.equal(ld, quads);
  }
});

test('a record is one tree, with objects where they are first referred to', async () => {
  const [laboratory] = await sampleSchemas();
  const { className, record } = laboratory!.valid.find((one) => one.className === 'Person')!;
  const document = JSON.parse(
    FORMATS.jsonld.serialize(canonicalJson(record), className, laboratory!.schema),
  ) as JsonObject;
  assert.deepEqual(Object.keys(document).slice(0, 3), ['@context', '@id', '@type']);
});

test('records of all schemas are read from JSON-LD and from N-Quads as from Turtle', async (t) => {
  for (const { name, schema, valid } of await sampleSchemas()) {
    let read = 0;
    for (const { className, record } of valid) {
      const json = canonicalJson(record);
      const readAs = async (format: 'ttl' | 'jsonld' | 'nq') => {
        const { parse, serialize }: RecordFormat = FORMATS[format];
        const value = await parse(serialize(json, className, schema), className, schema);
        return canonicalJson(schema.check(className, value) as unknown as JsonObject);
      };
      const expected = await readAs('ttl');
      for (const format of ['jsonld', 'nq'] as const)
        assert.equal(await readAs(format), expected, `${name}: ${format}: ${json}`);
      if (JSON.parse(expected).valid) read += 1;
    }
    assert.equal(read, valid.length);
    t.diagnostic(`${name}: ${read} records`);
  }
});
