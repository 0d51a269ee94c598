/** Which subject of a document is the record. */
import { RDF_TYPE } from '../namespaces.ts';
import type { TurtleClass, TurtleSchema } from '../turtle-schema.ts';
import type { Description, Graph } from './graph.ts';
import { shownKey, unreadable } from './read-run.ts';

/**
 * The subject of the record: the only one with exactly the class as its rdf:type (a subclass does not count).
 *
 * Where objects inside the record have the same class, the document says which one is the record by making its IRI
 * the base (`@base`); so do the documents that the service writes.
 *
 * @throws LinkmlError `conversion_failed` for no root (telling which types the document has), or several
 */
export function findRoot(graph: Graph, target: TurtleClass, schema: TurtleSchema): string {
  const { uri, name } = target.definition;
  const candidates = [...graph.subjects]
    .filter(([, description]) => hasType(description, uri))
    .map(([key]) => key);
  const [first] = candidates;
  if (first === undefined) {
    const found = typesFound(graph, schema);
    throw unreadable(`No subject has the rdf:type ${shownKey(uri, schema)} of the class ${name}; ${found}.`);
  }
  if (candidates.length === 1) return first;
  if (graph.base !== undefined && candidates.includes(graph.base)) return graph.base;
  const list = candidates
    .slice(0, 5)
    .map((key) => shownKey(key, schema))
    .join(', ');
  const found = `${candidates.length} subjects have the rdf:type ${shownKey(uri, schema)} of the class ${name}`;
  throw unreadable(`${found}, so the record is ambiguous: ${list}. Add a @base with the IRI of the record.`);
}

function hasType(description: Description, iri: string): boolean {
  return description.get(RDF_TYPE)?.some((term) => term.key === iri) ?? false;
}

/** Describes the document, which does not have the class that was asked for. */
function typesFound(graph: Graph, schema: TurtleSchema): string {
  const types = new Set<string>();
  for (const description of graph.subjects.values()) {
    for (const term of description.get(RDF_TYPE) ?? [])
      if (types.size < 5) types.add(shownKey(term.key, schema));
  }
  return types.size === 0 ? 'no subject has any' : `the types found are ${[...types].join(', ')}`;
}
