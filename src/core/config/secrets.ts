/**
 * Which values of the configuration are shown: those that its schemas know, but for secrets and hashes of secrets, whose schemas have
 * `format: password`. What absent modules have kept is hidden, since only they know which of it is secret.
 */
import { isJsonObject, type JsonValue } from '#linkml/json.ts';

/** The parts of a value that are shown, as JSON: {@link masked} runs in threads. Undefined for none. */
export type Shown =
  | 'all'
  | {
      readonly members: { readonly [key: string]: Shown | undefined };
      /** Members with other keys, and items of a list. */
      readonly others?: Shown | undefined;
    };

const MASK = '***';

/** Whether the values that a JSON Schema describes are secret. */
export function isSecretSchema(schema: object | undefined): boolean {
  return schema !== undefined && 'format' in schema && schema.format === 'password';
}

type SchemaPart = {
  readonly type?: unknown;
  readonly const?: unknown;
  readonly properties?: Readonly<Record<string, SchemaPart>>;
  readonly additionalProperties?: SchemaPart | boolean;
  readonly items?: SchemaPart;
  readonly oneOf?: readonly SchemaPart[];
  readonly anyOf?: readonly SchemaPart[];
};

/** What a JSON Schema shows of the values that it describes. Of alternatives, each hides its secrets from all. */
export function shownBy(schema: SchemaPart): Shown | undefined {
  if (isSecretSchema(schema)) return undefined;
  const { properties = {}, additionalProperties: rest, items = rest, oneOf, anyOf = oneOf } = schema;
  const own: Shown = {
    members: Object.fromEntries(Object.entries(properties).map(([key, part]) => [key, shownBy(part)])),
    ...(typeof items === 'object' && { others: shownBy(items) }),
  };
  if (anyOf) return anyOf.map(shownBy).reduce(both, own);
  const isFree = schema.properties === undefined && typeof items !== 'object';
  return isFree ? 'all' : own;
}

/** What two alternatives show together. */
function both(a: Shown | undefined, b: Shown | undefined): Shown | undefined {
  if (a === undefined || b === undefined) return undefined;
  // An alternative that is a value has no members to hide.
  if (a === 'all') return b;
  if (b === 'all') return a;
  const keys = new Set([...Object.keys(a.members), ...Object.keys(b.members)]);
  const members = [...keys].map((key) => {
    if (!Object.hasOwn(a.members, key)) return [key, b.members[key]];
    return [key, Object.hasOwn(b.members, key) ? both(a.members[key], b.members[key]) : a.members[key]];
  });
  return { members: Object.fromEntries(members), others: a.others ?? b.others };
}

/** What is shown of a member or an item. */
export function shownIn(shown: Shown | undefined, key: string): Shown | undefined {
  if (shown === undefined || shown === 'all') return shown;
  return Object.hasOwn(shown.members, key) ? shown.members[key] : shown.others;
}

/** What is in place of a value that is not shown; the path leads to it from the value that was given. */
type Mask = (hidden: JsonValue, path: readonly (string | number)[]) => JsonValue;

/** The value with a mask in place of all that is not shown. */
export function masked(
  value: JsonValue,
  shown: Shown | undefined,
  mask: Mask = () => MASK,
  path: readonly (string | number)[] = [],
): JsonValue {
  if (shown === undefined) return mask(value, path);
  if (shown === 'all') return value;
  if (Array.isArray(value)) return value.map((item, at) => masked(item, shown.others, mask, [...path, at]));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [
      key,
      masked(member, shownIn(shown, key), mask, [...path, key]),
    ]),
  );
}
