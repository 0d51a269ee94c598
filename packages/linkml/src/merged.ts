/**
 * A schema and its imports as one schema, which opens without an import and gives the same verdicts. Elements keep the
 * names and IRIs that they have in the file that defines them.
 */

import { defaultPrefix } from './define/definition-context.ts';
import { camelCase, snakeCase } from './define/names.ts';
import { type JsonObject, type JsonValue, Numeral } from './json.ts';
import { type Definition, isMapping, namedOf } from './load/definitions.ts';
import type { Element, LoadedSchema, SchemaFile } from './load/loaded.ts';
import type { YamlValue } from './load/yaml.ts';

/** The main schema with the elements, prefixes and settings of its imports, and without `imports`. */
export function mergedSchema({
  main,
  files,
  prefixes,
  types,
  enums,
  slots,
  classes,
}: LoadedSchema): JsonObject {
  const { imports: _imports, prefixes: _prefixes, default_curi_maps: _maps, ...own } = main.source;
  const settings = Object.assign({}, ...files.map(({ source }) => settingsOf(source)));
  const uri = uriWriter(main, prefixes);
  return {
    ...(plainYaml(own) as JsonObject),
    prefixes: Object.fromEntries(prefixes),
    ...(Object.keys(settings).length > 0 && { settings }),
    ...elements('types', types, (element) => uri(element, 'uri', camelCase, 'typeof')),
    ...elements('enums', enums, (element) => uri(element, 'enum_uri', camelCase)),
    ...elements('slots', slots, (element) => uri(element, 'slot_uri', snakeCase)),
    ...elements('classes', classes, (element) => {
      const definition = uri(element, 'class_uri', camelCase);
      if (element.file === main || !isMapping(definition.attributes)) return definition;
      const attributes = [...namedOf(definition.attributes)].map(([name, source]) => {
        return [name, uri({ name, file: element.file, source }, 'slot_uri', snakeCase)] as const;
      });
      return { ...definition, attributes: Object.fromEntries(attributes) };
    }),
  };
}

function settingsOf(source: Definition): Record<string, JsonValue> {
  return Object.fromEntries(
    [...namedOf(source.settings, 'setting_value', 'setting_key')].map(([key, value]) => [
      key,
      plainYaml(value.setting_value),
    ]),
  );
}

function elements(
  section: string,
  all: ReadonlyMap<string, Element>,
  write: (element: Element) => Definition,
): JsonObject {
  if (all.size === 0) return {};
  return { [section]: Object.fromEntries([...all].map(([name, one]) => [name, plainYaml(write(one))])) };
}

/** An element of an imported file gets the IRI that the default prefix of its file made. */
function uriWriter(main: SchemaFile, prefixes: ReadonlyMap<string, string>) {
  return (
    element: Element,
    key: string,
    localName: (name: string) => string,
    inherits?: string,
  ): Definition => {
    const { name, file, source } = element;
    if (file === main || typeof source[key] === 'string') return source;
    // A type without a URI has that of the type it is made from.
    if (inherits !== undefined && source[inherits] !== undefined) return source;
    const start = defaultPrefix(file);
    if (start === defaultPrefix(main)) return source;
    const value = prefixes.has(start) ? `${start}:${localName(name)}` : start + localName(name);
    return { ...source, [key]: value };
  };
}

function plainYaml(value: YamlValue | undefined): JsonValue {
  if (Array.isArray(value)) return value.map(plainYaml);
  if (typeof value !== 'object' || value === null || value instanceof Numeral) return value ?? null;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, plainYaml(member)]));
}
