/** Records as Turtle, as documents of one record each in a stream, and as N-Quads with one graph per record. */
import { type BlankNode, DataFactory, Parser, type Quad, Writer } from 'n3';
import { canonicalJson } from '#linkml/json.ts';
import { RDF_TYPE } from '#linkml/turtle/namespaces.ts';
import { type Graph, parseGraph } from '#linkml/turtle/read/graph.ts';
import { readGraph } from '#linkml/turtle/read/read-turtle.ts';
import { writeTurtle } from '#linkml/turtle/write/write-turtle.ts';
import type { LinkmlSchema, Schema } from '../schema/schema.ts';
import { definedText } from '../schema-type.ts';

/** Writes a stored record from its text. @throws LinkmlError `conversion_failed` for a record that does not fit its class */
export function recordTurtle(json: string, className: string, schema: LinkmlSchema): string {
  return writeTurtle(definedText(schema, className, json), className, schema);
}

const PREFIX_LINE = /^\s*@?(?:prefix|base)\s/i;

/**
 * The documents in the lines of a stream: each begins with its prefixes.
 *
 * @param areWhole whether each has all prefixes that it needs; else prefixes remain known to the documents that follow
 */
export async function* turtleDocuments(
  lines: AsyncIterable<string>,
  { areWhole = false } = {},
): AsyncGenerator<string> {
  const prefixes = new Map<string, string>();
  let head: string[] = [];
  let body: string[] = [];
  const document = () =>
    [...prefixes.values(), ...head.filter((line) => /^\s*@?base/i.test(line)), ...body].join('\n');
  for await (const line of lines) {
    if (!PREFIX_LINE.test(line)) {
      body.push(line);
      continue;
    }
    if (body.length > 0) {
      yield document();
      head = [];
      body = [];
      if (areWhole) prefixes.clear();
    }
    head.push(line);
    const prefix = /prefix\s+([^:]*:)/i.exec(line)?.[1];
    if (prefix !== undefined) prefixes.set(prefix, line);
  }
  if (body.length > 0) yield document();
}

/** The documents in the lines of N-Quads, one for each run of quads with one graph, whose name is the record. */
export async function* quadDocuments(lines: AsyncIterable<string>): AsyncGenerator<string> {
  let graph = '';
  let run: string[] = [];
  for await (const line of lines) {
    if (/^\s*#/.test(line)) continue;
    const next = /<([^>]*)>\s*\.\s*$/.exec(line)?.[1] ?? '';
    if (run.length > 0 && next !== graph) {
      yield documentOf(run, graph);
      run = [];
    }
    graph = next;
    run.push(line);
  }
  if (run.length > 0) yield documentOf(run, graph);
}

/** Blank nodes belong together, so that all quads of a graph are parsed at once. */
function documentOf(run: readonly string[], graph: string): string {
  const writer = new Writer({ format: 'N-Triples' });
  const quads = new Parser({ format: 'N-Quads' }).parse(run.join('\n'));
  const triples = quads.map(({ subject, predicate, object }) =>
    writer.quadToString(subject, predicate, object),
  );
  return `${graph === '' ? '' : `@base <${graph}> .\n`}${triples.join('')}`;
}

/** The N-Quads of a Turtle document: the graph is named for the record, blank nodes have the number or the name of the document. */
export function quadsOf(document: string, number: number | string): string {
  const writer = new Writer({ format: 'N-Quads' });
  const base = /^\s*@?base\s*<([^>]*)>/im.exec(document)?.[1];
  const quads = new Parser().parse(document);
  const record =
    base === undefined ? quads.find(({ subject }) => subject.termType === 'NamedNode')?.subject.value : base;
  const graph = DataFactory.namedNode(record ?? '');
  const labels = new Map<string, BlankNode>();
  const own = <T extends Quad['subject'] | Quad['object']>(term: T): T | BlankNode => {
    if (term.termType !== 'BlankNode') return term;
    const known = labels.get(term.value) ?? DataFactory.blankNode(`r${number}b${labels.size}`);
    labels.set(term.value, known);
    return known;
  };
  return quads
    .map(({ subject, predicate, object }) => writer.quadToString(own(subject), predicate, own(object), graph))
    .join('');
}

/** A record in canonical JSON. The class is missing if plain JSON, which may name it, is read as JSON-LD. */
export type RecordInGraph = { readonly text: string; readonly className?: string };

export function recordInTurtle(document: string, schema: Schema): RecordInGraph {
  return recordInGraph(parseGraph(document), schema);
}

/** The record in a graph with its class: that of the base, or of the first subject that has the type of a record. */
export function recordInGraph(graph: Graph, schema: Schema): RecordInGraph {
  const byUri = new Map(
    schema.recordClasses.toReversed().map((name) => [schema.classes.get(name)?.uri, name]),
  );
  const typed = [...graph.subjects].flatMap(([subject, description]) =>
    (description.get(RDF_TYPE) ?? []).flatMap((type) => {
      const className = type.kind === 'iri' ? byUri.get(type.iri) : undefined;
      return className === undefined ? [] : [{ subject, className }];
    }),
  );
  const className =
    (typed.find(({ subject }) => subject === graph.base) ?? typed[0])?.className ??
    schema.recordClasses[0] ??
    '';
  return { text: canonicalJson(readGraph(graph, className, schema)), className };
}
