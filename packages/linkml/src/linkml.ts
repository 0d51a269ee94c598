/**
 * The core of the LinkML engine: `openLinkml(text)` returns a {@link LinkmlSchema}, through which everything else is reached.
 *
 * Files are read and merged (`load/`), become the model of classes and induced slots (`define/`, `model.ts`), which is
 * compiled into checks (`check/`) or projected (`json-schema/`, `generate/`). `types/`, `patterns/` and `expressions/` are what
 * LinkML adopts from elsewhere: built-in types, Python's regular expressions, and its small expressions.
 *
 * The engine imports nothing of Node: it runs in browsers. Imports of a schema are read by a function that the caller passes.
 */

import { buildChecker, type Checked, type CheckedSlot, type CheckOptions } from './check/check.ts';
import { define } from './define/define.ts';
import { defaultPrefix } from './define/definition-context.ts';
import type { SchemaWarning } from './errors.ts';
import { Faults } from './faults.ts';
import { type ClassSchema, classSchema } from './generate/class-schema.ts';
import type { JsonObject } from './json.ts';
import { classJsonSchema } from './json-schema/json-schema.ts';
import { yamlText } from './load/definitions.ts';
import { loadSchema, type SchemaLoader, type SchemaSource, schemaName } from './load/load.ts';
import type { LoadedSchema } from './load/loaded.ts';
import { mergedSchema } from './merged.ts';
import type { ClassDefinition, EnumDefinition, TypeDefinition } from './model.ts';
import type { Terms } from './terms/vocabulary.ts';

export type { Checked, CheckedSlot, CheckOptions } from './check/check.ts';
export type { CheckProblem, ProblemType } from './check/problem.ts';
export { classesInRange, lowestClass, namesInDesignator } from './designation.ts';
export type { ClassSchema } from './generate/class-schema.ts';
export type { SchemaLoader, SchemaSource } from './load/load.ts';
export type * from './model.ts';
export type { Term, TermLink, Terms, Vocabulary } from './terms/vocabulary.ts';

/** An opened LinkML schema: imports merged, slots induced, checks compiled. Immutable, and shared by all who use it. */
export interface LinkmlSchema {
  /** The address it was opened from, as given; its id if it was opened from text alone. */
  readonly address: string;
  readonly id: string;
  readonly name: string;
  readonly title: string | undefined;
  readonly description: string | undefined;
  /** Prefix → IRI, imports merged in. */
  readonly prefixes: ReadonlyMap<string, string>;
  readonly defaultPrefix: string;
  /**
   * Changes with the files of the schema and the terms of its vocabularies: the SHA-256 hash of their contents. Empty if the
   * environment has no Web Crypto (a page that was not loaded over HTTPS).
   */
  readonly digest: string;
  /** The URLs of the files that the schema was read from, built-in ones apart. */
  readonly files: readonly string[];
  /** The texts of these files by URL: what the schema can be opened from again. */
  readonly sources: ReadonlyMap<string, string>;
  /** The text of the schema's main file. */
  readonly text: string;
  /** The schema and its imports as one LinkML schema without imports, as data. */
  merged(): JsonObject;
  /** All classes by name, in the order of the schema (imports first), slots induced. */
  readonly classes: ReadonlyMap<string, ClassDefinition>;
  readonly types: ReadonlyMap<string, TypeDefinition>;
  readonly enums: ReadonlyMap<string, EnumDefinition>;
  /** Elements that the engine leaves out or handles in its own way; reported when the schema is opened. */
  readonly warnings: readonly SchemaWarning[];

  /** The class itself first, then every class below it (by `is_a` and by mixin). Empty for an unknown class. */
  descendants(className: string): readonly string[];
  /** The CURIE of a class's URI: the value of `schema_type` in records. */
  schemaType(className: string): string;
  /** The class that a `schema_type` value names, if any. */
  classOfSchemaType(schemaType: string): string | undefined;
  /** The IRI of a CURIE or URI. Whatever starts with `scheme://` is a URI; undefined if the prefix is unknown. */
  expand(curieOrUri: string): string | undefined;
  /**
   * The IRI of a reference, of the identifier of an inlined object or of a value: its prefix may be in any case, as in the LinkML tools;
   * of two prefixes that differ in case only, the later applies.
   */
  expandReference(curieOrUri: string): string | undefined;
  /** The CURIE with the longest matching prefix, else the IRI as it is. */
  compact(iri: string): string;
  /** One pass: the canonical record of an object of the class, or every problem with its path (see `check.ts`). */
  check(className: string, value: unknown, options?: CheckOptions): Checked;
  /**
   * Checks the value of one slot: all of its values, if it has several. A required slot
   * refuses `null` and `undefined`.
   */
  checkSlot(className: string, slotName: string, value: unknown, options?: CheckOptions): CheckedSlot;
  /** One class as a Standard Schema, with the type of its records: `schema.for<Person>('Person')`. */
  for<T = JsonObject>(className: string, options?: CheckOptions): ClassSchema<T>;
  /** Returns the result of `make` for the schema, made at the first call and kept with the schema. */
  derive<T>(make: (schema: LinkmlSchema) => T): T;
  /** The class as JSON Schema 2020-12; inner classes are referenced as `#/$defs/<Class>` by default. */
  jsonSchema(className: string, options?: { definitions?: string }): JsonObject;
}

/** The source of a schema besides its text. */
export type OpenOptions = {
  /** The URL of the text: relative imports are resolved against it. Messages name it. */
  readonly url?: URL;
  /** How messages name the text; by default its URL, else "the schema". */
  readonly place?: string;
  /** Reads imported files; without it only LinkML's own schemas (`linkml:types` and so on) can be imported. */
  readonly load?: SchemaLoader;
  /** The identifiers and references that `check` accepts without an option of its own: any, by default. */
  readonly identifiers?: CheckOptions['identifiers'];
  /** Snapshots of the vocabularies whose terms its enums ask for, by name. */
  readonly terms?: Terms;
  /** Called between steps, of which each takes some milliseconds: others may have their turn meanwhile. */
  readonly yieldIfDue?: () => Promise<void>;
};

/**
 * Opens a schema from its YAML text, or from what parsing it has yielded.
 *
 * @throws LinkmlError `schema_invalid`: not LinkML, an import cannot be read, or elements contradict each other
 */
export async function openLinkml(source: SchemaSource, options: OpenOptions = {}): Promise<LinkmlSchema> {
  const place = options.place ?? options.url?.href ?? 'the schema';
  const faults = new Faults();
  const { url, load = nothing, yieldIfDue } = options;
  const loaded = await loadSchema({ source, place, url }, load, faults, yieldIfDue);
  const definitions = await define(loaded, faults, options.terms, yieldIfDue);
  const { classes, prefixes } = definitions;
  const { source: written, text } = loaded.main;
  const derived = new Map<unknown, unknown>();
  const bySchemaType = new Map<string, string>();
  for (const [name, definition] of classes)
    for (const spelling of [definition.curie, definition.uri])
      if (!bySchemaType.has(spelling)) bySchemaType.set(spelling, name);
  const sources = new Map<string, string>();
  for (const { url, isStandard, text } of loaded.files) if (url && !isStandard) sources.set(url.href, text);
  const schema: LinkmlSchema = {
    address: options.place ?? options.url?.href ?? yamlText(written.id) ?? '',
    id: yamlText(written.id) ?? place,
    name: schemaName(loaded.main),
    title: yamlText(written.title),
    description: yamlText(written.description),
    prefixes: prefixes.map,
    defaultPrefix: defaultPrefix(loaded.main),
    digest: await schemaDigest(loaded, options.terms),
    files: [...sources.keys()],
    sources,
    text,
    merged: () => mergedSchema(loaded),
    classes,
    types: definitions.types,
    enums: definitions.enums,
    warnings: definitions.warnings,
    descendants: definitions.descendants,
    schemaType: (className) => classes.get(className)?.curie ?? className,
    classOfSchemaType: (schemaType) => bySchemaType.get(schemaType),
    expand: prefixes.expand,
    expandReference: prefixes.expandReference,
    compact: prefixes.compact,
    ...buildChecker(definitions, options.identifiers ?? 'any'),
    for: <T>(className: string, options?: CheckOptions) => classSchema<T>(schema, className, options),
    derive: <T>(make: (schema: LinkmlSchema) => T): T => {
      if (!derived.has(make)) derived.set(make, make(schema));
      return derived.get(make) as T;
    },
    jsonSchema: (className, projection) => classJsonSchema(definitions, className, projection?.definitions),
  };
  return schema;
}

async function nothing(): Promise<undefined> {
  return undefined;
}

async function schemaDigest({ files }: LoadedSchema, terms: Terms = {}): Promise<string> {
  const vocabularies = Object.entries(terms).map(([name, { digest = '' }]) => `${name} ${digest}\0`);
  // Without their places: a store that was moved has the same schemas.
  const text = [...files.map((file) => `${file.text}\0`), ...vocabularies.sort()].join('');
  const hash = await globalThis.crypto?.subtle?.digest('SHA-256', new TextEncoder().encode(text));
  return hash ? Array.from(new Uint8Array(hash), (byte) => byte.toString(16).padStart(2, '0')).join('') : '';
}
