/**
 * JSON without loss, and its canonical text.
 *
 * Records are plain JavaScript values in programs, and canonical JSON text in stores: keys sorted by code point, no blanks,
 * numbers as they were written or as their slot's type writes them.
 */

/** A JSON value. Numbers whose text says more than a JavaScript number can are kept as {@link Numeral}. */
export type JsonValue = null | boolean | number | Numeral | string | JsonValue[] | JsonObject;
export type JsonObject = { [key: string]: JsonValue };

/** The members of an object that have a value. */
export function withoutUndefined<T extends object>(
  object: T,
): { [Key in keyof T]?: Exclude<T[Key], undefined> } {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined)) as never;
}

/** The members of an object that have some names. */
export function membersOf(object: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([name]) => names.includes(name)));
}

/** Sets a member of an object, whatever its name is: an assignment to `__proto__` would be lost. */
export function setMember<Value>(object: { [key: string]: Value }, name: string, value: Value): void {
  if (name === '__proto__')
    Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true });
  else object[name] = value;
}

/**
 * A number together with its text, where JavaScript would print it otherwise: an integer beyond 2^53, `5.0`, `1e+21`.
 * A value that is a `number` prints as JavaScript prints it.
 */
export class Numeral {
  readonly source: string;

  constructor(source: string) {
    this.source = source;
  }

  /** The nearest JavaScript number. */
  valueOf(): number {
    return Number(this.source);
  }

  toString(): string {
    return this.source;
  }

  /** Lets `JSON.stringify` write the exact digits; without `JSON.rawJSON`, the nearest number. */
  toJSON(): unknown {
    return rawJson ? rawJson(this.source) : this.valueOf();
  }
}

/**
 * Of the ECMAScript proposal "JSON.parse source text access", which TypeScript does not know yet. Node has it since 22, browsers since
 * 2023 (Chrome) to 2025 (Firefox, Safari).
 */
const rawJson = (JSON as unknown as { rawJSON?: (source: string) => unknown }).rawJSON;

/** A JSON text that cannot be read; `offset` counts UTF-16 code units from the start, if it is known. */
export class JsonSyntaxError extends Error {
  readonly offset: number | undefined;

  constructor(message: string, offset?: number) {
    super(message);
    this.name = 'JsonSyntaxError';
    this.offset = offset;
  }
}

/** JSON in which an object has a key twice, so that one of the values would be lost; `offset` is that of the second one. */
export class RepeatedKeyError extends JsonSyntaxError {
  readonly key: string;

  constructor(key: string, offset: number) {
    super(`the key ${JSON.stringify(key.slice(0, 100))} occurs twice in one object`, offset);
    this.name = 'RepeatedKeyError';
    this.key = key;
  }
}

/** Number tokens that JavaScript might print differently: a fraction that ends in 0, an exponent, 16 or more digits, -0. */
const UNFAITHFUL_NUMBER = /\d(?:\d{15}|[eE][-+\d])|\.\d*0(?![\d.])|-0(?![\d.])/;

/** Whether {@link parseJson} may keep a number as {@link Numeral}. */
function mayHaveNumerals(text: string): boolean {
  return UNFAITHFUL_NUMBER.test(text);
}

/**
 * Reads a JSON text. Of duplicate keys, the last one is used. Numbers that would print differently become
 * {@link Numeral}; `__proto__` is a key like any other.
 *
 * @throws JsonSyntaxError
 */
export function parseJson(text: string): JsonValue {
  try {
    if (!mayHaveNumerals(text)) return JSON.parse(text) as JsonValue;
    return JSON.parse(rawJson ? text : withMarks(text), keepDigits) as JsonValue;
  } catch (error) {
    throw syntaxError(error);
  }
}

/**
 * Reads a JSON text that others wrote, in which an object must not have a key twice.
 *
 * @throws JsonSyntaxError, of a repeated key RepeatedKeyError
 */
export function parseUniqueJson(text: string, parse: (text: string) => JsonValue = parseJson): JsonValue {
  const value = parse(text);
  // Counting is many times faster than comparing keys. A value has fewer of them than its text if one was repeated.
  if (membersIn(text) !== keysIn(value)) throw repeatedKey(text) ?? new JsonSyntaxError('has a key twice');
  return value;
}

/** How many members the objects in a JSON text have: strings with a colon behind them. */
function membersIn(text: string): number {
  let members = 0;
  for (let at = text.indexOf('"'); at >= 0; at = text.indexOf('"', at + 1)) {
    at = closingQuote(text, at);
    if (isKeyBefore(text, at)) members += 1;
  }
  return members;
}

/** How many keys the objects in a value have. */
function keysIn(value: JsonValue): number {
  let keys = 0;
  const waiting: JsonValue[] = [value];
  for (let one = waiting.pop(); one !== undefined; one = waiting.pop()) {
    if (Array.isArray(one)) for (const item of one) waiting.push(item);
    else if (isJsonObject(one))
      for (const key of Object.keys(one)) {
        keys += 1;
        const member = one[key] as JsonValue;
        if (typeof member === 'object' && member !== null) waiting.push(member);
      }
  }
  return keys;
}

const [QUOTE, COLON, BACKSLASH] = ['"', ':', '\\'];

/** The offset of the quote that closes a string, in valid JSON. */
function closingQuote(text: string, opening: number): number {
  let at = text.indexOf(QUOTE, opening + 1);
  for (; at >= 0; at = text.indexOf(QUOTE, at + 1)) {
    let before = at;
    while (text[before - 1] === BACKSLASH) before -= 1;
    if ((at - before) % 2 === 0) return at;
  }
  return text.length;
}

/** Whether a colon follows the closing quote of a string. */
function isKeyBefore(text: string, quote: number): boolean {
  let at = quote + 1;
  while (text.charCodeAt(at) <= 0x20) at += 1;
  return text[at] === COLON;
}

function repeatedKey(text: string): RepeatedKeyError | undefined {
  const open: (Set<string> | undefined)[] = [];
  for (let at = 0; at < text.length; at += 1) {
    const sign = text[at];
    if (sign === '{') open.push(new Set());
    else if (sign === '[') open.push(undefined);
    else if (sign === '}' || sign === ']') open.pop();
    else if (sign === QUOTE) {
      const end = closingQuote(text, at);
      const keys = open.at(-1);
      if (keys && isKeyBefore(text, end)) {
        const key = JSON.parse(text.slice(at, end + 1)) as string;
        if (keys.has(key)) return new RepeatedKeyError(key, at);
        keys.add(key);
      }
      at = end;
    }
  }
  return undefined;
}

/** Marks numbers as strings if the reader of JSON does not pass their text. It is random, so strings of a document do not have it. */
const MARK = rawJson ? undefined : `numeral ${Math.random()} `;
const STRING_OR_NUMBER = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?/g;

/** A JSON text in which numbers that would print differently are strings with a mark. @throws SyntaxError with the position in `text` */
function withMarks(text: string): string {
  JSON.parse(text);
  return text.replace(STRING_OR_NUMBER, (token) =>
    token.startsWith('"') || String(Number(token)) === token ? token : `"${MARK}${token}"`,
  );
}

function keepDigits(_key: string, value: unknown, context?: { source?: string }): unknown {
  if (MARK && typeof value === 'string' && value.startsWith(MARK))
    return new Numeral(value.slice(MARK.length));
  if (typeof value !== 'number' || context?.source === undefined) return value;
  return String(value) === context.source ? value : new Numeral(context.source);
}

function syntaxError(error: unknown): JsonSyntaxError {
  if (error instanceof RangeError) return new JsonSyntaxError('nested too deeply');
  const message = error instanceof Error ? error.message : String(error);
  const position = /at position (\d+)/.exec(message);
  return new JsonSyntaxError(message, position ? Number(position[1]) : undefined);
}

/** The canonical text of a value: keys sorted by code point, no blanks. A {@link JsonText} in it is written as it is. */
export function canonicalJson(value: JsonValue | JsonText): string {
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  if (value instanceof Numeral) return value.source;
  if (value instanceof JsonText) return value.text;
  if (Array.isArray(value)) return `[${textOfEach(value, canonicalJson)}]`;
  const keys = Object.keys(value).sort(compareCodePoints);
  const member = (key: string) => `${JSON.stringify(key)}:${canonicalJson(value[key] as JsonValue)}`;
  return `{${textOfEach(keys, member)}}`;
}

/** So many texts are joined at a time: millions of them in a list would take many times what they say. */
const JOINED_AT_ONCE = 10_000;

function textOfEach<T>(items: readonly T[], textOf: (item: T) => string): string {
  if (items.length <= JOINED_AT_ONCE) return items.map(textOf).join(',');
  const parts: string[] = [];
  for (let from = 0; from < items.length; from += JOINED_AT_ONCE)
    parts.push(
      items
        .slice(from, from + JOINED_AT_ONCE)
        .map(textOf)
        .join(','),
    );
  return parts.join(',');
}

/** A copy of all of a value. `structuredClone` would make other objects of {@link Numeral}s. */
export function copyJson<T extends JsonValue>(value: T): T {
  return parseJson(canonicalJson(value)) as T;
}

/** A JSON text in a value for {@link canonicalJson} or {@link jsonWith}: it need not be parsed to be written again. */
export class JsonText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** The JSON of an object, some members of which may be texts. */
export function jsonWith(members: Readonly<Record<string, unknown>>): string {
  const texts = Object.entries(members).map(([key, value]) => {
    return `${JSON.stringify(key)}:${value instanceof JsonText ? value.text : JSON.stringify(value)}`;
  });
  return `{${texts.join(',')}}`;
}

/** Whether a value is a JSON object (and neither an array, null nor a number in its own text). */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Numeral);
}

/**
 * Compares by Unicode code point, as the peer and SQLite do. JavaScript's own order compares UTF-16 units, which
 * puts U+E000…U+FFFF behind the astral planes.
 */
export function compareCodePoints(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const x = a.charCodeAt(i);
    const y = b.charCodeAt(i);
    if (x !== y) return codePointRank(x) - codePointRank(y);
  }
  return a.length - b.length;
}

/** Moves the surrogates, which encode the astral planes, behind all other UTF-16 units. */
function codePointRank(unit: number): number {
  if (unit < 0xd800) return unit;
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800;
}

/** A key as a segment of a JSON Pointer (RFC 6901, section 3). */
export function pointerSegment(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1');
}

/** The keys along a JSON Pointer. */
export function pointerKeys(pointer: string): string[] {
  const segments = pointer.split('/').slice(1);
  return pointer.includes('~')
    ? segments.map((segment) => segment.replaceAll('~1', '/').replaceAll('~0', '~'))
    : segments;
}
