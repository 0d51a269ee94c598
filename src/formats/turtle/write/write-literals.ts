/** JSON value → literal in Turtle: the other way round is `read/read-literals.ts`. */
import { canonicalJson, type JsonValue, Numeral } from '../../../json.ts';
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
import { quoted } from '../terms.ts';

/** Writes the IRI of a datatype. */
export type WriteIri = (iri: string) => string;

/** Literals that Turtle has a short form for (section 2.5.2): what they look like, by datatype. */
const BARE: Record<string, RegExp> = {
  [XSD_INTEGER]: /^[+-]?\d+$/,
  [XSD_DECIMAL]: /^[+-]?\d*\.\d+$/,
  [XSD_BOOLEAN]: /^(?:true|false)$/,
};

/** A literal of a datatype, in its short form if there is one. */
function literalText(text: string, datatype: string, iri: WriteIri): string {
  // Records have no language tags, and without one nothing is an rdf:langString (RDF 1.1 Concepts, section 3.3).
  if (datatype === XSD_STRING || datatype === RDF_LANG_STRING) return quoted(text);
  if (BARE[datatype]?.test(text)) return text;
  return `${quoted(text)}^^${iri(datatype)}`;
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
  if (typeof value === 'string') return quoted(value);
  if (typeof value === 'boolean') return String(value);
  if (typeof value === 'number' || value instanceof Numeral) {
    const text = plainText(value);
    return /^-?\d+$/.test(text) ? text : literalText(text, XSD_DOUBLE, iri);
  }
  return jsonLiteral(value, iri);
}

/** Any JSON value as an `rdf:JSON` literal (JSON-LD 1.1, section 10.2). */
export function jsonLiteral(value: JsonValue, iri: WriteIri): string {
  return `${quoted(canonicalJson(value))}^^${iri(RDF_JSON)}`;
}

/** A string in an IRI slot that is not an IRI: written as a literal, because Turtle cannot represent it as an IRI. */
export function uriLiteral(text: string, iri: WriteIri): string {
  return `${quoted(text)}^^${iri(XSD_ANY_URI)}`;
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
