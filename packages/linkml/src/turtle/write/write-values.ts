/** JSON value → term, for every range but inlined objects. One function for each slot, made once. */
import { canonicalJson, isJsonObject, type JsonValue, Numeral } from '../../json.ts';
import type { EnumDefinition, SlotRange, TypeDefinition } from '../../linkml.ts';
import {
  RDF_JSON,
  RDF_LANG_STRING,
  XSD_ANY_URI,
  XSD_BOOLEAN,
  XSD_DECIMAL,
  XSD_DOUBLE,
  XSD_INTEGER,
  XSD_STRING,
} from '../namespaces.ts';
import { curieTerm, fixedTerm, iriTerm, isIri, quote } from '../terms.ts';
import type { TurtleSchema } from '../turtle-schema.ts';

/** Writes a value as a term; the prefixes that it needs go into the set. */
export type WriteScalar = (value: JsonValue, prefixes: Set<string>) => string;

/** Why a value has no form in Turtle. */
export class UnwritableValue extends Error {}

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
    return iri === undefined ? quote(String(value)) : fixedTerm(iri, schema.prefixes, prefixes);
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

/** Writes the IRI of a datatype. */
type WriteIri = (iri: string) => string;

/** Literals that Turtle has a short form for (section 2.5.2): what they look like, by datatype. */
const BARE: Record<string, RegExp> = {
  [XSD_INTEGER]: /^[+-]?\d+$/,
  [XSD_DECIMAL]: /^[+-]?\d*\.\d+$/,
  [XSD_BOOLEAN]: /^(?:true|false)$/,
};

/** A literal of a datatype, in its short form if there is one. */
function literalText(text: string, datatype: string, iri: WriteIri): string {
  // Records have no language tags, and without one nothing is an rdf:langString (RDF 1.1 Concepts, section 3.3).
  if (datatype === XSD_STRING || datatype === RDF_LANG_STRING) return quote(text);
  if (BARE[datatype]?.test(text)) return text;
  return `${quote(text)}^^${iri(datatype)}`;
}

/**
 * A scalar as a literal of a LinkML type. Strings are unchanged, except for types whose JSON form is not a lexical form
 * of their datatype.
 */
export function typedLiteral(value: JsonValue, base: string, datatype: string, iri: WriteIri): string {
  const text = plainText(value);
  if (datatype === XSD_DECIMAL || base === 'decimal') return literalText(plainDecimal(text), datatype, iri);
  return literalText(base === 'time' ? fullTime(text) : text, datatype, iri);
}

/** A scalar as a literal of the datatype that its JSON type has: for unions and `linkml:Any`, if no type is given. */
export function nativeLiteral(value: JsonValue, iri: WriteIri): string {
  if (typeof value === 'string') return quote(value);
  if (typeof value === 'boolean') return String(value);
  if (typeof value === 'number' || value instanceof Numeral) {
    const text = plainText(value);
    return /^-?\d+$/.test(text) ? text : literalText(text, XSD_DOUBLE, iri);
  }
  return jsonLiteral(value, iri);
}

/** Any JSON value as an `rdf:JSON` literal (JSON-LD 1.1, section 10.2). */
function jsonLiteral(value: JsonValue, iri: WriteIri): string {
  return `${quote(canonicalJson(value))}^^${iri(RDF_JSON)}`;
}

/** A string in an IRI slot that is not an IRI: written as a literal, because Turtle cannot represent it as an IRI. */
function uriLiteral(text: string, iri: WriteIri): string {
  return `${quote(text)}^^${iri(XSD_ANY_URI)}`;
}

function plainText(value: JsonValue): string {
  if (typeof value === 'string') return value;
  return value instanceof Numeral ? value.source : canonicalJson(value);
}

/**
 * `1E+2` → `100`: xsd:decimal has no exponents and no negative zero (XML Schema part 2, section 3.3.3). Digits are kept
 * as they are.
 */
export function plainDecimal(text: string): string {
  if (/^-0*(?:\.0*)?(?:[eE][+-]?\d+)?$/.test(text)) return '0';
  const match = /^([+-]?)(\d*)(?:\.(\d*))?[eE]([+-]?\d{1,4})$/.exec(text);
  if (!match) return text;
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = match;
  const digits = whole + fraction;
  const point = whole.length + Number(exponent);
  if (point <= 0) return `${sign}0.${'0'.repeat(-point)}${digits}`;
  if (point >= digits.length) return `${sign}${digits}${'0'.repeat(point - digits.length)}`;
  return `${sign}${digits.slice(0, point)}.${digits.slice(point)}`;
}

/** `10`, `10:11` and `1011` → `10:00:00` and so on: xsd:time has all three parts (section 3.3.8). */
function fullTime(text: string): string {
  const match = /^(\d{2})(?::?(\d{2})(?::?(\d{2})([.,]\d+)?)?)?(Z|[+-]\d{2}(?::?\d{2})?)?$/.exec(text);
  if (!match) return text;
  const [, hour, minute = '00', second = '00', fraction = '', zone = ''] = match;
  const fullZone = zone.replace(
    /^([+-]\d{2}):?(\d{2})?$/,
    (_, hours, minutes = '00') => `${hours}:${minutes}`,
  );
  return `${hour}:${minute}:${second}${fraction.replace(',', '.')}${fullZone}`;
}
