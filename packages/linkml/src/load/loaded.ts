/** A schema with its imports, as it was loaded. */
import type { SchemaWarning } from '../errors.ts';
import type { Definition } from './definitions.ts';
import type { YamlMapping } from './yaml.ts';

/** A schema and its imports, merged but not yet induced. */
export type LoadedSchema = {
  readonly main: SchemaFile;
  /** Imports first, the main file last. */
  readonly files: readonly SchemaFile[];
  readonly prefixes: ReadonlyMap<string, string>;
  readonly classes: ReadonlyMap<string, Element>;
  readonly slots: ReadonlyMap<string, Element>;
  readonly types: ReadonlyMap<string, Element>;
  readonly enums: ReadonlyMap<string, Element>;
  readonly warnings: readonly SchemaWarning[];
};

export type SchemaFile = {
  /** How messages name it. */
  readonly place: string;
  readonly url: URL | undefined;
  /** Whether the file is one of LinkML's own, which come with the engine. */
  readonly isStandard: boolean;
  readonly source: YamlMapping;
  /** As it was read; empty for the standard schemas, which come with the engine. */
  readonly text: string;
  readonly prefixes: ReadonlyMap<string, string>;
  readonly imports: readonly string[];
};

/** A class, slot, type or enum, with the file that defines it. */
export type Element = { readonly name: string; readonly file: SchemaFile; readonly source: Definition };
