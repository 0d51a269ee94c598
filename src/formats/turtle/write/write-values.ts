/** JSON value → term, for every range but inlined objects. One function for each slot, made once. */
import { isJsonObject, type JsonValue } from '../../../json.ts';
import type { EnumDefinition, SlotRange, TypeDefinition } from '../../../schema/linkml.ts';
import { curieTerm, fixedTerm, iriTerm, isIri, quoted } from '../terms.ts';
import type { TurtleSchema } from '../turtle-schema.ts';
import { jsonLiteral, nativeLiteral, typedLiteral, uriLiteral, type WriteIri } from './write-literals.ts';

/** Writes a value as a term; the prefixes that it needs go into the set. */
export type WriteScalar = (value: JsonValue, prefixes: Set<string>) => string;

/** Why a value has no form in Turtle. */
export class UnwritableValue extends Error {}

/** The writer for values of a range. */
export function scalarWriter(range: SlotRange, schema: TurtleSchema): WriteScalar {
  switch (range.kind) {
    case 'type':
      return range.type.isIri
        ? (value, prefixes) => uriTerm(String(value), schema, prefixes)
        : literalWriter(range.type, schema);
    case 'enum':
      return enumWriter(range.enum, schema);
    case 'class':
      return (value, prefixes) => referenceTerm(String(value), schema, prefixes);
    case 'any':
    case 'array':
      return (value, prefixes) => nativeLiteral(value, datatypeWriter(schema, prefixes));
    case 'union':
      return unionWriter(range.alternatives, schema);
  }
}

/** Of several values with one meaning, the IRI is the first; the others are literals, which distinguish them. */
function enumWriter({ values }: EnumDefinition, schema: TurtleSchema): WriteScalar {
  const iris = new Map<string, string>();
  for (const { text, meaning } of values.values()) {
    const iri = meaning === undefined ? undefined : (schema.expand(meaning) ?? meaning);
    if (iri !== undefined && !iris.has(iri)) iris.set(iri, text);
  }
  const byText = new Map([...iris].map(([iri, text]) => [text, iri]));
  return (value, prefixes) => {
    const iri = byText.get(String(value));
    return iri === undefined ? quoted(String(value)) : fixedTerm(iri, schema.prefixes, prefixes);
  };
}

function literalWriter(type: TypeDefinition, schema: TurtleSchema): WriteScalar {
  return (value, prefixes) => {
    const datatype = datatypeWriter(schema, prefixes);
    // In a union of types the datatype of the whole would hide which of them a number or boolean is of.
    if (type.unionOf.length > 0 && typeof value !== 'string') return nativeLiteral(value, datatype);
    return typedLiteral(value, type.base, type.uri, datatype);
  };
}

function datatypeWriter(schema: TurtleSchema, prefixes: Set<string>): WriteIri {
  return (iri) => fixedTerm(iri, schema.prefixes, prefixes);
}

/**
 * A union says of a value what its JSON type says. References among references alone are IRIs; an object of one of
 * several classes is written as JSON, because its triples would not identify its class.
 */
function unionWriter(alternatives: readonly SlotRange[], schema: TurtleSchema): WriteScalar {
  const areReferences = alternatives.every((one) => one.kind === 'class' && one.inlining === 'reference');
  return (value, prefixes) => {
    if (areReferences) return referenceTerm(String(value), schema, prefixes);
    const datatype = datatypeWriter(schema, prefixes);
    return isJsonObject(value) || Array.isArray(value)
      ? jsonLiteral(value, datatype)
      : nativeLiteral(value, datatype);
  };
}

/** The IRI of a pid or a reference. */
export function referenceTerm(reference: string, schema: TurtleSchema, prefixes: Set<string>): string {
  const curie = curieTerm(reference, schema.prefixes, prefixes);
  if (curie !== undefined) return curie;
  const iri = schema.expand(reference) ?? reference;
  if (isIri(iri)) return iriTerm(iri, schema.prefixes, prefixes);
  throw new UnwritableValue(
    `"${reference.slice(0, 100)}" does not resolve to an IRI that Turtle can represent.`,
  );
}

/** A value of a type whose values are IRIs. Other strings are written as literals of xsd:anyURI. */
function uriTerm(text: string, schema: TurtleSchema, prefixes: Set<string>): string {
  // In such a slot, other than in a pid, a string with two colons is not a CURIE.
  const isCurie = text.indexOf(':') === text.lastIndexOf(':') && !text.includes('://');
  const curie = isCurie ? curieTerm(text, schema.prefixes, prefixes) : undefined;
  if (curie !== undefined) return curie;
  const iri = (isCurie ? schema.expand(text) : undefined) ?? text;
  return isIri(iri)
    ? iriTerm(iri, schema.prefixes, prefixes)
    : uriLiteral(text, datatypeWriter(schema, prefixes));
}
