/**
 * Reads a schema with all that it imports, and merges them into one set of elements.
 *
 * Order and precedence are those of the Python tools: imported files come before the file that imports them, and an
 * element of a later file replaces one of the same name (the importing file wins).
 */

import { isAbsoluteIri } from '../curie.ts';
import { LinkmlError, type SchemaWarning } from '../errors.ts';
import type { Faults } from '../faults.ts';
import { parseJson } from '../json.ts';
import { curatedPrefixes } from '../prefix-maps.ts';
import { isMapping, namedOf, textsOf, yamlText } from './definitions.ts';
import type { Element, LoadedSchema, SchemaFile } from './loaded.ts';
import { ParsedFile } from './parsed-file.ts';
import { STANDARD_SCHEMAS } from './standard.ts';
import { unsupportedElements } from './supported.ts';
import { parseYaml, withoutPrototypes, type YamlMapping } from './yaml.ts';

/** A schema file: its YAML text, or what parsing it has yielded. */
export type SchemaSource = string | ParsedFile | object;

/** Reads the file behind a URL; undefined if there is none. */
export type SchemaLoader = (url: URL) => Promise<SchemaSource | undefined>;

/**
 * @param faults gets the keys that occur twice
 * @param yieldIfDue called between steps
 * @throws LinkmlError `schema_invalid`
 */
export async function loadSchema(
  { source, place, url }: { source: SchemaSource; place: string; url: URL | undefined },
  load: SchemaLoader,
  faults: Faults,
  yieldIfDue = async () => {},
): Promise<LoadedSchema> {
  const main = schemaFile(source, place, url, faults);
  await yieldIfDue();
  const { files, isComplete } = await withImports(main, load, faults);
  const loaded = mergeFiles(main, files);
  // Without an import, names of its elements would be reported as unknown.
  if (!isComplete) faults.end([...loaded.warnings, ...unsupportedElements(loaded)]);
  return loaded;
}

/** A file without any of these is not a schema; its content is not reported. */
const ELEMENTS: ReadonlySet<string> = new Set([
  ...['id', 'name', 'prefixes', 'imports', 'classes', 'slots', 'types', 'enums', 'subsets'],
]);

function schemaFile(file: SchemaSource, place: string, url: URL | undefined, faults: Faults): SchemaFile {
  const { text, source } = file instanceof ParsedFile ? file : parsed(file, place, faults);
  if (!isMapping(source) || !Object.keys(source).some((key) => ELEMENTS.has(key)))
    throw new LinkmlError(
      'schema_invalid',
      `${place} is not a LinkML schema: expected a mapping with classes or other elements.`,
    );
  return describe(source, place, url, text, false);
}

function parsed(file: string | object, place: string, faults: Faults) {
  if (typeof file === 'string') return { text: file, source: parseYaml(file, place, faults) };
  const text = JSON.stringify(file) ?? '';
  return { text, source: withoutPrototypes(parseJson(text || 'null')) };
}

function describe(
  source: YamlMapping,
  place: string,
  url: URL | undefined,
  text = '',
  isStandard = true,
): SchemaFile {
  const prefixes = new Map<string, string>();
  for (const [prefix, definition] of namedOf(source.prefixes, 'prefix_reference', 'prefix_prefix')) {
    const iri = yamlText(definition.prefix_reference);
    if (iri !== undefined) prefixes.set(prefix, iri);
  }
  return { place, url, isStandard, source, text, prefixes, imports: textsOf(source.imports) };
}

/** The files in the order of their precedence: a depth-first walk from the last import, each file put in front. */
async function withImports(
  main: SchemaFile,
  load: SchemaLoader,
  faults: Faults,
): Promise<{ files: SchemaFile[]; isComplete: boolean }> {
  const known = new Map<string, SchemaFile>([[fileKey(main), main]]);
  const order: SchemaFile[] = [];
  const visited = new Set<SchemaFile>();
  const todo = [main];
  let isComplete = true;
  for (let file = todo.pop(); file; file = todo.pop()) {
    order.push(file);
    if (visited.has(file)) continue;
    visited.add(file);
    for (const name of file.imports) {
      try {
        const imported = await importFile(name, file, main, known, load, faults);
        if (imported !== file && imported !== main) todo.push(imported);
      } catch (error) {
        isComplete = false;
        faults.add(error);
      }
    }
  }
  return { files: [...new Set(order.reverse())], isComplete };
}

function fileKey(file: SchemaFile): string {
  return file.url?.href ?? file.place;
}

async function importFile(
  name: string,
  importer: SchemaFile,
  main: SchemaFile,
  known: Map<string, SchemaFile>,
  load: SchemaLoader,
  faults: Faults,
): Promise<SchemaFile> {
  const tried: string[] = [];
  for (const target of targetsOf(name, importer, main)) {
    if (typeof target === 'string') {
      const file = known.get(target) ?? describe(STANDARD_SCHEMAS.get(target)!, target, undefined);
      known.set(target, file);
      return file;
    }
    const before = known.get(target.href);
    if (before) return before;
    tried.push(target.href);
    const source = await load(target);
    if (source === undefined) continue;
    const file = schemaFile(source, target.href, target, faults);
    known.set(target.href, file);
    return file;
  }
  throw new LinkmlError(
    'schema_invalid',
    `${importer.place} imports ${name}, which does not exist${tried.length > 0 ? ` (looked for ${tried.join(', ')})` : ''}.`,
  );
}

/** Where an import may lie, likeliest first: the key of a standard schema, or URLs. */
function targetsOf(name: string, importer: SchemaFile, main: SchemaFile): (string | URL)[] {
  const address = expandImport(name, importer, main);
  const withoutSuffix = address.replace(/\.ya?ml$/, '');
  if (STANDARD_SCHEMAS.has(withoutSuffix)) return [withoutSuffix];
  if (/^(?:https?|file):/i.test(address) && URL.canParse(address)) return urlSpellings(new URL(address));
  // A name that starts with a dot is relative to its file, a plain name to the main file, as the Python tools have it.
  const bases = name.startsWith('.') ? [importer, main] : [main, importer];
  const path = encodePath(address);
  const urls = bases.flatMap(({ url }) =>
    url && URL.canParse(path, url.href) ? urlSpellings(new URL(path, url)) : [],
  );
  return [...new Map(urls.map((url) => [url.href, url])).values()];
}

function urlSpellings(url: URL): URL[] {
  if (/\.ya?ml$/i.test(url.pathname)) return [url];
  const variants = ['.yaml', '.yml', ''].map((suffix) => {
    const variant = new URL(url);
    variant.pathname += suffix;
    return variant;
  });
  return url.protocol === 'file:' ? variants.slice(0, 2) : [variants[0]!, variants[2]!];
}

function encodePath(path: string): string {
  return path.replaceAll('%', '%25').replaceAll('?', '%3F').replaceAll('#', '%23');
}

/** An import that is a CURIE, as an IRI. */
function expandImport(name: string, importer: SchemaFile, main: SchemaFile): string {
  const colon = name.indexOf(':');
  if (colon <= 0 || isAbsoluteIri(name) || name.startsWith('file:')) return name;
  const prefix = name.slice(0, colon);
  const iri =
    importer.prefixes.get(prefix) ??
    main.prefixes.get(prefix) ??
    (prefix === 'linkml' ? 'https://w3id.org/linkml/' : undefined);
  if (iri === undefined)
    throw new LinkmlError(
      'schema_invalid',
      `${importer.place} imports ${name}, but has no prefix '${prefix}'.`,
    );
  return iri + name.slice(colon + 1);
}

function mergeFiles(main: SchemaFile, files: readonly SchemaFile[]): LoadedSchema {
  const warnings: SchemaWarning[] = [];
  const collect = (section: string): Map<string, Element> => {
    const elements = new Map<string, Element>();
    for (const file of files)
      for (const [name, source] of namedOf(file.source[section])) {
        const before = elements.get(name);
        if (before && JSON.stringify(before.source) !== JSON.stringify(source))
          warnings.push({
            type: 'replaced',
            msg: `${section}.${name} of ${before.file.place} is replaced by that of ${file.place}.`,
          });
        elements.set(name, { name, file, source });
      }
    return elements;
  };
  return {
    main,
    files,
    prefixes: mergePrefixes(main, files, warnings),
    classes: collect('classes'),
    slots: collect('slots'),
    types: collect('types'),
    enums: collect('enums'),
    warnings,
  };
}

/** The main file's prefixes first; those of imports, nearest first, fill in; curated maps come last. */
function mergePrefixes(
  main: SchemaFile,
  files: readonly SchemaFile[],
  warnings: SchemaWarning[],
): Map<string, string> {
  const prefixes = new Map(main.prefixes);
  for (const file of files.toReversed())
    for (const [prefix, iri] of file.prefixes) if (!prefixes.has(prefix)) prefixes.set(prefix, iri);
  for (const map of new Set(files.flatMap((file) => textsOf(file.source.default_curi_maps)))) {
    const curated = curatedPrefixes(map);
    if (curated) {
      for (const [prefix, iri] of curated) if (!prefixes.has(prefix)) prefixes.set(prefix, iri);
    } else
      warnings.push({
        type: 'not_enforced',
        msg: `default_curi_maps: the map ${map} is unknown; declare the prefixes that you need from it.`,
      });
  }
  return prefixes;
}

/** The name of a schema: its own, else that of the file. */
export function schemaName(file: SchemaFile): string {
  return (
    yamlText(file.source.name) ??
    (file.url?.pathname ?? file.place).replace(/^.*\//, '').replace(/\.ya?ml$/, '')
  );
}
