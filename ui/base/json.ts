/** JSON without loss: a number whose spelling would change is kept as it was written. */

import type { Json, RecordObject as JsonObject } from '../../src/client/client.ts';

export type { Json, RecordObject as JsonObject } from '../../src/client/client.ts';

type RawJson = { readonly rawJSON: string };
const raw = JSON as unknown as {
  rawJSON(text: string): RawJson;
  isRawJSON(value: unknown): value is RawJson;
  parse(
    text: string,
    reviver: (key: string, value: unknown, context: { source?: string }) => unknown,
  ): unknown;
};

/** Parses JSON; integers beyond 2^53 and spellings such as `1.50` survive a round trip. */
export function parseJson(text: string): Json {
  if (typeof raw.rawJSON !== 'function') return JSON.parse(text);
  return raw.parse(text, (_key, value, { source }) =>
    typeof value === 'number' && source !== undefined && String(value) !== source
      ? raw.rawJSON(source)
      : value,
  ) as Json;
}

/** Parses the input of a field for any value: JSON, or else a string; undefined if it is empty. */
export function anyValueFrom(text: string): Json | undefined {
  if (text.trim() === '') return undefined;
  try {
    return parseJson(text);
  } catch {
    return text;
  }
}

/** Whether a value is a number, however it is kept. */
export function isNumber(value: Json | undefined): boolean {
  return typeof value === 'number' || raw.isRawJSON?.(value) === true;
}

/** A number with exactly this spelling, which has to be one of JSON. */
export function numberFrom(text: string): Json {
  const value = Number(text);
  if (String(value) === text || typeof raw.rawJSON !== 'function') return value;
  return raw.rawJSON(text) as unknown as Json;
}

/** The text of a scalar as it is stored. */
export function scalarText(value: Json | undefined): string {
  if (value === undefined || value === null) return '';
  if (raw.isRawJSON?.(value)) return value.rawJSON;
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !raw.isRawJSON?.(value);
}

/** Whether a value says nothing. */
export function isEmpty(value: Json | undefined): boolean {
  if (value === undefined || value === null) return true;
  if (Array.isArray(value)) return value.length === 0;
  return isObject(value) && Object.keys(value).length === 0;
}

/** Whether two values have the same JSON text; key order does not matter. */
export function isEqual(a: Json | undefined, b: Json | undefined): boolean {
  return a === b || canonical(a ?? null) === canonical(b ?? null);
}

function canonical(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`;
  if (!isObject(value)) return JSON.stringify(value);
  const keys = Object.keys(value).sort();
  return `{${keys.map((key) => `${JSON.stringify(key)}:${canonical(value[key] ?? null)}`).join()}}`;
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
  if (rest.length === 0 && value === undefined) delete object[key];
  else object[key] = withValue(object[key], rest, value);
  return object;
}
