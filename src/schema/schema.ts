/**
 * The door of the LinkML engine: `openSchema(address)` gives a {@link Schema}, and all else is reached through it.
 *
 * Files are read and merged (`load/`), become the model of classes and induced slots (`define/`, `model.ts`), and that is
 * compiled into checks (`check/`) or projected (`json-schema.ts`). `types/`, `patterns/` and `expressions/` are what
 * LinkML takes from elsewhere: built-in types, Python's regular expressions, and its small expressions.
 *
 * The engine imports nothing of the service but `errors.ts`, `json.ts` and the YAML 1.1 scalars of `yaml/scalars.ts`.
 */
import { createHash } from 'node:crypto';
import type { JsonObject, JsonValue } from '../json.ts';
import { buildChecker, type Checked } from './check/check.ts';
import { define } from './define/define.ts';
import { defaultPrefix } from './define/definition-context.ts';
import { classJsonSchema } from './json-schema/json-schema.ts';
import { textOf } from './load/definitions.ts';
import { type LoadedSchema, loadSchema, schemaName } from './load/load.ts';
import type { ReadOptions } from './load/remote.ts';
import type { ClassDefinition, EnumDefinition, TypeDefinition } from './model.ts';

export type { Checked } from './check/check.ts';
export { lowestClass, namesInDesignator } from './designation.ts';
export type { ReadOptions } from './load/remote.ts';
export type * from './model.ts';

/** An opened LinkML schema: imports merged, slots induced, checks compiled. Immutable, and shared by all who use it. */
export interface Schema {
  /** The address it was opened from, as given. */
  readonly address: string;
  readonly id: string;
  readonly name: string;
  readonly title: string | undefined;
  readonly description: string | undefined;
  /** Prefix → IRI, imports merged in. */
  readonly prefixes: ReadonlyMap<string, string>;
  readonly defaultPrefix: string;
  /** Tells the same schema from one whose files have changed: a hash of their texts. */
  readonly digest: string;
  /** All classes by name, in the order of the schema (imports first), slots induced. */
  readonly classes: ReadonlyMap<string, ClassDefinition>;
  readonly types: ReadonlyMap<string, TypeDefinition>;
  readonly enums: ReadonlyMap<string, EnumDefinition>;
  /** What the engine leaves out or does in its own way, by element; told when the schema is opened. */
  readonly warnings: readonly string[];
  /** The classes whose objects can be records (`Thing` and all below it), in the order of `GET /server`. */
  readonly recordClasses: readonly string[];

  /** The class itself first, then every class below it (by `is_a` and by mixin). Empty for an unknown class. */
  descendants(className: string): readonly string[];
  /** The CURIE of a class's URI: what `schema_type` holds. */
  schemaType(className: string): string;
  /** The class that a `schema_type` value names, if any. */
  classOfSchemaType(schemaType: string): string | undefined;
  /** The IRI of a CURIE or URI. Whatever starts with `scheme://` is a URI; undefined where the prefix is unknown. */
  expand(curieOrUri: string): string | undefined;
  /**
   * The same for references, identifiers of inlined objects and values: prefixes in any case, as the LinkML tools find
   * them; of two that differ in case only, the later.
   */
  expandReference(curieOrUri: string): string | undefined;
  /** The CURIE with the longest matching prefix, else the IRI as it is. */
  compact(iri: string): string;
  /** One pass: the canonical record of an object of the class, or every problem with its path (see `check.ts`). */
  check(className: string, value: JsonValue): Checked;
  /** The class as JSON Schema 2020-12; inner classes are referenced as `#/$defs/<Class>` unless told otherwise. */
  jsonSchema(className: string, options?: { definitions?: string }): JsonObject;
}

/** The class whose objects, and those of the classes below it, are records. */
const RECORD_ROOT = 'Thing';

/**
 * Opens a schema: a path, a `file:` or an `http(s):` URL.
 *
 * @throws ServiceError `schema_invalid`: it can't be read, is no LinkML, or its elements contradict each other
 */
export async function openSchema(address: string, options: ReadOptions = {}): Promise<Schema> {
  const loaded = await loadSchema(address, options);
  const definitions = define(loaded);
  const { classes, prefixes } = definitions;
  const check = buildChecker(definitions);
  const { source } = loaded.main;
  const bySchemaType = new Map<string, string>();
  for (const [name, definition] of classes)
    for (const spelling of [definition.curie, definition.uri])
      if (!bySchemaType.has(spelling)) bySchemaType.set(spelling, name);
  return {
    address,
    id: textOf(source.id) ?? address,
    name: schemaName(loaded.main),
    title: textOf(source.title),
    description: textOf(source.description),
    prefixes: prefixes.map,
    defaultPrefix: defaultPrefix(loaded.main),
    digest: digest(loaded),
    classes,
    types: definitions.types,
    enums: definitions.enums,
    warnings: definitions.warnings,
    recordClasses: recordClasses(classes),
    descendants: definitions.descendants,
    schemaType: (className) => classes.get(className)?.curie ?? className,
    classOfSchemaType: (schemaType) => bySchemaType.get(schemaType),
    expand: prefixes.expand,
    expandReference: prefixes.expandReference,
    compact: prefixes.compact,
    check,
    jsonSchema: (className, projection) => classJsonSchema(definitions, className, projection?.definitions),
  };
}

function digest({ files }: LoadedSchema): string {
  const hash = createHash('sha256');
  for (const { place, text } of files) hash.update(`${place}\0${text}\0`);
  return hash.digest('hex');
}

/** `Thing` and all below it; in a schema without it, the classes whose objects have an identifier. */
function recordClasses(classes: ReadonlyMap<string, ClassDefinition>): string[] {
  const isRecord = classes.has(RECORD_ROOT)
    ? (definition: ClassDefinition) => definition.ancestors.includes(RECORD_ROOT)
    : (definition: ClassDefinition) => definition.identifier !== undefined && !definition.mixin;
  return [...classes.values()].filter(isRecord).map((definition) => definition.name);
}
