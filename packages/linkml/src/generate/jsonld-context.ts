/**
 * A schema as a JSON-LD 1.1 context: with it, canonical records are RDF, and the same graph as their Turtle as far as a
 * context can express it. `docs/linkml-library.md` lists what it cannot.
 *
 * A slot can mean different things in different classes, a term of a context only one. So each slot has the meaning that
 * most classes share, and classes that differ have a scoped context: by type if their objects name it, else by the slots
 * that lead to them.
 */

import { classesInRange } from '../designation.ts';
import type { JsonObject, JsonValue } from '../json.ts';
import type { ClassDefinition, EnumDefinition, LinkmlSchema, SlotDefinition, SlotRange } from '../linkml.ts';

const RDF = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#';
const XSD_STRING = 'http://www.w3.org/2001/XMLSchema#string';

export type GeneratedContext = {
  readonly context: JsonObject;
  /** Slots and prefixes whose values get another graph than in Turtle, with the reason. */
  readonly warnings: readonly string[];
};

type Draft = {
  readonly schema: LinkmlSchema;
  /** The slots that the terms of the whole context stand for, by name. */
  readonly usual: ReadonlyMap<string, SlotDefinition>;
  /** Prefixes that have the name of a slot: a term can only be one of the two, so values of slots bring them along. */
  readonly shadowed: JsonObject;
  readonly warnings: Set<string>;
};

/** The context of a schema: `{"@context": …}`. */
export function jsonldContext(schema: LinkmlSchema): GeneratedContext {
  const usual = usualSlots(schema);
  const terms: JsonObject = {};
  const shadowed: JsonObject = {};
  const draft: Draft = { schema, usual, shadowed, warnings: new Set() };
  for (const [prefix, iri] of schema.prefixes) {
    if (!isTerm(prefix) || !/^[a-z][\w+.-]*:/i.test(iri)) continue;
    const term = { '@id': iri, '@prefix': true };
    if (!usual.has(prefix)) {
      terms[prefix] = term;
      continue;
    }
    // The slot itself may be the one of that name: its values are still read with the type of the term.
    shadowed[prefix] = { ...term, '@type': '@id' };
    draft.warnings.add(`The prefix ${prefix} has the name of a slot: identifiers with it are not expanded.`);
  }
  for (const [name, slot] of usual) setTerm(terms, name, slot, draft, []);
  for (const definition of schema.classes.values()) {
    const type = definition.designation ?? definition.curie;
    const isNamed = schema.expand(type) === definition.uri;
    const scoped = scopedTerms([definition], draft, []);
    if (isNamed && !scoped) continue;
    if (isNamed || isTerm(type))
      terms[type] = { '@id': definition.uri, ...(scoped && { '@context': scoped }) };
  }
  return { context: { '@context': { '@version': 1.1, ...terms } }, warnings: [...draft.warnings] };
}

/** For each name, the slot with the meaning that most classes share. */
function usualSlots({ classes }: LinkmlSchema): Map<string, SlotDefinition> {
  const meanings = new Map<string, Map<string, SlotDefinition[]>>();
  for (const { slots } of classes.values()) {
    for (const slot of slots.values()) {
      const byMeaning = meanings.get(slot.name) ?? new Map<string, SlotDefinition[]>();
      meanings.set(slot.name, byMeaning);
      const meaning = meaningOf(slot);
      byMeaning.set(meaning, [...(byMeaning.get(meaning) ?? []), slot]);
    }
  }
  return new Map(
    [...meanings].map(([name, byMeaning]) => {
      const [[usual]] = [...byMeaning.values()].sort((a, b) => b.length - a.length) as [[SlotDefinition]];
      return [name, usual];
    }),
  );
}

/** All that a term says of a slot, as text to compare. */
function meaningOf(slot: SlotDefinition): string {
  const rangeOf = (range: SlotRange): JsonValue => {
    switch (range.kind) {
      case 'type':
        return [range.type.uri, range.type.isIri, range.type.unionOf.length];
      case 'enum':
        return [...range.enum.values.values()].map(({ text, meaning }) => [text, meaning ?? null]);
      case 'class':
        return [range.inlining, range.inlining === 'reference' ? '' : range.className];
      case 'union':
        return range.alternatives.map(rangeOf);
      default:
        return range.kind;
    }
  };
  return JSON.stringify([slot.uri, slot.identifier, slot.designatesType, rangeOf(slot.range)]);
}

/** Names that JSON-LD accepts as terms whatever they stand for. */
function isTerm(name: string): boolean {
  return /^[^@:/][^:/]*$/.test(name);
}

function setTerm(
  terms: JsonObject,
  name: string,
  slot: SlotDefinition,
  draft: Draft,
  above: readonly string[],
): void {
  if (isTerm(name)) terms[name] = termOf(slot, draft, above);
  else draft.warnings.add(`${name}: a name with a colon or a slash cannot be a term.`);
}

/** @param above the classes whose scoped contexts the term is part of */
function termOf(slot: SlotDefinition, draft: Draft, above: readonly string[]): JsonValue {
  if (slot.identifier) return '@id';
  if (slot.designatesType && slot.uri === `${RDF}type`) return '@type';
  return { '@id': slot.uri, ...coercion(slot, slot.range, draft, above) };
}

/** How the values of a range are read. */
function coercion(
  slot: SlotDefinition,
  range: SlotRange,
  draft: Draft,
  above: readonly string[],
): JsonObject {
  const warn = (reason: string) => draft.warnings.add(`${slot.name}: ${reason}.`);
  const { shadowed } = draft;
  const iri = { '@type': '@id', ...(Object.keys(shadowed).length > 0 && { '@context': shadowed }) };
  switch (range.kind) {
    case 'type': {
      const { isIri, uri, unionOf } = range.type;
      if (isIri) return iri;
      if (unionOf.length > 0) warn('strings have the type xsd:string, not the union of types');
      return unionOf.length > 0 || uri === XSD_STRING || uri === `${RDF}langString` ? {} : { '@type': uri };
    }
    case 'enum':
      return enumCoercion(range.enum, draft.schema, warn);
    case 'class':
      return range.inlining === 'reference' ? iri : nested(range, draft, above, warn);
    case 'union': {
      const classes = range.alternatives.filter((one) => one.kind === 'class');
      if (classes.length < range.alternatives.length) return {};
      if (classes.every(({ inlining }) => inlining === 'reference')) return iri;
      if (slot.multivalued) warn('several objects of several classes become one JSON literal');
      return { '@type': '@json' };
    }
    case 'array':
      if (slot.multivalued) warn('several arrays become one JSON literal');
      return { '@type': '@json' };
    case 'any':
      warn('an object in a slot of any range becomes a node, not a JSON literal');
      return {};
  }
}

/** Values with a meaning are its IRI. */
function enumCoercion(
  { values }: EnumDefinition,
  schema: LinkmlSchema,
  warn: (reason: string) => void,
): JsonObject {
  const all = [...values.values()];
  const meant = all.filter(({ meaning }) => meaning !== undefined);
  if (meant.length === 0) return {};
  const iris = meant.map(({ text, meaning = '' }) => [text, schema.expand(meaning) ?? meaning] as const);
  const named = iris.filter(([text, iri]) => !isTerm(text) && schema.expand(text) !== iri);
  if (meant.length < all.length || named.length > 0) {
    warn(
      meant.length < all.length
        ? 'values with a meaning are literals, because others have none'
        : `the value ${named[0]![0]} cannot be a term, so values are literals`,
    );
    return {};
  }
  const context = Object.fromEntries(iris.filter(([text]) => isTerm(text)));
  return { '@type': '@vocab', '@context': context };
}

/** Inlined objects: in mappings by their identifier, and with a scoped context if they do not name their class. */
function nested(
  range: Extract<SlotRange, { kind: 'class' }>,
  draft: Draft,
  above: readonly string[],
  warn: (reason: string) => void,
): JsonObject {
  const { className, inlining } = range;
  const { identifier, typeDesignator } = draft.schema.classes.get(className)!;
  const container = { '@container': identifier ? '@id' : '@index' };
  if (inlining === 'simple-dict') warn('entries in the short form `key: value` are left out');
  const isTyped = typeDesignator?.uri === `${RDF}type`;
  const isWithin = above.includes(className);
  const objects = classesInRange(draft.schema, className);
  const scoped = isTyped || isWithin ? undefined : scopedTerms(objects, draft, [...above, className]);
  if (isWithin && !isTyped && objects.some((one) => unusualSlots(one, draft).length > 0))
    warn(`objects of ${className} within objects of ${className} are read with the usual meaning of slots`);
  return {
    ...(inlining !== 'object' && container),
    // The objects inside these have the terms of the whole context again.
    ...(scoped && { '@context': { '@propagate': false, ...scoped } }),
  };
}

/** The terms of slots that mean something else in these classes; undefined if there are none. */
function scopedTerms(
  classes: readonly ClassDefinition[],
  draft: Draft,
  above: readonly string[],
): JsonObject | undefined {
  const terms: JsonObject = {};
  for (const slot of classes.flatMap((one) => unusualSlots(one, draft)))
    if (!Object.hasOwn(terms, slot.name)) setTerm(terms, slot.name, slot, draft, above);
  return Object.keys(terms).length > 0 ? terms : undefined;
}

function unusualSlots({ slots }: ClassDefinition, { usual }: Draft): SlotDefinition[] {
  return [...slots.values()].filter((slot) => meaningOf(slot) !== meaningOf(usual.get(slot.name)!));
}
