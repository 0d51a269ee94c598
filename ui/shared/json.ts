/** Values of records in fields and differences. Numbers keep their spelling, as `Numeral` of the service keeps it. */

import { canonicalJson, isJsonObject, type JsonValue, parseUniqueJson, setMember } from '#linkml/json.ts';
import type { Json, RecordObject as JsonObject } from '../../src/client/client.ts';

export type { Json, RecordObject as JsonObject } from '../../src/client/client.ts';

/** Parses JSON; integers beyond 2^53 and spellings such as `1.50` survive a round trip. */
export const parseJson = parseUniqueJson as (text: string) => Json;

/** Parses the input of a field for any value: JSON, or else a string; undefined if it is empty. */
export function anyValueFrom(text: string): Json | undefined {
  if (text.trim() === '') return undefined;
  try {
    return parseJson(text);
  } catch {
    return text;
  }
}

/** The text of a scalar as it is stored. */
export function scalarText(value: Json | undefined): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : canonicalJson(value as JsonValue);
}

export function isObject(value: Json | undefined): value is JsonObject {
  return isJsonObject(value);
}

/** Whether a value says nothing. */
export function isEmpty(value: Json | undefined): boolean {
  if (value === undefined || value === null) return true;
  if (Array.isArray(value)) return value.length === 0;
  return isObject(value) && Object.keys(value).length === 0;
}

/** Whether two values have the same JSON text; key order does not matter. */
export function isEqual(a: Json | undefined, b: Json | undefined): boolean {
  return a === b || canonicalJson((a ?? null) as JsonValue) === canonicalJson((b ?? null) as JsonValue);
}

/** A copy with another value at a path; `undefined` removes it. */
export function withValue(
  target: Json | undefined,
  path: readonly (string | number)[],
  value: Json | undefined,
): Json {
  const [key, ...rest] = path;
  if (key === undefined) return value ?? null;
  if (typeof key === 'number') {
    const list = Array.isArray(target) ? [...target] : [];
    if (rest.length === 0 && value === undefined) list.splice(key, 1);
    else list[key] = withValue(list[key], rest, value);
    return list;
  }
  const object: JsonObject = isObject(target) ? { ...target } : {};
  const before = Object.hasOwn(object, key) ? object[key] : undefined;
  if (rest.length === 0 && value === undefined) delete object[key];
  else setMember<Json>(object, key, withValue(before, rest, value));
  return object;
}
