/** Records as RDF/XML 1.1: the graph of their Turtle, for those who read XML alone. */
import { Parser, type Quad } from 'n3';
import { ServiceError } from '../errors.ts';
import { RDF, XSD_STRING } from '../formats/turtle/namespaces.ts';
import { writeTurtle } from '../formats/turtle/write/write-turtle.ts';
import type { Schema } from '../schema/schema.ts';
import { element, type Html } from './html.ts';

/** Where a predicate becomes a namespace and a name, which XML requires. */
const PREDICATE = /^(.+?)([A-Za-z_][\w.-]*)$/;

/** The document of a record without an XML declaration. @throws ServiceError `conversion_failed` */
export function rdfXml(json: string, className: string, schema: Schema): string {
  const namespaces = new Map([[RDF, 'rdf']]);
  const nodes = new Map<string, string>();
  const nodeOf = (name: string) => {
    nodes.set(name, nodes.get(name) ?? `b${nodes.size}`);
    return nodes.get(name)!;
  };
  const tagOf = (predicate: string) => {
    const [, namespace, name] = PREDICATE.exec(predicate) ?? [];
    if (namespace === undefined || name === undefined)
      throw new ServiceError('conversion_failed', `The predicate <${predicate}> cannot be written in XML.`);
    namespaces.set(namespace, namespaces.get(namespace) ?? `n${namespaces.size}`);
    return `${namespaces.get(namespace)}:${name}`;
  };
  const quads = new Parser().parse(writeTurtle(json, className, schema));
  const subjects = Map.groupBy(quads, ({ subject }) => `${subject.termType} ${subject.value}`);
  const descriptions = [...subjects.values()].map((about) => {
    const { termType, value } = about[0]!.subject;
    const named = termType === 'BlankNode' ? { 'rdf:nodeID': nodeOf(value) } : { 'rdf:about': value };
    const properties = about.map(({ predicate, object }) =>
      propertyOf(tagOf(predicate.value), object, nodeOf),
    );
    return element('rdf:Description', properties, named);
  });
  const declared = [...namespaces].map(([namespace, prefix]) => [`xmlns:${prefix}`, namespace]);
  return element('rdf:RDF', descriptions, Object.fromEntries(declared)).text;
}

function propertyOf(tag: string, object: Quad['object'], nodeOf: (name: string) => string): Html {
  if (object.termType === 'NamedNode') return element(tag, '', { 'rdf:resource': object.value });
  if (object.termType === 'BlankNode') return element(tag, '', { 'rdf:nodeID': nodeOf(object.value) });
  const { value, language, datatype } = object as Extract<Quad['object'], { termType: 'Literal' }>;
  if (language !== '') return element(tag, value, { 'xml:lang': language });
  const type = datatype.value === XSD_STRING ? undefined : datatype.value;
  return element(tag, value, { 'rdf:datatype': type });
}
