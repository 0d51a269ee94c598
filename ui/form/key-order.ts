import type { Json, JsonObject } from '../shared/json.ts';

/** The entries of a mapping in an order of keys, new ones last. By themselves, keys that look like integers come first in objects. */
export function entriesInOrder(mapping: JsonObject, order: readonly string[]): [key: string, value: Json][] {
  const known = order.filter((key) => Object.hasOwn(mapping, key));
  return [...new Set([...known, ...Object.keys(mapping)])].map((key) => [key, mapping[key]!]);
}
