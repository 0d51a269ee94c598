/** JSON-LD with the generated context is the graph of the Turtle, apart from what a context cannot express. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import jsonld from 'jsonld';
import { DataFactory, Parser, type Quad, type Term, Writer } from 'n3';
import { jsonldContext } from '#linkml/generate/jsonld-context.ts';
import { canonicalJson, isJsonObject, type JsonValue, Numeral } from '#linkml/json.ts';
import { writeTurtle } from '#linkml/turtle/index.ts';
import { asTurtleKeepsIt } from '#linkml-test/as-turtle-keeps-it.ts';
import type { Schema } from '../../src/core/schema/schema.ts';
import { openElements } from '../support/open-text.ts';
import { type Sample, sampleSchemas } from './schemas.ts';

const RDF = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#';
const XSD = 'http://www.w3.org/2001/XMLSchema#';

/** A graph as canonical N-Quads (RDFC-1.0), with literals in one text for each value. */
async function canonical(quads: readonly Quad[]): Promise<string> {
  const { quad, literal, namedNode } = DataFactory;
  const object = (term: Quad['object']) =>
    term.termType === 'Literal'
      ? literal(byValue(term.value, term.datatype.value), namedNode(term.datatype.value))
      : term;
  const writer = new Writer({ format: 'N-Quads' });
  for (const one of quads) writer.addQuad(quad(one.subject, one.predicate, object(one.object)));
  const text = await new Promise<string>((done, fail) =>
    writer.end((error, result) => (error ? fail(error) : done(result))),
  );
  const format = 'application/n-quads';
  return await canonize(text, { algorithm: 'RDFC-1.0', inputFormat: format, format });
}

/** The declared types know neither this algorithm nor N-Quads as input. */
const canonize = jsonld.canonize as unknown as (nquads: string, options: object) => Promise<string>;

function byValue(text: string, datatype: string): string {
  if ([`${XSD}float`, `${XSD}double`].includes(datatype)) return String(Number(text));
  return datatype === `${XSD}decimal` ? text.replace(/\.0*$|(?<=\.\d*[1-9])0+$/, '') : text;
}

/** The graph of a record in Turtle, and in JSON-LD. */
async function graphs({ className, record }: Sample, schema: Schema, context: object) {
  const turtle = new Parser().parse(writeTurtle(canonicalJson(record), className, schema));
  const document = {
    ...context,
    '@type': schema.schemaType(className),
    // Defaults and the long form of mappings, which Turtle has, too.
    ...JSON.parse(canonicalJson(asTurtleKeepsIt(record, className, schema))),
  };
  const nquads = await jsonld.toRDF(document, { format: 'application/n-quads' });
  const json = new Parser({ format: 'N-Quads' }).parse(nquads as unknown as string);
  const typed = new Set(json.filter(isType).map(({ subject }) => idOf(subject)));
  const untyped = (quads: readonly Quad[]) =>
    quads.filter(
      (one) => !isType(one) || (one.subject.termType === 'NamedNode' && typed.has(idOf(one.subject))),
    );
  return { turtle: await canonical(untyped(turtle)), json: await canonical(untyped(json)) };
}

function isType({ predicate }: Quad): boolean {
  return predicate.value === `${RDF}type`;
}

function idOf(term: Term): string {
  return `${term.termType} ${term.value}`;
}

/** Numbers with exponents or more digits than JSON-LD writes, and whole numbers of type double. */
const BEYOND_NUMBERS = /e|\.0$|(?:\d\.?){16}/;

/** Whether a context cannot express what a record has: one of the points of `docs/linkml-library.md`. */
function isBeyondContext(value: JsonValue, slots: ReadonlySet<string>): boolean {
  if (value instanceof Numeral || typeof value === 'number') return BEYOND_NUMBERS.test(canonicalJson(value));
  if (Array.isArray(value)) return value.some((one) => isBeyondContext(one, slots));
  if (!isJsonObject(value)) return false;
  const members = Object.entries(value);
  return (
    members.every(([, inner]) => Array.isArray(inner) && inner.length === 0) ||
    members.some(([key, inner]) => slots.has(key) || isBeyondContext(inner, slots))
  );
}

test('records of all schemas have one graph in Turtle and in JSON-LD', async () => {
  for (const { name, schema, valid } of await sampleSchemas()) {
    const { context, warnings } = jsonldContext(schema);
    const warned = new Set(warnings.flatMap((text) => /^(\w+): (?!entries)/.exec(text)?.[1] ?? []));
    let compared = 0;
    for (const one of valid) {
      const { turtle, json } = await graphs(one, schema, context);
      if (/#anyURI>|<\w+:\w+:\w+>/.test(turtle) || isBeyondContext(one.record, warned)) continue;
      compared += 1;
      assert.equal(json, turtle, `${name}: ${canonicalJson(one.record)}`);
    }
    // The schemas of datalad-concepts have dashes; the others were written to have everything that is odd.
    const least = name.includes('-') ? 0.9 : 0.5;
    assert.ok(compared >= least * valid.length, `${name}: ${compared} of ${valid.length}`);
  }
});

test('a slot that means something else in a class has a scoped context', async () => {
  const schema = await openElements(`
classes:
  Thing: {attributes: {id: {identifier: true, range: uriorcurie}, type: {designates_type: true, slot_uri: 'http://www.w3.org/1999/02/22-rdf-syntax-ns#type', range: uriorcurie}}}
  Person: {is_a: Thing, attributes: {name: {slot_uri: ex:personName}, ex: {range: uriorcurie}}}
  Ship: {is_a: Thing, attributes: {name: {slot_uri: ex:shipName}, engine: {range: Engine, inlined: true}}}
  Boat: {is_a: Ship}
  Engine: {attributes: {name: {slot_uri: ex:engineName, range: integer}, owner: {range: Person, inlined: true}}}
`);
  const { context, warnings } = jsonldContext(schema);
  const record = {
    id: 't:s',
    name: 'Vasa',
    type: 't:Ship',
    engine: { name: 7, owner: { id: 't:p', type: 't:Person', name: 'Per', ex: 'ex:q' } },
  };
  assert.ok(schema.check('Ship', record).valid);
  const { turtle, json } = await graphs({ className: 'Ship', record }, schema, context);
  assert.equal(json, turtle);
  for (const term of ['shipName> "Vasa"', 'personName> "Per"', 'engineName> "7"'])
    assert.ok(json.includes(term), json);
  assert.deepEqual(warnings, ['The prefix ex has the name of a slot: identifiers with it are not expanded.']);
});
