/** Shapes beside pyshacl: the Turtle of every record conforms, and that of what the check refuses does not. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, test } from 'node:test';
import { DataFactory, type Literal, Parser, type Quad, Writer } from 'n3';
import { canonicalJson } from '#linkml/json.ts';
import { readTurtle, shaclShapes, writeTurtle } from '#linkml/turtle/index.ts';
import type { Schema } from '../../src/core/schema/schema.ts';
import { environmentWith } from '../support/python.ts';
import { type Sample, sampleSchemas } from './schemas.ts';

const found = await environmentWith('pyshacl-0.40.1', ['pyshacl==0.40.1']);
const skip = 'missing' in found ? found.missing : false;
const python = 'venv' in found ? join(found.venv, 'bin/python') : '';

/** Records of each schema, and as many mutants. More for a long run: `ACCESSION_SHACL_RECORDS=1000 node --test …`. */
const RECORDS = Number(process.env.ACCESSION_SHACL_RECORDS ?? 5);

/** What pyshacl reports of each graph; null if it conforms. */
async function reports(shapes: string, graphs: readonly string[]): Promise<(string | null)[]> {
  const child = spawn(python, [join(import.meta.dirname, 'conform.py')], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  child.stdin.end(JSON.stringify({ shapes, graphs }));
  const [output] = await Promise.all([text(child.stdout), once(child, 'exit')]);
  return JSON.parse(output);
}

function turtleOf({ className, record }: Sample, schema: Schema): string {
  return writeTurtle(canonicalJson(record), className, schema);
}

const { quad, literal, namedNode } = DataFactory;
const UNKNOWN = namedNode('https://example.org/unknown');
const TYPE = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#type';

/** A type of the fixture has a datatype with fewer values than the type. */
const ILL_TYPED = /"-\d+"\^\^xsd:nonNegativeInteger/;

/** Ways to spoil a triple: what stands in its place. */
const MUTATIONS: Readonly<Record<string, (one: Quad) => Quad[]>> = {
  'an unknown predicate': ({ subject, object }) => [quad(subject, UNKNOWN, object)],
  'a missing value': () => [],
  'a second value': (one) => [one, quad(one.subject, one.predicate, otherValue(one.object))],
  'a literal for a node, or a node for a literal': ({ subject, predicate, object }) => [
    quad(subject, predicate, object.termType === 'Literal' ? UNKNOWN : literal('text')),
  ],
  'another datatype': ({ subject, predicate }) => [
    quad(subject, predicate, literal('P1D', namedNode('http://www.w3.org/2001/XMLSchema#duration'))),
  ],
};

function otherValue(object: Quad['object']): Quad['object'] {
  // rdflib reads every boolean that is not "true" as false.
  if (object.value === 'false') return literal('true', (object as Literal).datatype);
  if (object.termType === 'Literal') return literal(`${object.value}1`, object.datatype);
  return object.termType === 'NamedNode' ? namedNode(`${object.value}1`) : object;
}

type Mutant = { readonly turtle: string; readonly kind: string; readonly of: string };

/** For each record and mutation one graph in which a triple is spoiled, another one for each record. */
async function mutants(samples: readonly Sample[], schema: Schema): Promise<Mutant[]> {
  const all: Mutant[] = [];
  for (const [index, one] of samples.entries()) {
    const document = turtleOf(one, schema);
    // The subject that is the record, if several have its class.
    const base = /^@base .*\n/.exec(document)?.[0] ?? '';
    const quads = new Parser().parse(document);
    // SHACL does not look into literals of JSON.
    const candidates = quads.filter(
      ({ predicate, object }) =>
        predicate.value !== TYPE && !(object.termType === 'Literal' && /JSON$/.test(object.datatype.value)),
    );
    for (const [kind, spoil] of Object.entries(MUTATIONS)) {
      const chosen = candidates[(7 * index + kind.length) % candidates.length];
      if (!chosen) continue;
      const writer = new Writer({ format: 'N-Triples' });
      writer.addQuads(quads.flatMap((triple) => (triple === chosen ? spoil(triple) : [triple])));
      const turtle = await new Promise<string>((done, fail) =>
        writer.end((error, result) => (error ? fail(error) : done(result))),
      );
      all.push({ turtle: base + turtle, kind, of: one.className });
    }
  }
  return all;
}

/** The canonical Turtle of a graph that is a record; undefined if it is refused. */
function rewritten({ turtle, of }: Mutant, schema: Schema): string | undefined {
  try {
    const checked = schema.check(of, readTurtle(turtle, of, schema));
    return checked.valid ? turtleOf({ className: of, record: checked.record }, schema) : undefined;
  } catch {
    return undefined;
  }
}

describe('generated shapes', { skip }, () => {
  test('accept the Turtle of records, and refuse graphs that are not records', async (t) => {
    for (const { name, schema, valid } of await sampleSchemas(RECORDS)) {
      const shapes = shaclShapes(schema).turtle;
      const records = valid.filter((one) => !ILL_TYPED.test(turtleOf(one, schema)));
      const graphs = records.map((one) => turtleOf(one, schema));
      const all = await mutants(records, schema);
      const canonical = all.map((one) => rewritten(one, schema));
      const asked = [...graphs, ...all.map(({ turtle }, index) => canonical[index] ?? turtle)];
      const told = await reports(shapes, asked);
      for (const [index, graph] of graphs.entries()) assert.equal(told[index], null, `${name}:\n${graph}`);
      let [unfit, escaped] = [0, 0];
      for (const [index, { turtle, kind }] of all.entries()) {
        const report = told[graphs.length + index];
        const record = canonical[index];
        if (record !== undefined) assert.equal(report, null, `${name}, ${kind}:\n${record}`);
        else unfit += 1;
        if (record !== undefined || report !== null) continue;
        // Other schemas than those of datalad-concepts, which have dashes, have what `docs/shacl.md` lists as left out.
        assert.ok(!name.includes('-'), `${name}, ${kind}:\n${turtle}`);
        escaped += 1;
      }
      assert.ok(escaped <= 0.05 * unfit, `${name}: ${escaped} of ${unfit} mutants conform`);
      t.diagnostic(
        `${name}: ${graphs.length} records conform, ${unfit} of ${all.length} mutants are none, of which ${escaped} conform`,
      );
    }
  });
});
