/** Fills in the defaults that a JSON Schema declares, also inside unions, where Ajv does not. */

/** The part of JSON Schema that the configuration pieces are written in. */
type SchemaPart = {
  readonly properties?: Readonly<Record<string, SchemaPart>>;
  readonly additionalProperties?: SchemaPart | boolean;
  readonly items?: SchemaPart;
  readonly discriminator?: { readonly propertyName: string };
  readonly oneOf?: readonly SchemaPart[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly default?: unknown;
};

/** A copy of a value that has passed its schema, with every default in its place. */
export function withDefaults(schema: object, value: unknown): unknown {
  return complete(schema as SchemaPart, value);
}

function complete(schema: SchemaPart, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => complete(schema.items ?? {}, item));
  if (typeof value !== 'object' || value === null) return value;
  const object = value as Record<string, unknown>;
  const { properties = {}, additionalProperties } = alternativeOf(schema, object);
  const rest = typeof additionalProperties === 'object' ? additionalProperties : {};
  const given = Object.entries(object).map(([key, member]) => {
    const part = Object.hasOwn(properties, key) ? properties[key] : rest;
    return [key, complete(part ?? {}, member)];
  });
  const missing = Object.entries(properties)
    .filter(([key, part]) => !Object.hasOwn(object, key) && part.default !== undefined)
    .map(([key, part]) => [key, complete(part, part.default)]);
  return Object.fromEntries([...given, ...missing]);
}

/** Of a union with a discriminator the alternative that the value has chosen, else the schema itself. */
function alternativeOf(schema: SchemaPart, value: Record<string, unknown>): SchemaPart {
  const tag = schema.discriminator?.propertyName;
  if (tag === undefined) return schema;
  const chosen = schema.oneOf?.find(({ properties }) => {
    const part = properties?.[tag];
    return part?.const === value[tag] || part?.enum?.includes(value[tag]);
  });
  return chosen ?? schema;
}
