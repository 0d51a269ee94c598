/**
 * JSON-LD 1.1 → record: the library expands the document, its graph is read as that of a Turtle document is. Nothing is fetched:
 * the only context outside of the document is that of the collection, by its URL.
 */
import type { JsonLdDocument, Options } from 'jsonld';
import { LinkmlError } from '#linkml/errors.ts';
import { jsonldContext } from '#linkml/generate/jsonld-context.ts';
import { isJsonObject, type JsonObject, type JsonValue, Numeral } from '#linkml/json.ts';
import type { LinkmlSchema } from '#linkml/linkml.ts';
import { excerpt } from '#linkml/position.ts';
import {
  RDF_JSON,
  RDF_NIL,
  RDF_TYPE,
  XSD_BOOLEAN,
  XSD_DECIMAL,
  XSD_DOUBLE,
  XSD_INTEGER,
} from '#linkml/turtle/namespaces.ts';
import { type Graph, GraphBuilder } from '#linkml/turtle/read/graph.ts';
import { readGraph } from '#linkml/turtle/read/read-turtle.ts';
import type { Schema } from '../schema/schema.ts';
import { parseJsonBody } from './json.ts';
import { type RecordInGraph, recordInGraph } from './turtle-records.ts';

/** Characters of the contexts in a document, and of all its strings if each were expanded with all of these. */
const LIMITS = { contexts: 65_536, expanded: 200_000_000 } as const;
/** Digits that a JavaScript number keeps. */
const EXACT_DIGITS = 15;

/**
 * Reads the object of a class. An object without any keyword of JSON-LD is JSON, with the slots of the schema as its members.
 *
 * @param contextUrl where the service has the context of the schema
 * @throws LinkmlError `body_malformed` if it is not JSON-LD, or has members without a meaning; `conversion_failed` if it is not such
 *   an object
 */
export async function readJsonLd(
  body: string,
  className: string,
  schema: LinkmlSchema,
  contextUrl?: string,
): Promise<JsonObject> {
  const found = await graphIn(body, schema, contextUrl);
  return 'json' in found ? found.json : readGraph(found.graph, className, schema);
}

/** Reads the record in a document with its class. @throws as {@link readJsonLd} does */
export async function recordInJsonLd(
  body: string,
  schema: Schema,
  contextUrl?: string,
): Promise<RecordInGraph> {
  const found = await graphIn(body, schema, contextUrl);
  return 'json' in found ? { text: body } : recordInGraph(found.graph, schema);
}

/** The graph of a document, or its object if that is plain JSON. */
async function graphIn(
  body: string,
  schema: LinkmlSchema,
  contextUrl: string | undefined,
): Promise<{ readonly graph: Graph } | { readonly json: JsonObject }> {
  const document = parseJsonBody(body);
  if (isJsonObject(document) && !Object.keys(document).some((name) => name.startsWith('@')))
    return { json: document };
  requireBounded(document);
  return { graph: await graphOf(withNumbers(document), body.length, contextLoader(schema, contextUrl)) };
}

type Loader = NonNullable<Options.DocLoader['documentLoader']>;

/** Loads the context of the schema, and nothing else. */
function contextLoader(schema: LinkmlSchema, contextUrl: string | undefined): Loader {
  const placeOf = (url: string) => {
    const base = contextUrl ?? 'https://localhost/';
    if (!URL.canParse(url, base)) return undefined;
    const { host, pathname } = new URL(url, base);
    return host + pathname;
  };
  return async (url) => {
    if (contextUrl !== undefined && placeOf(url) === placeOf(contextUrl))
      return { documentUrl: url, document: jsonldContext(schema).context as never };
    const own = contextUrl === undefined ? '' : `, or ${contextUrl}`;
    throw malformed(`The context ${excerpt(url)} is not fetched: expected a context in the document${own}.`);
  };
}

/** A node of an expanded document: its members are arrays of values. */
type Node = Readonly<Record<string, JsonValue>>;

async function graphOf(document: JsonValue, length: number, load: Loader): Promise<Graph> {
  const { default: jsonld } = await import('jsonld');
  let refused: unknown;
  const documentLoader: Loader = (url, callback) =>
    load(url, callback).catch((error) => {
      refused = error;
      throw error;
    });
  // In the safe mode, whatever would be left out is an error.
  const options = { documentLoader, safe: true, base: '' };
  let nodes: readonly Node[];
  try {
    nodes = (await jsonld.expand(document as JsonLdDocument, options)) as readonly Node[];
  } catch (error) {
    throw refused ?? explained(error as LibraryError);
  }
  const builder = new GraphBuilder(length);
  addNodes(builder, nodes);
  const root = nodes.length === 1 ? nodes[0]!['@id'] : undefined;
  return { subjects: builder.subjects, base: typeof root === 'string' ? root : undefined };
}

/** Adds the triples of expanded nodes. The library would compare all values of a slot with each other. */
function addNodes({ factory }: GraphBuilder, nodes: readonly Node[]): void {
  let unnamed = 0;
  const resource = (id: string) =>
    id.startsWith('_:') ? factory.blankNode(`named-${id.slice(2)}`) : factory.namedNode(id);
  const literal = ({
    '@value': value,
    '@type': type,
    '@language': language,
    '@direction': direction,
  }: Node) => {
    if (direction !== undefined)
      throw malformed(
        `The document has "${excerpt(String(value))}" with a direction, which records do not have. Leave out @direction.`,
      );
    if (typeof language === 'string') return factory.literal(String(value), language);
    const { text, datatype } = lexical(value!, typeof type === 'string' ? type : undefined);
    return factory.literal(text, datatype === undefined ? undefined : factory.namedNode(datatype));
  };
  const object = (value: Node) => {
    if (value['@value'] !== undefined) return literal(value);
    // Records have no lists, so what is in one makes no difference.
    return value['@list'] === undefined ? add(value) : factory.namedNode(RDF_NIL);
  };
  const add = (node: Node): ReturnType<typeof resource> => {
    const { '@id': id, '@type': types = [], '@reverse': reverse = {} } = node;
    const subject = typeof id === 'string' ? resource(id) : factory.blankNode(`unnamed-${unnamed++}`);
    for (const type of types as string[]) factory.quad(subject, factory.namedNode(RDF_TYPE), resource(type));
    for (const [name, values] of Object.entries(node)) {
      // The names of graphs have no meaning, as in N-Quads.
      if (name === '@graph' || name === '@included') for (const one of values as Node[]) add(one);
      else if (!name.startsWith('@'))
        for (const value of values as Node[]) factory.quad(subject, factory.namedNode(name), object(value));
    }
    for (const [name, subjects] of Object.entries(reverse as JsonObject))
      for (const one of subjects as Node[]) factory.quad(add(one), factory.namedNode(name), subject);
    return subject;
  };
  for (const node of nodes) add(node);
}

/** The text and the datatype of a value (JSON-LD 1.1 API, 8.6.2), but the digits that it has in the document. */
function lexical(
  value: JsonValue,
  type: string | undefined,
): { readonly text: string; readonly datatype: string | undefined } {
  if (type === '@json') return { text: JSON.stringify(value), datatype: RDF_JSON };
  if (typeof value === 'boolean') return { text: String(value), datatype: type ?? XSD_BOOLEAN };
  if (typeof value !== 'number') return { text: String(value), datatype: type };
  const isInteger = Number.isInteger(value) && Math.abs(value) < 1e21;
  const text = type === XSD_DECIMAL && !isInteger ? value.toFixed(20).replace(/0+$/, '') : String(value);
  return { text, datatype: type ?? (isInteger ? XSD_INTEGER : XSD_DOUBLE) };
}

/** Numbers that JavaScript has not exactly are strings: with a datatype from the context, they are the same value. */
function withNumbers(value: JsonValue): JsonValue {
  if (value instanceof Numeral) {
    const digits = value.source.replace(/[eE].*|\D/g, '').replace(/^0+/, '');
    const number = Number(value.source);
    return digits.length > EXACT_DIGITS || !Number.isFinite(number) ? value.source : number;
  }
  if (Array.isArray(value)) return value.map(withNumbers);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, withNumbers(one)]));
}

/**
 * Refuses a document that would take much more memory than its text: each string may be expanded with a long prefix, which others
 * lead to.
 */
function requireBounded(document: JsonValue): void {
  let contexts = 0;
  let strings = 0;
  const walk = (value: JsonValue): void => {
    if (typeof value === 'string') strings += 1;
    else if (Array.isArray(value)) value.forEach(walk);
    else if (isJsonObject(value))
      for (const [name, one] of Object.entries(value)) {
        strings += 1;
        if (name === '@context') contexts += JSON.stringify(one).length;
        else walk(one);
      }
  };
  walk(document);
  if (contexts > LIMITS.contexts)
    throw malformed(`The contexts have ${contexts} characters, expected at most ${LIMITS.contexts}.`);
  if (contexts * strings > LIMITS.expanded)
    throw malformed(
      `The document has ${strings} strings, expected at most ${Math.floor(LIMITS.expanded / contexts)} with contexts of ${contexts} characters.`,
    );
}

/** The error of the library: with a code, or in the safe mode with what would be left out. */
type LibraryError = Error & {
  readonly details?: {
    readonly code?: string;
    readonly event?: { readonly code: string; readonly details: Readonly<Record<string, unknown>> };
  };
};

function explained({ message, details }: LibraryError): LinkmlError {
  const { code, event } = details ?? {};
  if (!event) return malformed(`The body is not JSON-LD: ${excerpt(code ?? message).replace(/\.$/, '')}.`);
  const [found] = Object.values(event.details);
  const shown = excerpt(typeof found === 'string' ? found : JSON.stringify(found));
  if (event.code === 'invalid property')
    return malformed(`The context has no meaning for '${shown}': expected a term, a CURIE or an IRI.`);
  return malformed(`The body is not JSON-LD that can be read as a whole: ${event.code}: '${shown}'.`);
}

function malformed(message: string): LinkmlError {
  return new LinkmlError('body_malformed', message, [{ type: 'jsonld_invalid', loc: [], msg: message }]);
}
