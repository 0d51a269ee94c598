/** How two configurations differ, element by element and key by key. */
import { canonicalJson, isJsonObject, type JsonValue } from '#linkml/json.ts';
import type { Configuration } from './config.ts';
import { SECRET_KEYS } from './secrets.ts';

/** One difference. Secrets are not repeated: their side is `***`. */
type ConfigurationDifference = {
  /** `collections.lab.curated`, `tokens.ann`. */
  readonly key: string;
  /** Undefined if the key is missing there. */
  readonly before: JsonValue | undefined;
  readonly after: JsonValue | undefined;
};

/** Lists the changes from one configuration to another, in the order of keys. */
export function configurationDifferences(
  before: Configuration,
  after: Configuration,
): ConfigurationDifference[] {
  return differencesIn(plainConfiguration(before), plainConfiguration(after), '');
}

function plainConfiguration(configuration: Configuration): JsonValue {
  return JSON.parse(JSON.stringify(configuration)) as JsonValue;
}

function differencesIn(
  before: JsonValue | undefined,
  after: JsonValue | undefined,
  key: string,
): ConfigurationDifference[] {
  if (isJsonObject(before) && isJsonObject(after)) {
    const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
    return keys.flatMap((one) =>
      differencesIn(own(before, one), own(after, one), key === '' ? one : `${key}.${one}`),
    );
  }
  const same =
    before === after ||
    (before !== undefined && after !== undefined && canonicalJson(before) === canonicalJson(after));
  return same ? [] : [{ key, before: masked(key, before), after: masked(key, after) }];
}

function own(object: { [key: string]: JsonValue }, key: string): JsonValue | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

function masked(key: string, value: JsonValue | undefined): JsonValue | undefined {
  if (value === undefined) return undefined;
  if (SECRET_KEYS.some((secret) => key.endsWith(`.${secret}`))) return '***';
  if (Array.isArray(value)) return value.map((one) => masked(key, one) as JsonValue);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, masked(`${key}.${name}`, inner) as JsonValue]),
  );
}

/** `tokens.ann.user_id: "a" → "b"` */
export function differenceText({ key, before, after }: ConfigurationDifference): string {
  if (before === undefined) return `+ ${key}: ${JSON.stringify(after)}`;
  if (after === undefined) return `- ${key}: ${JSON.stringify(before)}`;
  return `  ${key}: ${JSON.stringify(before)} → ${JSON.stringify(after)}`;
}
