/**
 * The values of a configuration file, or of a body of the administration, in the forms that the configuration has: the peer also accepts numbers and
 * booleans that are spelled otherwise (Pydantic's lax mode), such as `hashed: y` or `auto_flush_timeout: "60"`.
 */
import { isJsonObject, type JsonValue, Numeral } from '#linkml/json.ts';

/** The keys of the configuration whose values are not strings. */
const READERS: Readonly<Record<string, (value: JsonValue) => JsonValue>> = {
  hashed: (value) => booleanOf(value) ?? value,
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

const TRUE = ['true', '1', 'yes', 'on', 't', 'y'];
const FALSE = ['false', '0', 'no', 'off', 'f', 'n'];

/** A pattern of the words of {@link booleanOf}, for schemas: those of JSON have no flag for upper case. */
export const BOOLEAN_WORD = `^(${[...TRUE, ...FALSE].join('|').replaceAll(/[a-z]/g, (letter) => `[${letter.toUpperCase()}${letter}]`)})$`;

/** The boolean that a word or number stands for; undefined for any other value. */
export function booleanOf(value: unknown): boolean | undefined {
  const word = typeof value === 'object' ? '' : String(value).toLowerCase();
  if (TRUE.includes(word)) return true;
  return FALSE.includes(word) ? false : undefined;
}

function integerOf(value: JsonValue): JsonValue {
  if (typeof value === 'boolean') return Number(value);
  return typeof value === 'string' && /^\s*[-+]?\d+\s*$/.test(value) ? Number(value) : value;
}
