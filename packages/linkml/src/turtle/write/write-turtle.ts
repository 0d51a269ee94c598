/**
 * Record → Turtle, as text and without a graph in between. `docs/turtle.md` has the rules.
 *
 * The same record always has the same bytes: `a` first, predicates in the order of their IRIs, values in the order
 * of the record, and only the prefixes that are used.
 */

import { LinkmlError } from '../../errors.ts';
import { isJsonObject, type JsonObject, type JsonValue, parseJson } from '../../json.ts';
import { type LinkmlSchema, namesInDesignator, type SlotDefinition } from '../../linkml.ts';
import { RDF_TYPE } from '../namespaces.ts';
import { fixedTerm, prefixLines } from '../terms.ts';
import { slotsInOrder, type TurtleClass, type TurtleSchema, turtleSchema } from '../turtle-schema.ts';
import { referenceTerm, scalarWriter, UnwritableValue, type WriteScalar } from './write-values.ts';

const INDENT = '    ';

/** The document of one record. Prefixes and further subjects are gathered while the record is walked. */
type TurtleDraft = {
  readonly schema: TurtleSchema;
  readonly writers: Map<TurtleClass, ClassWriter>;
  readonly prefixes: Set<string>;
  readonly rootType: string;
  /** The objects that become statements: the record, then inlined objects that have an IRI. */
  readonly statements: Statement[];
  /** Whether another subject also has the type of the record, so the type does not identify the record. */
  hasTwins: boolean;
};

type Statement = { readonly object: JsonObject; readonly of: TurtleClass; readonly isTyped: boolean };

/** How one slot of a class is written; made once for each class. */
type SlotWriter = {
  /** The place among the slots of the class. */
  readonly rank: number;
  readonly slot: SlotDefinition;
  /** Writes a value; undefined for objects, which are written from here. */
  readonly scalar: WriteScalar | undefined;
};

/** The slots of a class by name, and those that have a value even if the record has none. */
type ClassWriter = {
  readonly byName: ReadonlyMap<string, SlotWriter>;
  readonly withDefault: readonly SlotWriter[];
};

/** The writers of a schema's classes, made when they are first needed. */
const newWriters = () => new Map<TurtleClass, ClassWriter>();

/**
 * Writes a record from its JSON text.
 *
 * @throws LinkmlError `conversion_failed` for a record that does not fit its class
 */
export function writeTurtle(json: string, className: string, schema: LinkmlSchema): string {
  const known = turtleSchema(schema);
  const record = parseJson(json);
  if (!isJsonObject(record)) throw unwritable('The stored record is not a JSON object.');
  if (!schema.classes.has(className)) throw unwritable(`The schema has no class '${className}'.`);
  const root = known.classNamed(className);
  const first = { object: record, of: root, isTyped: true };
  const draft: TurtleDraft = {
    schema: known,
    writers: schema.derive(newWriters),
    prefixes: new Set(),
    rootType: root.definition.uri,
    statements: [first],
    hasTwins: false,
  };
  const texts = new Set<string>();
  try {
    // The list grows while it is walked, as inlined objects turn up.
    for (const { object, of, isTyped } of draft.statements) {
      const lines = properties(object, of, isTyped, draft, INDENT);
      if (lines.length > 0) texts.add(`${subjectOf(object, of, draft)} ${lines.join(` ;\n${INDENT}`)} .\n`);
    }
  } catch (error) {
    throw error instanceof UnwritableValue ? unwritable(error.message) : error;
  }
  const base = draft.hasTwins ? `@base <${recordIri(record, root, known)}> .\n` : '';
  return `${base}${prefixLines(known.prefixes, draft.prefixes)}\n${[...texts].join('\n')}`;
}

/** The IRI of the record, which is the base of documents in which several objects have its class. */
function recordIri(record: JsonObject, { definition }: TurtleClass, schema: TurtleSchema): string {
  const name = String(record[definition.identifier?.name ?? '']);
  return schema.expand(name) ?? name;
}

function unwritable(message: string): LinkmlError {
  return new LinkmlError('conversion_failed', message, [
    { type: 'turtle_unwritable', loc: [], msg: message },
  ]);
}

function subjectOf(object: JsonObject, { definition }: TurtleClass, draft: TurtleDraft): string {
  const { identifier } = definition;
  if (!identifier) return '[]';
  const value = object[identifier.name];
  if (typeof value === 'string') return referenceTerm(value, draft.schema, draft.prefixes);
  throw new UnwritableValue(
    `An object of the class ${definition.name} has no ${identifier.name}, which would be its IRI in Turtle.`,
  );
}

/** The subject of the record, which an object inside it may have too. */
function rootOf(draft: TurtleDraft): string {
  const { object, of } = draft.statements[0]!;
  return subjectOf(object, of, draft);
}

/** The lines "predicate values" of an object, its type first. */
function properties(
  object: JsonObject,
  of: TurtleClass,
  isTyped: boolean,
  draft: TurtleDraft,
  indent: string,
): string[] {
  const { byName, withDefault } = writersOf(of, draft);
  const present: SlotWriter[] = [];
  for (const key in object) {
    const writer = byName.get(key);
    if (writer) present.push(writer);
    else if (key !== of.definition.identifier?.name) {
      throw new UnwritableValue(
        `The record has the key ${key}, which is not a slot of the class ${of.definition.name}.`,
      );
    }
  }
  for (const writer of withDefault) if (object[writer.slot.name] === undefined) present.push(writer);
  present.sort((a, b) => a.rank - b.rank);
  const { prefixes } = draft.schema;
  const lines = isTyped ? [`a ${fixedTerm(of.definition.uri, prefixes, draft.prefixes)}`] : [];
  for (const writer of present) {
    const values = writeSlot(object[writer.slot.name] ?? writer.slot.default ?? null, writer, draft, indent);
    if (values !== '') lines.push(`${fixedTerm(writer.slot.uri, prefixes, draft.prefixes)} ${values}`);
  }
  return lines;
}

function writersOf(of: TurtleClass, draft: TurtleDraft): ClassWriter {
  const known = draft.writers.get(of);
  if (known) return known;
  const writers = slotsInOrder(of).map((slot, rank): SlotWriter => {
    const isObject = slot.range.kind === 'class' && slot.range.inlining !== 'reference';
    return { rank, slot, scalar: isObject ? undefined : scalarWriter(slot.range, draft.schema) };
  });
  const made = {
    byName: new Map(writers.map((writer) => [writer.slot.name, writer])),
    withDefault: writers.filter(({ slot }) => slot.default !== undefined),
  };
  draft.writers.set(of, made);
  return made;
}

/** The values of a slot, with commas; empty if there is nothing to say. */
function writeSlot(
  value: JsonValue,
  { slot, scalar }: SlotWriter,
  draft: TurtleDraft,
  indent: string,
): string {
  if (value === null) return '';
  if (slot.designatesType && slot.uri === RDF_TYPE) {
    if (namesInDesignator(value).length < 2) return '';
    // One of the names beside that of the class may be the type of the record.
    draft.hasTwins = true;
  }
  if (!scalar) return writeObjects(value, slot, draft, indent);
  if (slot.range.kind === 'union' && isJsonObject(value) && hasNoValue(value)) return '';
  // A list that is one value: an array, or one in a slot of `linkml:Any`.
  if (!Array.isArray(value) || !slot.multivalued) return scalar(value, draft.prefixes);
  if (value.length === 1) return scalar(value[0] ?? null, draft.prefixes);
  // Equal values are one triple.
  return [...new Set(value.map((one) => scalar(one, draft.prefixes)))].join(', ');
}

/** The objects of a slot: a list, a mapping, or one. A single object without any value is left out. */
function writeObjects(value: JsonValue, slot: SlotDefinition, draft: TurtleDraft, indent: string): string {
  const range = slot.range as Extract<SlotDefinition['range'], { kind: 'class' }>;
  const among = draft.schema.classNamed(range.className);
  let objects: readonly JsonValue[] = [value];
  if (Array.isArray(value)) objects = value;
  else if (range.inlining === 'dict' || range.inlining === 'simple-dict')
    objects = inlinedObjects(value, among);
  else if (isJsonObject(value) && hasNoValue(value)) return '';
  return objects.map((object) => writeObject(object, among, slot, draft, indent)).join(', ');
}

/** The objects of a mapping, each with its key in it; `k: v` becomes the object that it is short for. */
function inlinedObjects(value: JsonValue, { naming, definition }: TurtleClass): JsonValue[] {
  if (!isJsonObject(value) || !naming)
    throw new UnwritableValue(`Expected a mapping of objects of the class ${definition.name}.`);
  const other = [...definition.slots.values()].find((slot) => slot !== naming && !slot.designatesType);
  return Object.entries(value).map(([key, entry]) => {
    if (isJsonObject(entry)) return naming.name in entry ? entry : { [naming.name]: key, ...entry };
    return entry === null || !other ? { [naming.name]: key } : { [naming.name]: key, [other.name]: entry };
  });
}

function writeObject(
  object: JsonValue,
  among: TurtleClass,
  slot: SlotDefinition,
  draft: TurtleDraft,
  indent: string,
): string {
  if (!isJsonObject(object))
    throw new UnwritableValue(
      `The slot ${slot.name}: expected an object of the class ${among.definition.name}.`,
    );
  const of = draft.schema.classOfObject(object, among);
  const isTyped = needsType(object, of);
  const subject = subjectOf(object, of, draft);
  if (isTyped && of.definition.uri === draft.rootType && subject !== rootOf(draft)) draft.hasTwins = true;
  if (of.definition.identifier) {
    draft.statements.push({ object, of, isTyped });
    return subject;
  }
  const inner = indent + INDENT;
  const lines = properties(object, of, isTyped, draft, inner);
  return lines.length === 0 ? '[]' : `[\n${inner}${lines.join(` ;\n${inner}`)}\n${indent}]`;
}

/** Whether an inlined object is written with its type: not where its designator slot says the same in other words. */
function needsType(object: JsonObject, { designator, isDesignatedByType }: TurtleClass): boolean {
  return !designator || isDesignatedByType || object[designator.name] === undefined;
}

function hasNoValue(object: JsonObject): boolean {
  for (const _ in object) return false;
  return true;
}
