/**
 * Keys that modules have in the settings of a collection, or in its configuration. They are checked when they are sent, and kept in
 * the store while the module is absent.
 */
export type ModuleKey = {
  /** The JSON Schema of the value. */
  readonly schema: object;
};

/** By the name of the key. */
export type ModuleKeys<Key extends ModuleKey = ModuleKey> = Readonly<Record<string, Key>>;

type ObjectSchema = { readonly properties: object };

/** The schema of an object that has the keys of modules as well. */
export function withKeys<S extends ObjectSchema>(schema: S, keys: ModuleKeys): S {
  const ofModules = Object.fromEntries(Object.entries(keys).map(([key, { schema }]) => [key, schema]));
  return { ...schema, properties: { ...schema.properties, ...ofModules } };
}

/** The members of an object whose keys a schema has, and the others. */
export function splitByKeys<T extends object>(
  { properties }: ObjectSchema,
  value: T,
): [known: T, unknown: T] {
  const isKnown = ([key]: [string, unknown]) => Object.hasOwn(properties, key);
  const members = Object.entries(value);
  const known = members.filter(isKnown);
  const unknown = members.filter((member) => !isKnown(member));
  return [Object.fromEntries(known) as T, Object.fromEntries(unknown) as T];
}
