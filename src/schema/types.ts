/**
 * The built-in LinkML types as a table: how each is written in a schema, what it stands for in RDF, and how a JSON value
 * becomes its canonical form.
 */
import type { JsonValue } from '../json.ts';
import { toDecimal, toFloat, toInteger } from './numbers.ts';
import { toDate, toDateOrDatetime, toDatetime, toTime } from './temporal.ts';

export type BuiltInType = {
  /** The datatype, as `linkml:types` declares it. */
  readonly uri: string;
  /** LinkML's `base`. */
  readonly base: string;
  /** The name under which the Python tools sort it among the branches of a union. */
  readonly python: string;
  /** What messages call a value of it. */
  readonly expects: string;
  /** The stem of the problem's `type`: `<kind>_parsing` for text that can't be read, `<kind>_type` for other JSON. */
  readonly kind: string;
  /** The canonical form, or undefined for a value that is none. Canonical forms are their own canonical form. */
  coerce(value: JsonValue): JsonValue | undefined;
  /** How well a value that `coerce` takes fits: 2 as it stands, 1 without loss, 0 only by reading it as something else. */
  fit(value: JsonValue): 0 | 1 | 2;
};

const PCHAR = "(?:[A-Za-z0-9\\-._~!$&'()*+,;=:@]|%[0-9A-Fa-f]{2})";
const SEGMENTS = `(?:/${PCHAR}*)*`;
const AUTHORITY =
  "//(?:(?:[A-Za-z0-9\\-._~!$&'()*+,;=:]|%[0-9A-Fa-f]{2})*@)?(?:\\[[0-9A-Fa-f:.vV]+\\]|(?:[A-Za-z0-9\\-._~!$&'()*+,;=]|%[0-9A-Fa-f]{2})*)(?::\\d*)?";
const QUERY_FRAGMENT = `(?:\\?(?:${PCHAR}|[/?])*)?(?:#(?:${PCHAR}|[/?])*)?`;
const NO_COLON = "(?:[A-Za-z0-9\\-._~!$&'()*+,;=@]|%[0-9A-Fa-f]{2})";
const RELATIVE = `(?:${AUTHORITY}${SEGMENTS}|/(?:${PCHAR}+${SEGMENTS})?|${NO_COLON}+${SEGMENTS}|)${QUERY_FRAGMENT}`;
/** RFC 3986: `scheme:` and the rest. ASCII only. */
const URI = new RegExp(
  `^[A-Za-z][A-Za-z0-9+.\\-]*:(?:${AUTHORITY}${SEGMENTS}|/(?:${PCHAR}+${SEGMENTS})?|${PCHAR}+${SEGMENTS}|)${QUERY_FRAGMENT}$`,
);
/** CURIE syntax 1.0 with an ASCII prefix, which may be empty. */
const CURIE = new RegExp(`^(?:[A-Za-z_][A-Za-z0-9._\\-]*)?:${RELATIVE}$`);
const URI_REFERENCE = new RegExp(`^${RELATIVE}$`);
const NCNAME = /^[\p{Lu}\p{Ll}\p{Lt}\p{Lo}\p{Nl}_][\p{L}\p{Nl}\p{Nd}\p{M}._\-\u00b7\u0387]*$/u;
const JSON_POINTER = /^(?:\/(?:[^~/]|~[01])*)*$/;

/** A URI, a relative reference (`name`, and so the empty text), or a CURIE with a prefix that is no blank node's. */
function isUriOrCurie(text: string): boolean {
  return (
    URI.test(text) ||
    URI_REFERENCE.test(text) ||
    (CURIE.test(text) && !text.startsWith(':') && !text.startsWith('_:'))
  );
}

/** Starts at the root, and every bracket outside of quotes has its partner. */
function isJsonPath(text: string): boolean {
  if (!text.startsWith('$')) return false;
  const open: string[] = [];
  let quote: string | undefined;
  for (let i = 1; i < text.length; i++) {
    const char = text[i]!;
    if (quote !== undefined) {
      if (char === '\\') i++;
      else if (char === quote) quote = undefined;
    } else if (char === '"' || char === "'") quote = char;
    else if (char === '(' || char === '[') open.push(char);
    else if ((char === ')' && open.pop() !== '(') || (char === ']' && open.pop() !== '[')) return false;
  }
  return open.length === 0 && quote === undefined;
}

/** No IRI, name or path is longer; the bound keeps the regular expressions above within the engine's stack. */
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

function converted(
  uri: string,
  base: string,
  python: string,
  kind: string,
  expects: string,
  coerce: BuiltInType['coerce'],
  fit: BuiltInType['fit'],
): BuiltInType {
  return { uri, base, python, kind, expects, coerce, fit };
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
  if (value === null || Array.isArray(value) || (typeof value === 'object' && toInteger(value) === undefined))
    return undefined;
  const number = Number(value);
  return number === 1 ? true : number === 0 ? false : undefined;
}

const isNumber = (value: JsonValue): boolean =>
  typeof value === 'number' || (typeof value === 'object' && value !== null);
const lax = (): 0 => 0;
const isWholeNumber = (value: JsonValue): boolean =>
  isNumber(value) &&
  /^-?\d+$/.test(String(typeof value === 'number' ? value : (value as { source: string }).source));

/** Every type of `linkml:types`, by its name in schemas. */
export const BUILT_IN_TYPES: ReadonlyMap<string, BuiltInType> = new Map([
  ['string', anyText('xsd:string', 'str', 'text')],
  [
    'integer',
    converted('xsd:integer', 'int', 'int', 'int', 'an integer', toInteger, (value) =>
      isWholeNumber(value) ? 2 : 0,
    ),
  ],
  [
    'boolean',
    converted('xsd:boolean', 'Bool', 'bool', 'bool', 'true or false', toBoolean, (value) =>
      typeof value === 'boolean' ? 2 : 0,
    ),
  ],
  [
    'float',
    converted('xsd:float', 'float', 'float', 'float', 'a number', toFloat, (value) =>
      isWholeNumber(value) ? 1 : isNumber(value) ? 2 : 0,
    ),
  ],
  [
    'double',
    converted('xsd:double', 'float', 'float', 'float', 'a number', toFloat, (value) =>
      isWholeNumber(value) ? 1 : isNumber(value) ? 2 : 0,
    ),
  ],
  ['decimal', converted('xsd:decimal', 'Decimal', 'Decimal', 'decimal', 'a decimal number', toDecimal, lax)],
  ['time', converted('xsd:time', 'XSDTime', 'str', 'time', 'a time (HH:MM:SS)', toTime, asText)],
  ['date', converted('xsd:date', 'XSDDate', 'date', 'date', 'a date (YYYY-MM-DD)', toDate, lax)],
  [
    'datetime',
    converted(
      'xsd:dateTime',
      'XSDDateTime',
      'datetime ',
      'datetime',
      'a date and time (YYYY-MM-DDTHH:MM:SS)',
      toDatetime,
      lax,
    ),
  ],
  [
    'date_or_datetime',
    converted(
      'linkml:DateOrDatetime',
      'str',
      'str',
      'date_or_datetime',
      'a date (YYYY-MM-DD) or a date and time (YYYY-MM-DDTHH:MM:SS)',
      toDateOrDatetime,
      asText,
    ),
  ],
  ['uriorcurie', textual('xsd:anyURI', 'URIorCURIE', 'a URI or CURIE (ASCII, without blanks)', isUriOrCurie)],
  ['curie', textual('xsd:string', 'Curie', 'a CURIE (prefix:name)', (text) => CURIE.test(text))],
  [
    'uri',
    textual(
      'xsd:anyURI',
      'URI',
      'a URI (ASCII, without blanks)',
      (text) => URI.test(text) || URI_REFERENCE.test(text),
    ),
  ],
  [
    'ncname',
    textual('xsd:string', 'NCName', 'a name without colon and blanks (NCName)', (text) => NCNAME.test(text)),
  ],
  ['objectidentifier', anyText('shex:iri', 'ElementIdentifier', 'an identifier')],
  ['nodeidentifier', textual('shex:nonLiteral', 'NodeIdentifier', 'a URI or CURIE', isUriOrCurie)],
  ['jsonpointer', textual('xsd:string', 'str', 'a JSON pointer (/a/b)', (text) => JSON_POINTER.test(text))],
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
