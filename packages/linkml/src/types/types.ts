/**
 * The built-in LinkML types as a table: how each is written in a schema, what it stands for in RDF, and how a JSON value
 * becomes its canonical form.
 */
import type { JsonValue } from '../json.ts';
import { isNumber, toDecimal, toFloat, toInteger } from './numbers.ts';
import { toDate, toDateOrDatetime, toDatetime, toTime } from './temporal.ts';

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

/** The most frequent URIs and relative references; below, with CURIEs. */
const FREQUENT_URI = /^(?:[A-Za-z][A-Za-z0-9+.-]*:(?:\/\/)?)?[A-Za-z0-9\-._~]+(?:\/[A-Za-z0-9\-._~]*)*$/;

const FREQUENT_CURIE = /^(?:[A-Za-z][A-Za-z0-9._-]*:(?:\/\/)?)?[A-Za-z0-9\-._~]+(?:\/[A-Za-z0-9\-._~]*)*$/;

/** A URI, or a relative reference. */
function isUri(text: string): boolean {
  return FREQUENT_URI.test(text) || URI.test(text) || URI_REFERENCE.test(text);
}

/** A CURIE, whether its prefix is known or not. */
function isCurie(text: string): boolean {
  return CURIE.test(text);
}

/** A name without a colon (Namespaces in XML). */
function isNcName(text: string): boolean {
  return NCNAME.test(text);
}

/** RFC 6901. */
function isJsonPointer(text: string): boolean {
  return JSON_POINTER.test(text);
}

/** A URI, a relative reference (`name`, also the empty string), or a CURIE whose prefix is not `_` (a blank node). */
function isUriOrCurie(text: string): boolean {
  return (
    FREQUENT_CURIE.test(text) ||
    isUri(text) ||
    (CURIE.test(text) && !text.startsWith(':') && !text.startsWith('_:'))
  );
}

/** A URI, a CURIE, or the label of a blank node. */
function isNodeIdentifier(text: string): boolean {
  return isUriOrCurie(text) || /^_:[\w](?:[\w.-]*[\w-])?$/.test(text);
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

type BuiltInType = {
  /** The datatype, as `linkml:types` declares it. */
  readonly uri: string;
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

const textItself = (value: JsonValue): string | undefined => (typeof value === 'string' ? value : undefined);

function anyText(uri: string, base: string, expects: string): BuiltInType {
  return { ...textual(uri, base, expects, () => true), coerce: textItself };
}

/** Whether every text is a value of a type, and nothing else is. */
export function isAnyText({ coerce }: BuiltInType): boolean {
  return coerce === textItself;
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
