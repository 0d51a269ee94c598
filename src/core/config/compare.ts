/** How two configurations differ, element by element and key by key. */
import { canonicalJson, isJsonObject, type JsonValue } from '#linkml/json.ts';
import type { Configuration, ConfigurationSchemas } from './config.ts';
import { masked, type Shown, shownIn } from './secrets.ts';

/** One difference. Secrets are not repeated: a mask is in their place. */
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
  { shown }: Pick<ConfigurationSchemas, 'shown'>,
): ConfigurationDifference[] {
  return differencesIn(plainConfiguration(before), plainConfiguration(after), '', shown);
}

function plainConfiguration(configuration: Configuration): JsonValue {
  return JSON.parse(JSON.stringify(configuration)) as JsonValue;
}

function differencesIn(
  before: JsonValue | undefined,
  after: JsonValue | undefined,
  key: string,
  shown: Shown | undefined,
): ConfigurationDifference[] {
  if (isJsonObject(before) && isJsonObject(after)) {
    const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
    return keys.flatMap((one) =>
      differencesIn(
        own(before, one),
        own(after, one),
        key === '' ? one : `${key}.${one}`,
        shownIn(shown, one),
      ),
    );
  }
  const same =
    before === after ||
    (before !== undefined && after !== undefined && canonicalJson(before) === canonicalJson(after));
  if (same) return [];
  const side = (value: JsonValue | undefined) => (value === undefined ? undefined : masked(value, shown));
  return [{ key, before: side(before), after: side(after) }];
}

function own(object: { [key: string]: JsonValue }, key: string): JsonValue | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

/** `tokens.ann.user_id: "a" → "b"` */
export function differenceText({ key, before, after }: ConfigurationDifference): string {
  if (before === undefined) return `+ ${key}: ${JSON.stringify(after)}`;
  if (after === undefined) return `- ${key}: ${JSON.stringify(before)}`;
  return `  ${key}: ${JSON.stringify(before)} → ${JSON.stringify(after)}`;
}
