/**
 * Literal in Turtle → JSON value, for the check of the schema to judge: the other way round is `write/write-values.ts`.
 *
 * A literal must be well-typed, and its datatype one that XML Schema, RDF or the schema has. Whether the value then
 * suits the slot is for the check to say, which coerces as it does for JSON; only what it could not know any more
 * is refused here.
 */
import { JsonSyntaxError, type JsonValue, Numeral, parseJson, parseUniqueJson } from '../../json.ts';
import type { EnumDefinition, SlotRange, TypeDefinition } from '../../linkml.ts';
import { excerpt } from '../../position.ts';
import { RDF, RDF_JSON, RDF_LANG_STRING, XSD, XSD_BOOLEAN, XSD_DECIMAL, XSD_STRING } from '../namespaces.ts';
import type { TurtleSchema } from '../turtle-schema.ts';
import type { Term } from './graph.ts';
import { Misfit, shownKey } from './read-run.ts';

type LiteralTerm = Extract<Term, { kind: 'literal' }>;

function misfit(message: string): Misfit {
  return new Misfit('turtle_literal', message);
}

const INTEGER = /^[+-]?\d+$/;
const DECIMAL = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)$/;
const FLOAT = /^(?:[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?|[+-]?INF|NaN)$/;
/** The engine of regular expressions has no memory to count millions of digits. */
const YEAR = '\\d{4,18}';
const ZONE = '(?:Z|[+-]\\d{2}:\\d{2})?';

/** The lexical forms of the datatypes whose form is checked (XML Schema 1.1, part 2). */
const LEXICAL: ReadonlyMap<string, RegExp> = new Map(
  Object.entries({
    boolean: /^(?:true|false|1|0)$/,
    decimal: DECIMAL,
    float: FLOAT,
    double: FLOAT,
    date: new RegExp(`^-?${YEAR}-\\d{2}-\\d{2}${ZONE}$`),
    dateTime: new RegExp(`^-?${YEAR}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}(?:\\.\\d+)?${ZONE}$`),
    time: new RegExp(`^\\d{2}:\\d{2}:\\d{2}(?:\\.\\d+)?${ZONE}$`),
    gYear: new RegExp(`^-?${YEAR}${ZONE}$`),
    gYearMonth: new RegExp(`^-?${YEAR}-\\d{2}${ZONE}$`),
    hexBinary: /^(?:[0-9a-fA-F]{2})*$/,
  }),
);

type Bounds = readonly [least: bigint | undefined, greatest: bigint | undefined];

const INTEGERS: ReadonlyMap<string, Bounds> = new Map<string, Bounds>(
  Object.entries({
    integer: [undefined, undefined],
    nonNegativeInteger: [0n, undefined],
    positiveInteger: [1n, undefined],
    nonPositiveInteger: [undefined, 0n],
    negativeInteger: [undefined, -1n],
    long: [-(2n ** 63n), 2n ** 63n - 1n],
    int: [-(2n ** 31n), 2n ** 31n - 1n],
    short: [-(2n ** 15n), 2n ** 15n - 1n],
    byte: [-128n, 127n],
    unsignedLong: [0n, 2n ** 64n - 1n],
    unsignedInt: [0n, 2n ** 32n - 1n],
    unsignedShort: [0n, 65535n],
    unsignedByte: [0n, 255n],
  } satisfies Record<string, Bounds>),
);

const RDF_DATATYPES: ReadonlySet<string> = new Set(
  ['langString', 'HTML', 'XMLLiteral', 'PlainLiteral', 'JSON', 'dirLangString'].map((name) => RDF + name),
);

/**
 * The value of a literal for a slot whose range rests on a built-in type (`string`, `integer`, …), or undefined for
 * a range that leaves the type open.
 *
 * @param ownDatatype the datatype of the slot's own type: its lexical forms are judged by the check
 * @throws Misfit
 */
export function literalValue(
  literal: LiteralTerm,
  base: string | undefined,
  ownDatatype: string | undefined,
  isSchemaDatatype: (datatype: string) => boolean,
): JsonValue {
  refuseIllTyped(literal, ownDatatype, isSchemaDatatype);
  const fit = base === undefined ? nativeValue : (FOR_BASE[base] ?? plainText);
  return fit(literal, ownDatatype);
}

/** Throws for an unknown datatype, and for a literal that is not of its datatype. */
function refuseIllTyped(
  { text, datatype }: LiteralTerm,
  ownDatatype: string | undefined,
  isSchemaDatatype: (datatype: string) => boolean,
): void {
  const name = datatype.startsWith(XSD) ? datatype.slice(XSD.length) : undefined;
  if (name === undefined) {
    if (RDF_DATATYPES.has(datatype) || datatype === ownDatatype || isSchemaDatatype(datatype)) return;
    throw misfit(
      `The datatype <${excerpt(datatype)}> is unknown, expected one of XML Schema or of the schema.`,
    );
  }
  if (!isLexical(text, name, datatype === ownDatatype)) {
    throw misfit(`"${excerpt(text)}" is not a value of the datatype xsd:${name}.`);
  }
}

/**
 * Whether a string is of a datatype of XML Schema. Of the slot's own datatype only numbers and booleans have to be,
 * without their bounds: what else the slot takes is for the schema to say, as it does for JSON.
 */
function isLexical(text: string, name: string, isOwn: boolean): boolean {
  const bounds = INTEGERS.get(name);
  if (bounds) return isOwn ? INTEGER.test(text) : isIntegerWithin(text, bounds);
  if (isOwn && !isNumeric(XSD + name) && name !== 'boolean') return true;
  return LEXICAL.get(name)?.test(text) ?? true;
}

/** No bound has as many digits as this; longer numbers are not worth the time to read them. */
const MANY_DIGITS = 40;

function isIntegerWithin(text: string, [least, greatest]: Bounds): boolean {
  if (!INTEGER.test(text)) return false;
  if (least === undefined && greatest === undefined) return true;
  const digits = text.replace(/^[+-]?0*/, '');
  const size = digits.length > MANY_DIGITS ? 10n ** BigInt(MANY_DIGITS) : BigInt(digits);
  const value = text.startsWith('-') ? -size : size;
  return (least === undefined || value >= least) && (greatest === undefined || value <= greatest);
}

/** How a literal is read for a type, by the built-in type that it rests on. */
const FOR_BASE: Record<string, (literal: LiteralTerm, ownDatatype: string | undefined) => JsonValue> = {
  string: asString,
  integer: numberOrText,
  float: numberOrText,
  double: numberOrText,
  decimal: asDecimal,
  boolean: asBoolean,
  date: (literal, own) => ofDatatype(literal, ['date'], own),
  datetime: (literal, own) => ofDatatype(literal, ['dateTime', 'dateTimeStamp'], own),
  time: (literal, own) => ofDatatype(literal, ['time'], own),
  date_or_datetime: (literal, own) => ofDatatype(literal, ['date', 'dateTime', 'dateTimeStamp'], own),
};

function plainText({ text }: LiteralTerm): JsonValue {
  return text;
}

/** Converts a literal to JSON by its own datatype. */
function nativeValue(literal: LiteralTerm): JsonValue {
  const { text, datatype } = literal;
  if (datatype === XSD_STRING || datatype === RDF_LANG_STRING) return text;
  if (datatype === XSD_BOOLEAN) return text === 'true' || text === '1';
  if (datatype === RDF_JSON) return jsonValue(text);
  return isNumeric(datatype) ? numeral(text) : text;
}

/** A string slot accepts any literal as its string; the peer's clients expect `True` and `False` for booleans there. */
function asString(literal: LiteralTerm): JsonValue {
  const value = literal.datatype === XSD_DECIMAL ? literal.text : nativeValue(literal);
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value === 'number') return String(value);
  return value instanceof Numeral ? value.source : literal.text;
}

function numberOrText(literal: LiteralTerm): JsonValue {
  const { text, datatype } = literal;
  if (datatype === XSD_BOOLEAN || isNumeric(datatype)) return nativeValue(literal);
  return text;
}

/** Decimals are strings in JSON. RDF has the value only, so trailing zeros are insignificant. */
function asDecimal({ text, datatype }: LiteralTerm): JsonValue {
  if (datatype === XSD_BOOLEAN) throw misfit(`Expected a decimal number, found a boolean (${text}).`);
  if (!DECIMAL.test(text)) {
    const value = Number(text);
    return isNumeric(datatype) && Number.isFinite(value) ? String(value) : text;
  }
  const [, sign = '', whole = '', fraction = ''] = /^([+-]?)0*(\d*)(?:\.(\d*))?$/.exec(text) ?? [];
  const behind = withoutTrailingZeros(fraction);
  return `${sign === '-' ? '-' : ''}${whole || '0'}${behind && `.${behind}`}`;
}

/** A loop, because a pattern for trailing zeros would restart at each zero. */
function withoutTrailingZeros(digits: string): string {
  let end = digits.length;
  while (end > 0 && digits[end - 1] === '0') end--;
  return digits.slice(0, end);
}

function asBoolean({ text, datatype }: LiteralTerm): JsonValue {
  if (datatype === XSD_BOOLEAN || /^(?:true|false|1|0)$/i.test(text)) return /^(?:true|1)$/i.test(text);
  throw misfit(`"${excerpt(text)}" is not a boolean, expected true or false.`);
}

/** Digits alone: a year to people, and the seconds since 1970 to the check. */
const DIGITS = /^[+-]?\d+(?:\.\d*)?$/;

/**
 * A date or a time of one of some datatypes, of the slot's own or of none. The check would convert dates to datetimes and
 * the reverse, and digits to seconds since 1970, although the document has the datatype.
 */
function ofDatatype(
  { text, datatype }: LiteralTerm,
  names: readonly string[],
  own: string | undefined,
): JsonValue {
  const [name = ''] = names;
  const isPlain = datatype === XSD_STRING || datatype === RDF_LANG_STRING || datatype === own;
  if (!isPlain && !names.some((one) => datatype === XSD + one)) {
    const found = datatype.startsWith(XSD) ? `xsd:${datatype.slice(XSD.length)}` : `<${excerpt(datatype)}>`;
    throw misfit(
      `Expected the datatype ${names.map((one) => `xsd:${one}`).join(' or ')}, found "${excerpt(text)}" with the datatype ${found}.`,
    );
  }
  if (name === 'date' && names.length === 1 && !LEXICAL.get('date')?.test(text))
    throw misfit(`"${excerpt(text)}" is not a date.`);
  if (name !== 'time' && DIGITS.test(text))
    throw misfit(
      `Expected a literal of the form of ${names.map((one) => `xsd:${one}`).join(' or ')}, found "${excerpt(text)}". A number is not read as the seconds since 1970.`,
    );
  return text;
}

function isNumeric(datatype: string): boolean {
  if (!datatype.startsWith(XSD)) return false;
  const name = datatype.slice(XSD.length);
  return INTEGERS.has(name) || name === 'decimal' || name === 'float' || name === 'double';
}

/** A number as JSON writes it: `+007` → 7, `.5` → 0.5; digits that a JavaScript number cannot keep stay. */
function numeral(text: string): JsonValue {
  const match = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d+))?$/.exec(text);
  if (!match) throw misfit(`${text} is not a number that JSON can represent.`);
  const [, sign = '', digits = '', fraction, exponent] = match;
  const whole = digits.replace(/^0+(?=\d)/, '') || '0';
  const source = `${sign === '-' ? '-' : ''}${whole}${fraction ? `.${fraction}` : ''}${exponent ? `e${exponent}` : ''}`;
  return parseJson(source);
}

function jsonValue(text: string): JsonValue {
  try {
    return parseUniqueJson(text);
  } catch (error) {
    if (error instanceof JsonSyntaxError) throw misfit(`The rdf:JSON literal is not JSON: ${error.message}.`);
    throw error;
  }
}

/**
 * The value of a term in a slot with the range.
 *
 * @throws Misfit
 */
export function readScalar(term: Term, range: SlotRange, schema: TurtleSchema): JsonValue {
  if (term.kind === 'blank') {
    const needed = range.kind === 'class' ? 'a reference to an object needs an IRI' : 'a value is needed';
    throw new Misfit('turtle_blank_node', `Found a blank node where ${needed}.`);
  }
  switch (range.kind) {
    case 'type':
      return term.kind === 'iri'
        ? iriValue(term.iri, range.type, schema)
        : ofLiteral(term, baseOfType(range.type), schema, range.type.uri);
    case 'enum':
      return term.kind === 'iri'
        ? enumValue(term.iri, range.enum, schema)
        : ofLiteral(term, 'string', schema);
    case 'class':
      if (term.kind === 'iri') return schema.compact(term.iri);
      throw new Misfit(
        'turtle_object_expected',
        `Expected the IRI of an object of the class ${range.className}, found the literal "${excerpt(term.text)}".`,
      );
    case 'any':
    case 'array':
      return term.kind === 'iri' ? schema.compact(term.iri) : ofLiteral(term, undefined, schema);
    case 'union':
      return unionValue(term, range.alternatives, schema);
  }
}

/** The built-in type of a type's values; none for a union of types, whose literals say by themselves what they are. */
function baseOfType({ base, unionOf }: TypeDefinition): string | undefined {
  return unionOf.length > 0 ? undefined : base;
}

type IriOrLiteral = Exclude<Term, { kind: 'blank' }>;

/**
 * An IRI in a slot with a type. Such slots do not treat a string with a second colon as a CURIE and keep it, so
 * that an IRI is not shortened to one.
 */
function iriValue(iri: string, type: TypeDefinition, schema: TurtleSchema): string {
  const compact = schema.compact(iri);
  return type.isIri && compact.indexOf(':') !== compact.lastIndexOf(':') ? iri : compact;
}

/** The value with the IRI as its meaning, or with the CURIE of the IRI as its text. */
function enumValue(iri: string, { name, values, open }: EnumDefinition, schema: TurtleSchema): string {
  for (const value of values.values()) {
    if (value.meaning !== undefined && (schema.expand(value.meaning) ?? value.meaning) === iri)
      return value.text;
  }
  const compact = schema.compact(iri);
  if (open || values.has(compact)) return compact;
  throw new Misfit(
    'turtle_enum_unknown',
    `${shownKey(iri, schema)} is not the meaning of a value of the enumeration ${name}.`,
  );
}

function unionValue(term: IriOrLiteral, alternatives: readonly SlotRange[], schema: TurtleSchema): JsonValue {
  if (term.kind === 'literal') {
    const takesLiterals = alternatives.some((one) => one.kind !== 'class' || one.inlining !== 'reference');
    if (takesLiterals) return ofLiteral(term, undefined, schema);
    // As the peer writes a reference that may be to objects of several classes.
    if (term.datatype === XSD_STRING) return term.text;
    throw new Misfit(
      'turtle_object_expected',
      `Expected the IRI of an object, found the literal "${excerpt(term.text)}".`,
    );
  }
  for (const one of alternatives) {
    if (one.kind !== 'enum') continue;
    try {
      return enumValue(term.iri, one.enum, schema);
    } catch {
      // Another alternative may have the IRI.
    }
  }
  return schema.compact(term.iri);
}

function ofLiteral(
  term: LiteralTerm,
  base: string | undefined,
  schema: TurtleSchema,
  datatype?: string,
): JsonValue {
  return literalValue(term, base, datatype, schema.isDatatype);
}
