/**
 * One schema file out of many: what a schema imports is written into it, so that it opens without an import and gives the
 * same verdicts. Elements keep the names and IRIs that they have in the file that defines them.
 */
import { ServiceError } from '../errors.ts';
import { dumpYaml } from '../yaml/dump.ts';
import { defaultPrefix } from './define/definition-context.ts';
import { camelCase, snakeCase } from './define/names.ts';
import { type Definition, isMapping, namedOf } from './load/definitions.ts';
import { type Element, loadSchema, type SchemaFile } from './load/load.ts';
import { type ReadOptions, schemaLoader, urlOf } from './load/remote.ts';

/**
 * The text of the merged schema.
 *
 * @throws ServiceError `schema_invalid`
 */
export async function mergeSchema(address: string, options: ReadOptions = {}): Promise<string> {
  const url = urlOf(address);
  const load = schemaLoader(options);
  const text = await load(url);
  if (text === undefined) throw new ServiceError('schema_invalid', `The schema ${address} does not exist.`);
  const loaded = await loadSchema({ text, place: address, url }, load);
  const { main } = loaded;
  const { imports: _imports, prefixes: _prefixes, default_curi_maps: _maps, ...own } = main.source;
  const settings = Object.assign(
    {},
    ...loaded.files.map(({ source }) => settingsOf(source)),
    settingsOf(main.source),
  );
  const uri = uriWriter(main, loaded.prefixes);
  const merged = {
    ...own,
    prefixes: Object.fromEntries(loaded.prefixes),
    ...(Object.keys(settings).length > 0 && { settings }),
    types: elements(loaded.types, (element) => uri(element, 'uri', camelCase, 'typeof')),
    enums: elements(loaded.enums, (element) => uri(element, 'enum_uri', camelCase)),
    slots: elements(loaded.slots, (element) => uri(element, 'slot_uri', snakeCase)),
    classes: elements(loaded.classes, (element) => {
      const definition = uri(element, 'class_uri', camelCase);
      if (element.file === main || !isMapping(definition.attributes)) return definition;
      const attributes = [...namedOf(definition.attributes)].map(([name, source]) => {
        return [name, uri({ name, file: element.file, source }, 'slot_uri', snakeCase)] as const;
      });
      return { ...definition, attributes: Object.fromEntries(attributes) };
    }),
  };
  return dumpYaml(merged);
}

function settingsOf(source: Definition): Record<string, unknown> {
  return Object.fromEntries(
    [...namedOf(source.settings, 'setting_value', 'setting_key')].map(([key, value]) => [
      key,
      value.setting_value,
    ]),
  );
}

function elements(
  all: ReadonlyMap<string, Element>,
  write: (element: Element) => Definition,
): Record<string, unknown> {
  return Object.fromEntries([...all].map(([name, element]) => [name, write(element)]));
}

/** An element of an imported file says its IRI, which its file's default prefix made before. */
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
