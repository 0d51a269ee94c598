/**
 * Records as JSON-LD 1.1: a document of its own, with the prefixes that it uses as its context. It is written from the Turtle, so
 * the graph is the same, also of what the context of a schema cannot express (`docs/linkml-library.md`).
 */
import { Parser, type Quad } from 'n3';
import type { JsonObject, JsonValue } from '#linkml/json.ts';
import type { LinkmlSchema } from '#linkml/linkml.ts';
import { RDF_TYPE, XSD_BOOLEAN, XSD_INTEGER, XSD_STRING } from '#linkml/turtle/namespaces.ts';
import { iriTerm, type PrefixTable } from '#linkml/turtle/terms.ts';
import { turtleSchema } from '#linkml/turtle/turtle-schema.ts';
import { readJsonLd } from './read-json-ld.ts';
import type { RecordFormat } from './record-format.ts';
import { recordTurtle } from './turtle-records.ts';

export const jsonLdFormat: RecordFormat = {
  title: 'JSON-LD',
  mediaType: 'application/ld+json',
  streamType: 'application/x-ndjson',
  isJson: false,
  mostListed: 60,
  isSlow: true,
  parse: readJsonLd,
  serialize: writeJsonLd,
  // A term without a context has no meaning, so this is an empty graph.
  note: (reason) => JSON.stringify({ reason }),
};

type Term = Quad['object'];

/** The statements of a subject: predicate → objects, in the order of the document. */
type Subject = Map<string, Term[]>;

type Draft = {
  readonly subjects: ReadonlyMap<string, Subject>;
  /** The subjects that are written already: others refer to them. */
  readonly written: Set<string>;
  /** An IRI as it is written. */
  readonly shown: (iri: string) => string;
};

/** Writes a record from its JSON text. @throws LinkmlError `conversion_failed` for a record that does not fit its class */
function writeJsonLd(json: string, className: string, schema: LinkmlSchema): string {
  const document = recordTurtle(json, className, schema);
  const quads = new Parser().parse(document);
  const subjects = subjectsOf(quads);
  const base = /^@base <([^>]*)>/m.exec(document)?.[1];
  const root = base ?? [...subjects.keys()].find((key) => !key.startsWith('_:'));
  if (root === undefined) return '{}';
  const { shown, context } = abbreviations(quads, turtleSchema(schema).prefixes);
  const draft: Draft = { subjects, written: new Set(), shown };
  const record = nodeOf(root, draft);
  const others = [...subjects.keys()].filter((key) => !draft.written.has(key));
  const included = others.flatMap((key) => (draft.written.has(key) ? [] : nodeOf(key, draft)));
  return JSON.stringify({
    ...(Object.keys(context).length > 0 && { '@context': context }),
    ...record,
    ...(included.length > 0 && { '@included': included }),
  });
}

const keyOf = (term: Quad['subject'] | Term) =>
  term.termType === 'BlankNode' ? `_:${term.value}` : term.value;

function subjectsOf(quads: readonly Quad[]): Map<string, Subject> {
  const subjects = new Map<string, Subject>();
  for (const { subject, predicate, object } of quads) {
    const key = keyOf(subject);
    const description: Subject = subjects.get(key) ?? new Map();
    subjects.set(key, description);
    const objects = description.get(predicate.value);
    if (objects) objects.push(object);
    else description.set(predicate.value, [object]);
  }
  return subjects;
}

/** A subject with those that it refers to, each where it is first referred to. */
function nodeOf(key: string, draft: Draft): JsonObject {
  draft.written.add(key);
  const node: JsonObject = key.startsWith('_:') ? {} : { '@id': draft.shown(key) };
  for (const [predicate, objects] of draft.subjects.get(key) ?? []) {
    const isType = predicate === RDF_TYPE && objects.every(({ termType }) => termType === 'NamedNode');
    const values = objects.map((one) => (isType ? draft.shown(one.value) : objectOf(one, draft)));
    node[isType ? '@type' : draft.shown(predicate)] = values.length === 1 ? values[0]! : values;
  }
  return node;
}

/** Whole numbers that JSON-LD processors write as they are read. */
const EXACT = /^(?:0|-?[1-9]\d{0,14})$/;

function objectOf(term: Term, draft: Draft): JsonValue {
  if (term.termType !== 'Literal') {
    const key = keyOf(term);
    const isFirst = draft.subjects.has(key) && !draft.written.has(key);
    return isFirst ? nodeOf(key, draft) : { '@id': draft.shown(key) };
  }
  const { value, language, datatype } = term;
  if (language !== '') return { '@value': value, '@language': language };
  if (datatype.value === XSD_STRING) return value;
  if (datatype.value === XSD_BOOLEAN && /^(?:true|false)$/.test(value)) return value === 'true';
  if (datatype.value === XSD_INTEGER && EXACT.test(value)) return Number(value);
  return { '@value': value, '@type': draft.shown(datatype.value) };
}

/** How IRIs are written, and the context that expands them. */
function abbreviations(
  quads: readonly Quad[],
  prefixes: PrefixTable,
): { readonly shown: Draft['shown']; readonly context: JsonObject } {
  const used = new Set<string>();
  const known = new Map<string, string>();
  const schemes = new Set<string>();
  for (const iri of irisIn(quads)) {
    if (known.has(iri)) continue;
    const term = iriTerm(iri, prefixes, used);
    known.set(iri, term.startsWith('<') ? iri : term);
    if (term.startsWith('<')) schemes.add(iri.slice(0, iri.indexOf(':')));
  }
  // A full IRI whose scheme is the name of a prefix would be expanded with the prefix.
  if ([...used].some((prefix) => schemes.has(prefix))) return { shown: (iri) => iri, context: {} };
  const context = Object.fromEntries([...used].sort().map((prefix) => [prefix, termOf(prefix, prefixes)]));
  return { shown: (iri) => known.get(iri) ?? iri, context };
}

function* irisIn(quads: readonly Quad[]): Generator<string> {
  for (const { subject, predicate, object } of quads) {
    yield predicate.value;
    for (const term of [subject, object]) {
      if (term.termType === 'NamedNode') yield term.value;
      if (term.termType === 'Literal') yield term.datatype.value;
    }
  }
}

/** Only a namespace that ends with a delimiter is a prefix without being declared as one (JSON-LD 1.1, 4.4). */
function termOf(prefix: string, { namespaces }: PrefixTable): JsonValue {
  const namespace = namespaces.get(prefix)!;
  return /[:/?#[\]@]$/.test(namespace) ? namespace : { '@id': namespace, '@prefix': true };
}
