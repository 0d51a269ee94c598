/** Which subject of a document is the record. */
import { ServiceError } from '../errors.ts';
import type { SlotRange } from '../schema/schema.ts';
import { RDF_TYPE } from './namespaces.ts';
import type { Description, Graph } from './turtle-graph.ts';
import type { TurtleClass, TurtleSchema } from './turtle-schema.ts';

/**
 * The subject of the record: the only one with exactly the class as its rdf:type (a subclass does not count).
 *
 * Objects inside the record may be of the same class where the document has to say so, that is, where their slot
 * has a class above as its range: they are not taken for roots. Where the slot's range is the class itself, its
 * objects are written without a type, and one that has it counts as a second root.
 *
 * @throws ServiceError `conversion_failed` for no root (telling which types the document has), or several
 */
export function findRoot(graph: Graph, target: TurtleClass, schema: TurtleSchema): string {
  const { uri, name } = target.definition;
  const candidates = [...graph.subjects]
    .filter(([, description]) => hasType(description, uri))
    .map(([key]) => key);
  if (candidates.length === 0)
    throw refused(
      `No subject has the rdf:type ${shown(uri, schema)} of the class ${name}; ${typesFound(graph, schema)}.`,
    );
  if (candidates.length === 1) return candidates[0]!;
  const inner = innerObjects(graph, candidates, target, schema);
  const roots = candidates.filter((key) => !inner.has(key));
  if (roots.length === 1) return roots[0]!;
  const list = candidates
    .slice(0, 5)
    .map((key) => shown(key, schema))
    .join(', ');
  throw refused(
    `${candidates.length} subjects have the rdf:type ${shown(uri, schema)} of the class ${name}, so that it is not clear which one is the record: ${list}.`,
  );
}

function hasType(description: Description, iri: string): boolean {
  return description.get(RDF_TYPE)?.some((term) => term.key === iri) ?? false;
}

/** Those of the candidates that are objects in a slot with a class above as its range, wherever in the graph. */
function innerObjects(
  graph: Graph,
  candidates: readonly string[],
  target: TurtleClass,
  schema: TurtleSchema,
): Set<string> {
  const open = new Set(candidates);
  const inner = new Set<string>();
  const predicates = predicatesToAncestors(target, schema);
  for (const description of graph.subjects.values()) {
    for (const [predicate, objects] of description) {
      if (!predicates.has(predicate)) continue;
      for (const { key } of objects) if (open.has(key)) inner.add(key);
    }
  }
  return inner;
}

/** The predicates of all slots that hold objects of a class above the target inline. */
function predicatesToAncestors(target: TurtleClass, schema: TurtleSchema): Set<string> {
  const above = new Set(target.definition.ancestors.filter((name) => name !== target.definition.name));
  const predicates = new Set<string>();
  for (const definition of schema.schema.classes.values()) {
    for (const slot of definition.slots.values())
      if (holdsInline(slot.range, above)) predicates.add(slot.uri);
  }
  return predicates;
}

function holdsInline(range: SlotRange, classes: ReadonlySet<string>): boolean {
  if (range.kind === 'union')
    return range.alternatives.some((alternative) => holdsInline(alternative, classes));
  return range.kind === 'class' && range.inlining !== 'reference' && classes.has(range.className);
}

/** What the document has instead of the class that was asked for. */
function typesFound(graph: Graph, schema: TurtleSchema): string {
  const types = new Set<string>();
  for (const description of graph.subjects.values()) {
    for (const term of description.get(RDF_TYPE) ?? [])
      if (types.size < 5) types.add(shown(term.key, schema));
  }
  return types.size === 0 ? 'no subject has any' : `the types found are ${[...types].join(', ')}`;
}

/** An IRI or blank node as a person would like to read it. */
export function shown(key: string, { schema }: TurtleSchema): string {
  if (key.startsWith('_:')) return 'a blank node';
  const compact = schema.compact(key);
  return compact === key ? `<${key}>` : compact;
}

export function refused(message: string): ServiceError {
  return new ServiceError('conversion_failed', message, [
    { type: 'turtle_unsuitable', loc: [], msg: message },
  ]);
}
