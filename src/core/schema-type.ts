/**
 * `schema_type`, the member that names the class of a record (specification 2.1), and the only file that knows it.
 *
 * Records are stored with it, in every schema (`records/record.ts`). Only classes with that slot
 * define it, so the schema is given the record {@link asDefined}. Like `errors.ts` and `json.ts`, every room may import
 * this file.
 */
import { canonicalJson, type JsonObject, type JsonValue, parseJson } from '#linkml/json.ts';

/** The name of the member. For words, and for records as trees of slots; all else has a function here. */
export const SCHEMA_TYPE = 'schema_type';

/** The part of a schema that decides about the member. */
type Classes = {
  readonly classes: ReadonlyMap<string, { readonly slots: ReadonlyMap<string, unknown> }>;
  schemaType(className: string): string;
  classOfSchemaType(schemaType: string): string | undefined;
};

/** The value of the member in a record. */
export function schemaTypeIn(record: JsonObject): JsonValue | undefined {
  return record[SCHEMA_TYPE];
}

/** The class that a record names itself; undefined if it names none of the schema. */
export function classNamedIn(
  schema: Pick<Classes, 'classOfSchemaType'>,
  record: JsonObject,
): string | undefined {
  const type = schemaTypeIn(record);
  return typeof type === 'string' ? schema.classOfSchemaType(type) : undefined;
}

/** Describes the class that a record names, for messages: `no schema_type`, `the schema_type "ex:Person"`. */
export function schemaTypeInWords(record: JsonObject): string {
  const type = schemaTypeIn(record);
  return type === undefined ? `no ${SCHEMA_TYPE}` : `the ${SCHEMA_TYPE} ${JSON.stringify(type)}`;
}

/** A record that names its class. */
export function withTypeOf(
  schema: Pick<Classes, 'schemaType'>,
  className: string,
  record: JsonObject,
): JsonObject {
  return { ...withoutType(record), [SCHEMA_TYPE]: schema.schemaType(className) };
}

export function withoutType({ [SCHEMA_TYPE]: _, ...record }: JsonObject): JsonObject {
  return record;
}

/** A record as its class defines it: a check would refuse the member in a class without that slot. */
export function asDefined(
  schema: Pick<Classes, 'classes'>,
  className: string,
  record: JsonObject,
): JsonObject {
  if (schemaTypeIn(record) === undefined) return record;
  return schema.classes.get(className)?.slots.has(SCHEMA_TYPE) ? record : withoutType(record);
}

/** Removes `schema_type` from the canonical text of a record, unless its class has such a slot. */
export function definedText(schema: Pick<Classes, 'classes'>, className: string, json: string): string {
  return schema.classes.get(className)?.slots.has(SCHEMA_TYPE) ? json : removeSchemaType(json);
}

/** A posted object as its class defines it: what reads return can be posted again, in schemas without that slot, too. */
export function asPosted(
  schema: Pick<Classes, 'classes' | 'classOfSchemaType'>,
  className: string,
  object: JsonObject,
): JsonObject {
  return classNamedIn(schema, object) === className ? asDefined(schema, className, object) : object;
}

/** Whether two texts are of one record, whatever class names a store has added under its schema. */
export function isSameRecord(a: string | undefined, b: string | undefined): boolean {
  return a === b || (a !== undefined && b !== undefined && untyped(a) === untyped(b));
}

/** Texts of other programs may not be canonical. */
function untyped(json: string): string {
  return canonicalJson(withoutType(parseJson(json) as JsonObject));
}

/**
 * Adds the member to the canonical text of an object, at its position among the sorted keys, without parsing it.
 *
 * @param present what to do with one that is there.
 */
export function addSchemaType(
  json: string,
  schemaType: string,
  present: 'replace' | 'keep' = 'replace',
): string {
  const place = placeOfSchemaType(json);
  if (place.end !== undefined && present === 'keep') return json;
  const before = json.slice(0, place.start);
  const member = `"${SCHEMA_TYPE}":${JSON.stringify(schemaType)}`;
  if (place.end !== undefined) return before + member + json.slice(place.end);
  if (json[place.start] !== '}') return `${before}${member},${json.slice(place.start)}`;
  return before === '{' ? `{${member}}` : `${before},${member}}`;
}

/** Removes the member from the canonical text of an object. */
export function removeSchemaType(json: string): string {
  const { start, end } = placeOfSchemaType(json);
  if (end === undefined) return json;
  if (json[end] === ',') return json.slice(0, start) + json.slice(end + 1);
  const before = json[start - 1] === ',' ? start - 1 : start;
  return json.slice(0, before) + json.slice(end);
}

/**
 * Where the member is in a canonical text, from its key to the end of its value, or (without `end`) where it belongs:
 * before the next greater key, or before the closing brace. Keys are compared as they are written: escapes, which are
 * for quotes, backslashes and control characters, sort before all letters either way.
 */
function placeOfSchemaType(json: string): { readonly start: number; readonly end?: number } {
  let start = 1;
  while (json.charCodeAt(start) === QUOTE) {
    const keyEnd = closingQuote(json, start);
    // Most keys are decided by their first letter.
    const first = json.charCodeAt(start + 1);
    if (first > FIRST_OF_KEY) return { start };
    const key = first === FIRST_OF_KEY ? json.slice(start + 1, keyEnd) : '';
    if (key > SCHEMA_TYPE) return { start };
    const end = endOfValue(json, keyEnd + 2);
    if (key === SCHEMA_TYPE) return { start, end };
    start = json.charCodeAt(end) === COMMA ? end + 1 : end;
  }
  return { start };
}

/** The index of the quote that closes the string whose opening quote is at an index. */
function closingQuote(json: string, open: number): number {
  let end = json.indexOf('"', open + 1);
  for (;;) {
    let escapes = 0;
    while (json.charCodeAt(end - 1 - escapes) === BACKSLASH) escapes += 1;
    if (escapes % 2 === 0) return end;
    end = json.indexOf('"', end + 1);
  }
}

/** The index behind the value that begins at an index: that of a comma or a closing brace. */
function endOfValue(json: string, start: number): number {
  let depth = 0;
  for (let at = start; at < json.length; at++) {
    switch (json.charCodeAt(at)) {
      case QUOTE:
        at = closingQuote(json, at);
        break;
      case OPEN_BRACE:
      case OPEN_BRACKET:
        depth += 1;
        break;
      case CLOSE_BRACE:
      case CLOSE_BRACKET:
        if (depth === 0) return at;
        depth -= 1;
        break;
      case COMMA:
        if (depth === 0) return at;
    }
  }
  return json.length;
}

const FIRST_OF_KEY = SCHEMA_TYPE.charCodeAt(0);
const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
