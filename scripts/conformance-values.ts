/** Equality of JSON values as the corpus judges it: objects without order, numbers by value, lists in order. */
import { isJsonObject, type JsonValue } from '#linkml/json.ts';
import { compareNumbers } from '#linkml/types/numbers.ts';

/** @param asSets whether lists are compared as multisets, as they are for Turtle input */
export function sameValue(a: JsonValue, b: JsonValue, asSets = false): boolean {
  if (typeof a !== typeof b || a === null || b === null || typeof a === 'string' || typeof a === 'boolean') {
    if (!isNumeric(a) || !isNumeric(b)) return a === b;
  }
  if (isNumeric(a) && isNumeric(b)) return compareNumbers(a, b) === 0;
  if (Array.isArray(a) && Array.isArray(b))
    return asSets
      ? sameMembers(a, b)
      : a.length === b.length && a.every((member, i) => sameValue(member, b[i] as JsonValue));
  if (!isJsonObject(a) || !isJsonObject(b)) return false;
  const keys = Object.keys(a);
  return (
    keys.length === Object.keys(b).length &&
    keys.every((key) => Object.hasOwn(b, key) && sameValue(a[key] as JsonValue, b[key] as JsonValue, asSets))
  );
}

function isNumeric(value: JsonValue): boolean {
  return (
    typeof value === 'number' ||
    (typeof value === 'object' && value !== null && !Array.isArray(value) && !isJsonObject(value))
  );
}

function sameMembers(a: readonly JsonValue[], b: readonly JsonValue[]): boolean {
  const left = [...b];
  for (const member of a) {
    const index = left.findIndex((other) => sameValue(member, other, true));
    if (index < 0) return false;
    left.splice(index, 1);
  }
  return left.length === 0;
}
