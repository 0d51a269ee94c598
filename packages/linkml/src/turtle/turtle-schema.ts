/** The parts of a schema that Turtle needs, found once: prefixes, classes by IRI, slots by predicate, designators. */
import { compareCodePoints, type JsonObject, type JsonValue } from '../json.ts';
import {
  type ClassDefinition,
  type LinkmlSchema,
  lowestClass,
  namesInDesignator,
  type SlotDefinition,
} from '../linkml.ts';
import { RDF_TYPE } from './namespaces.ts';
import { type PrefixTable, prefixTable } from './terms.ts';

/** A class as Turtle sees it. */
export type TurtleClass = {
  readonly definition: ClassDefinition;
  /** The slot that names the class of an object; where its predicate is rdf:type, no other triple has to. */
  readonly designator: SlotDefinition | undefined;
  readonly isDesignatedByType: boolean;
  /** The identifier of the class, or the key that its objects have in a mapping. */
  readonly naming: SlotDefinition | undefined;
  /** Slots by predicate; several if two slots of a schema have one URI. */
  readonly slotsByPredicate: ReadonlyMap<string, readonly SlotDefinition[]>;
};

/** A schema as Turtle sees it. */
export type TurtleSchema = {
  /** The IRI of a reference or value, and the CURIE of an IRI. */
  readonly expand: LinkmlSchema['expandReference'];
  readonly compact: LinkmlSchema['compact'];
  readonly prefixes: PrefixTable;
  classNamed(name: string): TurtleClass;
  /** The class with the IRI, among `among` and its descendants if one of them has it. */
  classOfIri(iri: string, among: TurtleClass): TurtleClass | undefined;
  /** The class that a designator value names, among a class and its descendants. */
  classOfDesignator(value: string, among: TurtleClass): TurtleClass | undefined;
  /** The class of an object in JSON in a slot that allows a class and its descendants. */
  classOfObject(object: JsonObject, among: TurtleClass): TurtleClass;
  /** Whether a slot of a class accepts a value, or one value of several. */
  accepts(of: TurtleClass, slot: SlotDefinition, value: JsonValue): boolean;
  /** Whether a type of the schema has the datatype. */
  isDatatype(iri: string): boolean;
};

/** A schema as Turtle sees it, made once for each. */
export function turtleSchema(schema: LinkmlSchema): TurtleSchema {
  return schema.derive(compile);
}

/** Whether names resolve is left to the check of the record. */
const ANY_NAME = { identifiers: 'any' } as const;

function compile(schema: LinkmlSchema): TurtleSchema {
  const classes = new Map<string, TurtleClass>();
  const byIri = new Map<string, ClassDefinition>();
  const datatypes = new Set([...schema.types.values()].map((type) => type.uri));
  for (const definition of schema.classes.values()) {
    // If a class has the URI of an ancestor, the IRI means the ancestor.
    const other = byIri.get(definition.uri);
    if (!other?.ancestors.some((name) => name === other.name && definition.ancestors.includes(name))) {
      byIri.set(definition.uri, definition);
    }
  }

  function classNamed(name: string): TurtleClass {
    const known = classes.get(name);
    if (known) return known;
    const definition = schema.classes.get(name);
    if (!definition) throw new Error(`The schema has no class ${name}.`);
    const made = turtleClass(definition);
    classes.set(name, made);
    return made;
  }

  function classOfIri(iri: string, among: TurtleClass): TurtleClass | undefined {
    if (among.definition.uri === iri) return among;
    const below = schema
      .descendants(among.definition.name)
      .find((name) => schema.classes.get(name)?.uri === iri);
    const name = below ?? byIri.get(iri)?.name;
    return name === undefined ? undefined : classNamed(name);
  }

  /** Class → designator value → class at or below it. */
  const designated = new Map<TurtleClass, Map<string, TurtleClass>>();

  function classOfDesignator(value: string, among: TurtleClass): TurtleClass | undefined {
    let byValue = designated.get(among);
    if (!byValue) {
      const all = schema.descendants(among.definition.name).map(classNamed);
      byValue = new Map(all.reverse().map((one) => [one.definition.designation ?? '', one]));
      designated.set(among, byValue);
    }
    return byValue.get(value);
  }

  function classOfObject(object: JsonObject, among: TurtleClass): TurtleClass {
    const names = among.designator ? namesInDesignator(object[among.designator.name]) : [];
    const found = names.map((name) => classOfDesignator(name, among)).filter((one) => one !== undefined);
    return lowestClass(found, (one) => one.definition) ?? among;
  }

  return {
    expand: schema.expandReference,
    compact: schema.compact,
    prefixes: prefixTable(schema.prefixes),
    classNamed,
    classOfIri,
    classOfDesignator,
    classOfObject,
    accepts: ({ definition }, { name, multivalued }, value) => {
      const checked = schema.checkSlot(definition.name, name, multivalued ? [value] : value, ANY_NAME);
      return checked.valid || checked.problems.every(({ type }) => type === 'too_short');
    },
    isDatatype: (iri) => datatypes.has(iri),
  };
}

function turtleClass(definition: ClassDefinition): TurtleClass {
  const slotsByPredicate = new Map<string, SlotDefinition[]>();
  for (const slot of definition.slots.values()) {
    if (slot.identifier) continue;
    const others = slotsByPredicate.get(slot.uri);
    if (others) others.push(slot);
    else slotsByPredicate.set(slot.uri, [slot]);
  }
  const designator = definition.typeDesignator;
  return {
    definition,
    designator,
    isDesignatedByType: designator?.uri === RDF_TYPE,
    naming: definition.identifier ?? definition.key,
    slotsByPredicate,
  };
}

/** The slots that are written as triples, by predicate, then by name. */
export function slotsInOrder({ definition }: TurtleClass): SlotDefinition[] {
  const slots = [...definition.slots.values()].filter((slot) => !slot.identifier);
  return slots.sort((a, b) => compareCodePoints(a.uri, b.uri) || compareCodePoints(a.name, b.name));
}
