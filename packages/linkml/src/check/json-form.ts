/** Values of JavaScript as JSON has them. */
import { type JsonValue, Numeral } from '../json.ts';

/**
 * The value that `JSON.stringify` would write: a `Date`, like every object with `toJSON`, is what that returns. A
 * BigInt, which `JSON.stringify` refuses, is an integer. Every other value is returned as it is, and is refused by the
 * checks if JSON does not have it.
 */
export function jsonForm(value: unknown): JsonValue {
  if (typeof value === 'bigint') return new Numeral(String(value));
  if (typeof value !== 'object' || value === null || value instanceof Numeral) return value as JsonValue;
  const { toJSON } = value as { toJSON?: unknown };
  return typeof toJSON === 'function' ? (toJSON.call(value, '') as JsonValue) : (value as JsonValue);
}
