/** A schema and its imports as one schema. */
import { type JsonObject, type JsonValue, Numeral } from '../../json.ts';
import type { Element, LoadedSchema } from './load.ts';
import type { YamlValue } from './yaml.ts';

/** The main schema with the elements and prefixes of its imports, and without `imports`. */
export function mergedSchema(loaded: LoadedSchema): JsonObject {
  const { imports: _, ...own } = loaded.main.source;
  const sections = {
    types: loaded.types,
    enums: loaded.enums,
    slots: loaded.slots,
    classes: loaded.classes,
  };
  const merged = Object.entries(sections)
    .filter(([, elements]) => elements.size > 0)
    .map(([name, elements]) => [name, plainElements(elements)]);
  return {
    ...(plainYaml(own) as JsonObject),
    prefixes: Object.fromEntries(loaded.prefixes),
    ...Object.fromEntries(merged),
  };
}

function plainElements(elements: ReadonlyMap<string, Element>): JsonObject {
  return Object.fromEntries([...elements].map(([name, { source }]) => [name, plainYaml(source)]));
}

function plainYaml(value: YamlValue | undefined): JsonValue {
  if (Array.isArray(value)) return value.map(plainYaml);
  if (typeof value !== 'object' || value === null || value instanceof Numeral) return value ?? null;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, plainYaml(member)]));
}
