/**
 * The built-in LinkML types as a table: how each is written in a schema, what it stands for in RDF, and how a JSON value
 * becomes its canonical form.
 */
import type { JsonValue } from '../../json.ts';
import {
  isCurie,
  isJsonPath,
  isJsonPointer,
  isNcName,
  isNodeIdentifier,
  isUri,
  isUriOrCurie,
} from './lexical-forms.ts';
import { isNumber, toDecimal, toFloat, toInteger } from './numbers.ts';
import { toDate, toDateOrDatetime, toDatetime, toTime } from './temporal.ts';

/** The stem of a problem's `type`: `<kind>_parsing` for a string that cannot be read, `<kind>_type` for other JSON. */
export type BuiltInKind =
  | 'bool'
  | 'date'
  | 'date_or_datetime'
  | 'datetime'
  | 'decimal'
  | 'float'
  | 'int'
  | 'string'
  | 'time';

export type BuiltInType = {
  /** The datatype, as `linkml:types` declares it. */
  readonly uri: string;
  /** LinkML's `base`. */
  readonly base: string;
  /** The name under which the Python tools sort it among the branches of a union. */
  readonly python: string;
  /** Names a value of it in messages. */
  readonly expects: string;
  readonly kind: BuiltInKind;
  /** The canonical form, or undefined for a value that is none. Canonical forms are their own canonical form. */
  coerce(value: JsonValue): JsonValue | undefined;
  /** How well a value that `coerce` accepts fits: 2 unchanged, 1 converted without loss, 0 reinterpreted. */
  fit(value: JsonValue): 0 | 1 | 2;
};

/** No IRI, name or path is longer; the bound keeps the regular expressions of their forms within the engine's stack. */
const LONGEST = 65_536;

const asText = (value: JsonValue): 0 | 2 => (typeof value === 'string' ? 2 : 0);

/** A type whose values are texts of a certain form, taken verbatim. */
function textual(uri: string, base: string, expects: string, test: (text: string) => boolean): BuiltInType {
  return {
    uri,
    base,
    python: 'str',
    expects,
    kind: 'string',
    coerce: (value) =>
      typeof value === 'string' && value.length <= LONGEST && test(value) ? value : undefined,
    fit: asText,
  };
}

/** A type of any text. */
function anyText(uri: string, base: string, expects: string): BuiltInType {
  return {
    ...textual(uri, base, expects, () => true),
    coerce: (value) => (typeof value === 'string' ? value : undefined),
  };
}

const TRUE = new Set(['1', 'on', 't', 'true', 'y', 'yes']);
const FALSE = new Set(['0', 'off', 'f', 'false', 'n', 'no']);

/** 1, 0, 1.0 and, in any case but without padding, y, yes, t, true, on, 1 and their counterparts. */
function toBoolean(value: JsonValue): boolean | undefined {
  if (typeof value === 'boolean') return value;
  if (typeof value === 'string') {
    const word = value.toLowerCase();
    return TRUE.has(word) ? true : FALSE.has(word) ? false : undefined;
  }
  const number = Number(toFloat(value));
  return number === 1 ? true : number === 0 ? false : undefined;
}

const lax = (): 0 => 0;
const isWholeNumber = (value: JsonValue): boolean => isNumber(value) && /^-?\d+$/.test(String(value));

function floating(uri: string): BuiltInType {
  return {
    uri,
    base: 'float',
    python: 'float',
    kind: 'float',
    expects: 'a number',
    coerce: toFloat,
    fit: (value) => (isWholeNumber(value) ? 1 : isNumber(value) ? 2 : 0),
  };
}

/** Every type of `linkml:types`, by its name in schemas. */
export const BUILT_IN_TYPES: ReadonlyMap<string, BuiltInType> = new Map<string, BuiltInType>([
  ['string', anyText('xsd:string', 'str', 'text')],
  [
    'integer',
    {
      uri: 'xsd:integer',
      base: 'int',
      python: 'int',
      kind: 'int',
      expects: 'an integer',
      coerce: toInteger,
      fit: (value) => (isWholeNumber(value) ? 2 : 0),
    },
  ],
  [
    'boolean',
    {
      uri: 'xsd:boolean',
      base: 'Bool',
      python: 'bool',
      kind: 'bool',
      expects: 'true or false',
      coerce: toBoolean,
      fit: (value) => (typeof value === 'boolean' ? 2 : 0),
    },
  ],
  ['float', floating('xsd:float')],
  ['double', floating('xsd:double')],
  [
    'decimal',
    {
      uri: 'xsd:decimal',
      base: 'Decimal',
      python: 'Decimal',
      kind: 'decimal',
      expects: 'a decimal number',
      coerce: toDecimal,
      fit: lax,
    },
  ],
  [
    'time',
    {
      uri: 'xsd:time',
      base: 'XSDTime',
      python: 'str',
      kind: 'time',
      expects: 'a time (HH:MM:SS)',
      coerce: toTime,
      fit: asText,
    },
  ],
  [
    'date',
    {
      uri: 'xsd:date',
      base: 'XSDDate',
      python: 'date',
      kind: 'date',
      expects: 'a date (YYYY-MM-DD)',
      coerce: toDate,
      fit: lax,
    },
  ],
  [
    'datetime',
    {
      uri: 'xsd:dateTime',
      base: 'XSDDateTime',
      // The Python tools write the name with this blank, and sort it so.
      python: 'datetime ',
      kind: 'datetime',
      expects: 'a date and time (YYYY-MM-DDTHH:MM:SS)',
      coerce: toDatetime,
      fit: lax,
    },
  ],
  [
    'date_or_datetime',
    {
      uri: 'linkml:DateOrDatetime',
      base: 'str',
      python: 'str',
      kind: 'date_or_datetime',
      expects: 'a date (YYYY-MM-DD) or a date and time (YYYY-MM-DDTHH:MM:SS)',
      coerce: toDateOrDatetime,
      fit: asText,
    },
  ],
  ['uriorcurie', textual('xsd:anyURI', 'URIorCURIE', 'a URI or CURIE (ASCII, without blanks)', isUriOrCurie)],
  ['curie', textual('xsd:string', 'Curie', 'a CURIE (prefix:name)', isCurie)],
  ['uri', textual('xsd:anyURI', 'URI', 'a URI (ASCII, without blanks)', isUri)],
  ['ncname', textual('xsd:string', 'NCName', 'a name without colon and blanks (NCName)', isNcName)],
  ['objectidentifier', anyText('shex:iri', 'ElementIdentifier', 'an identifier')],
  [
    'nodeidentifier',
    textual('shex:nonLiteral', 'NodeIdentifier', 'a URI, a CURIE or a blank node (_:name)', isNodeIdentifier),
  ],
  ['jsonpointer', textual('xsd:string', 'str', 'a JSON pointer (/a/b)', isJsonPointer)],
  ['jsonpath', textual('xsd:string', 'str', 'a JSON path ($.a.b)', isJsonPath)],
  ['sparqlpath', anyText('xsd:string', 'str', 'a SPARQL property path')],
]);

/** The built-in type for a `base` of a type that has no `typeof`. */
export function typeOfBase(base: string | undefined): string | undefined {
  const plain: Record<string, string> = {
    str: 'string',
    int: 'integer',
    bool: 'boolean',
    Bool: 'boolean',
    float: 'float',
  };
  if (base === undefined) return undefined;
  if (Object.hasOwn(plain, base)) return plain[base];
  return [...BUILT_IN_TYPES].find(([, row]) => row.base === base)?.[0];
}
