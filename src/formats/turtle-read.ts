/**
 * Graph → record: the walk from the root through the slots of its class. `docs/turtle.md` has the rules.
 *
 * Nothing is dropped without a word: what can't be carried into the record is a problem, and all problems of a
 * document are told at once. What the walk yields still has to be checked by the schema.
 */
import { type Problem, ServiceError } from '../errors.ts';
import { canonicalJson, type JsonObject, type JsonValue } from '../json.ts';
import type { Schema, SlotDefinition, SlotRange } from '../schema/schema.ts';
import { RDF_FIRST, RDF_NIL, RDF_TYPE } from './namespaces.ts';
import { type Description, type Graph, parseGraph, type Term } from './turtle-graph.ts';
import { findRoot, shown } from './turtle-root.ts';
import { designatorValue, type TurtleClass, type TurtleSchema, turtleSchema } from './turtle-schema.ts';
import { readScalar, ValueFault } from './turtle-values.ts';

/** How deep objects may be inside one another, and how many one record may have. */
const MAX_DEPTH = 64;
const MAX_OBJECTS = 50_000;
/** More problems than these help nobody. */
const MAX_PROBLEMS = 20;

type Path = readonly (string | number)[];

/** What one reading of a document carries along. */
type Reading = {
  readonly graph: Graph;
  readonly schema: TurtleSchema;
  readonly problems: Problem[];
  /** The subjects that the walk is inside of: meeting one of them again is a cycle. */
  readonly inside: Set<string>;
  objects: number;
};

const NOTHING: Description = new Map();

/**
 * Reads the object of a class from a Turtle document.
 *
 * @throws ServiceError `body_malformed` for what is not Turtle, `conversion_failed` for what is no such object
 */
export function readTurtle(body: string, className: string, schema: Schema): JsonObject {
  const known = turtleSchema(schema);
  const target = known.classNamed(className);
  const graph = parseGraph(body);
  const root = findRoot(graph, target, known);
  const reading: Reading = { graph, schema: known, problems: [], inside: new Set(), objects: 0 };
  const record = readObject(reading, root, target, []);
  if (reading.problems.length > 0) throw conversionFailed(reading.problems);
  return record ?? {};
}

function conversionFailed(problems: readonly Problem[]): ServiceError {
  const [first] = problems;
  const more = problems.length > 1 ? ` (and ${problems.length - 1} more)` : '';
  return new ServiceError(
    'conversion_failed',
    `The Turtle document does not fit: ${first?.msg}${more}`,
    problems,
  );
}

function problem(reading: Reading, loc: Path, type: string, msg: string): undefined {
  if (reading.problems.length < MAX_PROBLEMS) reading.problems.push({ type, loc: [...loc], msg });
}

/**
 * The object that a subject stands for. Undefined where it can't be read, and for a blank node that says nothing,
 * which is how an object without any value is left out.
 */
function readObject(reading: Reading, key: string, among: TurtleClass, path: Path): JsonObject | undefined {
  const { graph, schema } = reading;
  const name = shown(key, schema);
  if (reading.inside.has(key)) {
    return problem(reading, path, 'turtle_cycle', `${name} contains itself, through ${path.join('/')}.`);
  }
  if (path.length > 2 * MAX_DEPTH || ++reading.objects > MAX_OBJECTS) {
    const limit =
      reading.objects > MAX_OBJECTS
        ? `more than ${MAX_OBJECTS} objects`
        : `objects more than ${MAX_DEPTH} levels deep`;
    if (reading.objects <= MAX_OBJECTS + 1)
      problem(reading, path, 'turtle_too_large', `The record has ${limit}.`);
    return undefined;
  }
  const description = graph.subjects.get(key) ?? NOTHING;
  const object: JsonObject = {};
  const { identifier } = among.definition;
  if (identifier) {
    if (key.startsWith('_:')) {
      return problem(
        reading,
        path,
        'turtle_identifier_missing',
        `A blank node stands where an object of the class ${among.definition.name} needs an IRI.`,
      );
    }
    object[identifier.name] = schema.schema.compact(key);
  } else if (!key.startsWith('_:')) {
    return problem(
      reading,
      path,
      'turtle_identifier_unexpected',
      `The IRI ${name} stands for an object of the class ${among.definition.name}, which has no identifier; a blank node would do.`,
    );
  }
  const objectClass = readClass(reading, description, among, name, path);
  if (!objectClass) return undefined;
  if (objectClass.isStated && objectClass.of.designator) {
    object[objectClass.of.designator.name] = designatorValue(schema.schema, objectClass.of);
  }
  reading.inside.add(key);
  for (const [predicate, terms] of description) {
    if (predicate === RDF_TYPE || predicate === objectClass.of.designator?.uri) continue;
    const slots = objectClass.of.slotsByPredicate.get(predicate);
    if (slots) readSlots(reading, object, slots, terms, path);
    else unknownPredicate(reading, name, predicate, objectClass.of, path);
  }
  reading.inside.delete(key);
  return object;
}

function unknownPredicate(
  reading: Reading,
  name: string,
  predicate: string,
  { definition }: TurtleClass,
  path: Path,
): undefined {
  const msg = `${name} has the predicate ${shown(predicate, reading.schema)}, which is no slot of the class ${definition.name}.`;
  return problem(reading, path, 'turtle_predicate_unknown', msg);
}

/** The class of an object, and whether the document states it in a way that the record repeats. */
type StatedClass = { readonly of: TurtleClass; readonly isStated: boolean };

/**
 * The class of a subject whose slot says that it is of a class or one below it: what its designator says, where the
 * class has one, else the class of the slot. An rdf:type that is no designator is for the readers of the graph.
 */
function readClass(
  reading: Reading,
  description: Description,
  among: TurtleClass,
  name: string,
  path: Path,
): StatedClass | undefined {
  const { designator } = among;
  const types = description.get(RDF_TYPE) ?? [];
  const stated = designator ? (description.get(designator.uri) ?? []) : [];
  if (!designator || stated.length === 0) return { of: among, isStated: false };
  const isRoot = path.length === 0;
  if (stated.length > 1) {
    const list = stated
      .slice(0, 5)
      .map((term) => shown(term.key, reading.schema))
      .join(', ');
    return problem(
      reading,
      path,
      'turtle_class_ambiguous',
      `${name} has ${stated.length} types, where one is needed: ${list}.`,
    );
  }
  if (!among.isDesignatedByType && types.length > 0 && !isRoot) {
    const msg = `${name} names its class twice, as rdf:type and in the slot ${designator.name}; the slot alone would do.`;
    return problem(reading, path, 'turtle_class_ambiguous', msg);
  }
  const [term] = stated;
  const named = term && classOf(reading, term, among);
  const found = term?.kind === 'literal' ? `"${term.text}"` : shown(term?.key ?? '', reading.schema);
  if (!named)
    return problem(
      reading,
      path,
      'turtle_class_unknown',
      `${name} has the type ${found}, which is no class of the schema.`,
    );
  if (!named.definition.ancestors.includes(among.definition.name)) {
    const msg = `${name} has the type ${found}, which is neither the class ${among.definition.name} nor below it.`;
    return problem(reading, path, 'turtle_class_unsuitable', msg);
  }
  if (isRoot && named !== among) {
    return problem(
      reading,
      path,
      'turtle_class_unsuitable',
      `${name} has the type ${found} and is sent as ${among.definition.name}.`,
    );
  }
  return { of: named, isStated: true };
}

/** The class that a designator's value names. */
function classOf({ schema }: Reading, term: Term, among: TurtleClass): TurtleClass | undefined {
  if (term.kind === 'iri') return schema.classOfIri(term.iri, among);
  if (term.kind === 'blank') return undefined;
  const iri = schema.schema.expand(term.text);
  return (
    schema.classOfDesignator(term.text, among) ??
    (iri === undefined ? undefined : schema.classOfIri(iri, among))
  );
}

/** Reads the values of one predicate. Where several slots share it, each value goes to the first slot that can take it. */
function readSlots(
  reading: Reading,
  object: JsonObject,
  slots: readonly SlotDefinition[],
  terms: readonly Term[],
  path: Path,
): void {
  const [only] = slots;
  if (slots.length === 1 && only) {
    readSlot(reading, object, only, terms, path);
    return;
  }
  const shares = new Map<SlotDefinition, Term[]>();
  for (const term of terms) {
    const taker =
      slots.find((slot) => canTake(slot.range, term) && (slot.multivalued || !shares.has(slot))) ?? only!;
    const share = shares.get(taker);
    if (share) share.push(term);
    else shares.set(taker, [term]);
  }
  for (const [slot, share] of shares) readSlot(reading, object, slot, share, path);
}

/** Whether a term is of the kind that a range has. */
function canTake(range: SlotRange, term: Term): boolean {
  if (range.kind === 'any' || range.kind === 'union') return true;
  if (range.kind === 'class') return term.kind !== 'literal';
  return range.kind === 'type' && range.type.isIri ? term.kind === 'iri' : term.kind === 'literal';
}

function readSlot(
  reading: Reading,
  object: JsonObject,
  slot: SlotDefinition,
  terms: readonly Term[],
  path: Path,
): void {
  const loc = [...path, slot.name];
  if (slot.multivalued) {
    const values = readValues(reading, slot.range, terms, loc);
    object[slot.name] = isMapping(slot.range)
      ? mappingOf(reading, slot, values as JsonObject[], loc)
      : values;
    return;
  }
  const values = readValues(reading, slot.range, meant(slot.range, terms), loc);
  if (values.length > 1) {
    const list = terms
      .slice(0, 5)
      .map((term) => (term.kind === 'literal' ? `"${term.text}"` : shown(term.key, reading.schema)));
    problem(
      reading,
      loc,
      'turtle_value_superfluous',
      `The slot ${slot.name} takes one value, found ${values.length}: ${list.join(', ')}.`,
    );
  }
  const [value] = values;
  if (value === undefined || isEmptyObject(value)) return;
  object[slot.name] = isMapping(slot.range) ? mappingOf(reading, slot, [value as JsonObject], loc) : value;
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

/** The values of the terms, without equal ones: `1` and `01` are one integer. */
function readValues(reading: Reading, range: SlotRange, terms: readonly Term[], loc: Path): JsonValue[] {
  const values: JsonValue[] = [];
  const seen = new Set<string>();
  for (const [index, term] of terms.entries()) {
    const value = readValue(reading, range, term, terms.length === 1 ? loc : [...loc, index]);
    if (value === undefined) continue;
    if (terms.length > 1) {
      const same =
        term.kind === 'literal' ? `${term.language}^${term.datatype}^${canonicalJson(value)}` : term.key;
      if (seen.has(same)) continue;
      seen.add(same);
    }
    values.push(value);
  }
  return values;
}

function readValue(reading: Reading, range: SlotRange, term: Term, loc: Path): JsonValue | undefined {
  if (isList(reading.graph, term)) {
    return problem(
      reading,
      loc,
      'turtle_list',
      'An rdf:List stands where single values are needed; several values are written with commas.',
    );
  }
  if (range.kind === 'class' && range.inlining !== 'reference') {
    const among = reading.schema.classNamed(range.className);
    if (term.kind !== 'literal') return readObject(reading, term.key, among, loc);
    return problem(
      reading,
      loc,
      'turtle_object_expected',
      `The literal "${term.text}" stands where an object of the class ${range.className} is needed.`,
    );
  }
  try {
    return readScalar(term, range, reading.schema);
  } catch (error) {
    if (error instanceof ValueFault) return problem(reading, loc, error.type, error.message);
    throw error;
  }
}

function isList(graph: Graph, term: Term): boolean {
  return (
    term.key === RDF_NIL || (term.kind === 'blank' && (graph.subjects.get(term.key)?.has(RDF_FIRST) ?? false))
  );
}

function isMapping(range: SlotRange): boolean {
  return range.kind === 'class' && (range.inlining === 'dict' || range.inlining === 'simple-dict');
}

/** Objects as a mapping from their identifier or key. */
function mappingOf(
  reading: Reading,
  slot: SlotDefinition,
  objects: readonly JsonObject[],
  loc: Path,
): JsonObject {
  const className = slot.range.kind === 'class' ? slot.range.className : '';
  const naming = reading.schema.classNamed(className).naming?.name ?? '';
  const mapping: JsonObject = {};
  for (const object of objects) {
    const name = object[naming];
    if (name === undefined || name === null || typeof name === 'object') {
      problem(
        reading,
        loc,
        'turtle_key_missing',
        `An object in the slot ${slot.name} has no value for ${naming}, by which it would be found.`,
      );
    } else if (Object.hasOwn(mapping, String(name))) {
      problem(
        reading,
        loc,
        'turtle_key_repeated',
        `Two objects in the slot ${slot.name} have the same value for ${naming}: ${name}.`,
      );
    } else mapping[String(name)] = object;
  }
  return mapping;
}

function isEmptyObject(value: JsonValue): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}
