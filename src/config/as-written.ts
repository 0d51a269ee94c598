/**
 * The values of a configuration file in the forms that the configuration has: the peer also accepts numbers and
 * booleans that are spelled otherwise (Pydantic's lax mode), such as `hashed: y` or `auto_flush_timeout: "60"`.
 */
import { isJsonObject, type JsonValue, Numeral } from '../json.ts';

/** The keys of the configuration whose values are not strings. */
const READERS: Readonly<Record<string, (value: JsonValue) => JsonValue>> = {
  hashed: booleanOf,
  auto_flush_timeout: integerOf,
};

/** A copy with plain JavaScript numbers, and the values of the keys above as booleans and integers. */
export function asWritten(value: JsonValue, key = ''): JsonValue {
  if (value instanceof Numeral) return asWritten(Number(value), key);
  if (Array.isArray(value)) return value.map((member) => asWritten(member));
  if (isJsonObject(value))
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, asWritten(member, name)]));
  return Object.hasOwn(READERS, key) ? READERS[key]!(value) : value;
}

function booleanOf(value: JsonValue): JsonValue {
  const word = typeof value === 'number' ? String(value) : value;
  if (typeof word !== 'string') return value;
  if (/^(?:1|t|true|y|yes|on)$/i.test(word)) return true;
  return /^(?:0|f|false|n|no|off)$/i.test(word) ? false : value;
}

function integerOf(value: JsonValue): JsonValue {
  if (typeof value === 'boolean') return Number(value);
  return typeof value === 'string' && /^\s*[-+]?\d+\s*$/.test(value) ? Number(value) : value;
}
