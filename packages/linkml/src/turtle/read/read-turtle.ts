/**
 * Graph → record: the walk from the root through the slots of its class. `docs/turtle.md` has the rules.
 *
 * Nothing is dropped without a word: what cannot be carried into the record is a problem, and all problems of a
 * document are reported at once. The schema still has to check the resulting record.
 */
import { canonicalJson, type JsonObject, type JsonValue } from '../../json.ts';
import type { LinkmlSchema, SlotDefinition, SlotRange } from '../../linkml.ts';
import { excerpt } from '../../position.ts';
import { RDF_FIRST, RDF_NIL, RDF_TYPE } from '../namespaces.ts';
import { type TurtleClass, type TurtleSchema, turtleSchema } from '../turtle-schema.ts';
import { type Description, type Graph, parseGraph, type Term } from './graph.ts';
import { readScalar } from './read-literals.ts';
import { Misfit, type Path, ReadRun, shownKey, unreadable } from './read-run.ts';
import { classOfSubject, slotOfTerm } from './subject-class.ts';

const NO_TRIPLES: Description = new Map();

/**
 * Reads the object of a class from a Turtle document.
 *
 * @throws LinkmlError `body_malformed` if it is not Turtle, `conversion_failed` if it is not such an object
 */
export function readTurtle(body: string, className: string, schema: LinkmlSchema): JsonObject {
  return readGraph(parseGraph(body), className, schema);
}

/** Reads the object of a class from the graph of a document. @throws LinkmlError `conversion_failed` */
export function readGraph(graph: Graph, className: string, schema: LinkmlSchema): JsonObject {
  const known = turtleSchema(schema);
  const target = known.classNamed(className);
  const reading = new ReadRun(graph, known);
  const root = findRoot(graph, target, known);
  const record = reading.attempt([], () => readObject(reading, root, target, []));
  reading.finish();
  return record ?? {};
}

/** The object of a subject. @throws Misfit */
function readObject(reading: ReadRun, subject: string, among: TurtleClass, path: Path): JsonObject {
  const description = reading.graph.subjects.get(subject) ?? NO_TRIPLES;
  const object = identified(reading, subject, among);
  return reading.within(subject, path, () => {
    const { of, stated } = classOfSubject(reading, subject, description, among, path.length === 0);
    if (stated !== undefined && of.designator) object[of.designator.name] = stated;
    for (const [predicate, terms] of description) {
      if (predicate === of.designator?.uri) continue;
      reading.count(terms.length);
      reading.attempt(path, () => {
        const slots = of.slotsByPredicate.get(predicate);
        if (predicate === RDF_TYPE) readTypes(reading, object, slots ?? [], terms, of, path);
        else if (slots) readSlots(reading, object, of, slots, terms, path);
        else throw unknownPredicate(reading, subject, predicate, of);
      });
    }
    return object;
  });
}

/** An object with its identifier, where its class has one. @throws Misfit for the wrong kind of subject */
function identified(reading: ReadRun, subject: string, among: TurtleClass): JsonObject {
  const isBlank = subject.startsWith('_:');
  const { name, identifier } = among.definition;
  if (identifier && isBlank) {
    throw new Misfit(
      'turtle_identifier_missing',
      `Expected an IRI for an object of the class ${name}, found a blank node.`,
    );
  }
  if (!identifier && !isBlank) {
    const msg = `Expected a blank node for an object of the class ${name}, which has no identifier, found the IRI ${reading.show(subject)}.`;
    throw new Misfit('turtle_identifier_unexpected', msg);
  }
  if (!identifier) return {};
  const value = spelledFor(reading, among, identifier, subject, reading.schema.compact(subject));
  reading.countCharacters(value);
  return { [identifier.name]: value };
}

function unknownPredicate(
  reading: ReadRun,
  subject: string,
  predicate: string,
  { definition }: TurtleClass,
): Misfit {
  const msg = `${reading.show(subject)} has the predicate ${reading.show(predicate)}, which is not a slot of the class ${definition.name}.`;
  return new Misfit('turtle_predicate_unknown', msg);
}

/** Types beside that of the class are values if a slot has rdf:type as its URI; otherwise they are ignored. */
function readTypes(
  reading: ReadRun,
  object: JsonObject,
  slots: readonly SlotDefinition[],
  types: readonly Term[],
  of: TurtleClass,
  path: Path,
): void {
  const others = types.filter((type) => type.key !== of.definition.uri);
  if (slots.length > 0 && others.length > 0) readSlots(reading, object, of, slots, others, path);
}

/** Reads the values of one predicate. If several slots share it, each value goes to one of them (`subject-class.ts`). */
function readSlots(
  reading: ReadRun,
  object: JsonObject,
  of: TurtleClass,
  slots: readonly SlotDefinition[],
  terms: readonly Term[],
  path: Path,
): void {
  const [first] = slots;
  if (!first || slots.length === 1) {
    if (first) readSlot(reading, object, of, first, terms, path);
    return;
  }
  const shares = new Map<SlotDefinition, Term[]>();
  for (const term of terms) {
    const free = slots.filter((slot) => slot.multivalued || !shares.has(slot));
    const taker = slotOfTerm(reading, of, free, term) ?? first;
    const share = shares.get(taker);
    if (share) share.push(term);
    else shares.set(taker, [term]);
  }
  for (const [slot, share] of shares) readSlot(reading, object, of, slot, share, path);
}

function readSlot(
  reading: ReadRun,
  object: JsonObject,
  of: TurtleClass,
  slot: SlotDefinition,
  terms: readonly Term[],
  path: Path,
): void {
  const loc = [...path, slot.name];
  const values = readValues(reading, of, slot, slot.multivalued ? terms : meant(slot.range, terms), loc);
  if (slot.multivalued) {
    object[slot.name] = isMappingRange(slot.range)
      ? mappingOf(reading, slot, values as JsonObject[], loc)
      : values;
    return;
  }
  const [value] = values;
  if (values.length > 1) reading.attempt(loc, () => refuseSurplus(reading, slot, terms));
  // An object that says nothing is how one without any value is left out.
  if (value === undefined || (slot.range.kind === 'class' && isEmptyObject(value))) return;
  object[slot.name] = isMappingRange(slot.range)
    ? mappingOf(reading, slot, [value as JsonObject], loc)
    : value;
}

/**
 * The terms that count as values of a single-valued slot. In RDF a blank node says no more than "something": beside
 * a literal or an IRI in a slot that has one value, it is that value.
 */
function meant(range: SlotRange, terms: readonly Term[]): readonly Term[] {
  if (terms.length === 1 || (range.kind !== 'type' && range.kind !== 'enum')) return terms;
  const named = terms.filter((term) => term.kind !== 'blank');
  return named.length > 0 ? named : terms;
}

function refuseSurplus(reading: ReadRun, slot: SlotDefinition, terms: readonly Term[]): never {
  const list = terms
    .slice(0, 5)
    .map((term) => (term.kind === 'literal' ? `"${excerpt(term.text)}"` : reading.show(term.key)));
  const msg = `The slot ${slot.name}: expected one value, found ${terms.length}: ${list.join(', ')}.`;
  throw new Misfit('turtle_value_superfluous', msg);
}

/** The values of the terms, without equal ones: `1` and `01` are one integer, `"Hallo"@de` and `"Hallo"@en` one string. */
function readValues(
  reading: ReadRun,
  of: TurtleClass,
  slot: SlotDefinition,
  terms: readonly Term[],
  loc: Path,
): JsonValue[] {
  const values: JsonValue[] = [];
  const seen = new Set<string>();
  for (const [index, term] of terms.entries()) {
    const at = terms.length === 1 ? loc : [...loc, index];
    const value = reading.attempt(at, () => readValue(reading, of, slot, term, at));
    if (value === undefined) continue;
    reading.countCharacters(value);
    if (terms.length > 1) {
      const same = term.kind === 'literal' ? `^${canonicalJson(value)}` : term.key;
      if (seen.has(same)) continue;
      seen.add(same);
    }
    values.push(value);
  }
  return values;
}

/** @throws Misfit */
function readValue(
  reading: ReadRun,
  of: TurtleClass,
  slot: SlotDefinition,
  term: Term,
  path: Path,
): JsonValue {
  const { range } = slot;
  if (isList(reading, term)) {
    throw new Misfit(
      'turtle_list',
      'Expected values, found an rdf:List. Separate several values with commas.',
    );
  }
  if (range.kind !== 'class' || range.inlining === 'reference') {
    const value = readScalar(term, range, reading.schema);
    return term.kind === 'iri' && range.kind === 'type'
      ? spelledFor(reading, of, slot, term.iri, String(value))
      : value;
  }
  if (term.kind === 'literal') {
    const msg = `Expected an object of the class ${range.className}, found the literal "${excerpt(term.text)}".`;
    throw new Misfit('turtle_object_expected', msg);
  }
  return readObject(reading, term.key, reading.schema.classNamed(range.className), path);
}

/** An IRI as its slot accepts it: as the CURIE, unless only the IRI matches the pattern of the slot or of its type. */
function spelledFor(
  { schema }: ReadRun,
  of: TurtleClass,
  slot: SlotDefinition,
  iri: string,
  curie: string,
): string {
  if (curie === iri || schema.accepts(of, slot, curie)) return curie;
  return schema.accepts(of, slot, iri) ? iri : curie;
}

function isList(reading: ReadRun, term: Term): boolean {
  return (
    term.key === RDF_NIL ||
    (term.kind === 'blank' && (reading.graph.subjects.get(term.key)?.has(RDF_FIRST) ?? false))
  );
}

function isMappingRange(range: SlotRange): boolean {
  return range.kind === 'class' && (range.inlining === 'dict' || range.inlining === 'simple-dict');
}

/** Objects as a mapping from their identifier or key. */
function mappingOf(
  reading: ReadRun,
  slot: SlotDefinition,
  objects: readonly JsonObject[],
  loc: Path,
): JsonObject {
  const className = slot.range.kind === 'class' ? slot.range.className : '';
  const key = reading.schema.classNamed(className).naming?.name ?? '';
  const entries = new Map<string, JsonObject>();
  for (const object of objects) {
    reading.attempt(loc, () => {
      const value = object[key];
      if (value === undefined || value === null || Array.isArray(value)) {
        const msg = `An object in the slot ${slot.name} has no ${key}, which is its key in the mapping.`;
        throw new Misfit('turtle_key_missing', msg);
      }
      if (entries.has(String(value))) {
        const msg = `Two objects in the slot ${slot.name} have the same ${key}: ${value}.`;
        throw new Misfit('turtle_key_repeated', msg);
      }
      entries.set(String(value), object);
    });
  }
  return Object.fromEntries(entries);
}

function isEmptyObject(value: JsonValue): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}

/**
 * The subject of the record: the only one with exactly the class as its rdf:type (a subclass does not count).
 *
 * Where objects inside the record have the same class, the document says which one is the record by making its IRI
 * the base (`@base`); so do the documents that the service writes.
 *
 * @throws LinkmlError `conversion_failed` for no root (telling which types the document has), or several
 */
function findRoot(graph: Graph, target: TurtleClass, schema: TurtleSchema): string {
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
