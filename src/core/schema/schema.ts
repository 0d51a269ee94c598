/**
 * The schemas of the service: the LinkML engine (`linkml.ts`) with files read from disk and over HTTP, and with the
 * classes whose objects are records.
 */
import { fileURLToPath } from 'node:url';
import type { SchemaWarning } from '#linkml/errors.ts';
import { type LinkmlSchema, openLinkml, type Vocabulary } from '#linkml/linkml.ts';
import type { ParsedFile } from '#linkml/load/parsed-file.ts';
import { ServiceError } from '../errors.ts';
import { yielder } from '../yield.ts';
import { pidMissing, recordClassesOf } from './record-classes.ts';
import { type ReadOptions, schemaLoader, urlOf } from './remote.ts';

export type * from '#linkml/linkml.ts';
export { lowestClass, namesInDesignator } from '#linkml/linkml.ts';
export { fromPieces, type ParsedFile, type Piece, piecesOf } from '#linkml/load/parsed-file.ts';
export type { ReadOptions } from './remote.ts';
export { parseSchemaMap, type SchemaMap, schemaMap } from './schema-map.ts';

export type SchemaOptions = ReadOptions & {
  /** The vocabularies whose terms the enums ask for. */
  readonly terms?: SharedTerms;
};

/** Vocabularies by name, with the bytes from which another thread opens the same ones (`openSnapshot`). */
export type SharedTerms = Readonly<Record<string, Vocabulary & { readonly bytes: Uint8Array }>>;

/** An opened schema of the service. Immutable, and shared by all who use it. */
export interface Schema extends LinkmlSchema {
  /** The classes whose objects can be records (`Thing` and all below it), in the order of `GET /server`. */
  readonly recordClasses: readonly string[];
  readonly terms: SharedTerms;
  /** Like `schemaType`, but undefined for a class that the schema does not have. */
  schemaTypeOf(className: string): string | undefined;
}

/** The source from which {@link openSchemaText} opens the same schema in another thread. */
export type SchemaFiles = Pick<Schema, 'digest' | 'address' | 'text' | 'sources'> & {
  /** The bytes of its vocabularies, by name. */
  readonly vocabularies: Readonly<Record<string, Uint8Array>>;
};

export function schemaFiles({ digest, address, text, sources, terms }: Schema): SchemaFiles {
  return { digest, address, text, sources, vocabularies: bytesOf(terms) };
}

export function bytesOf(terms: SharedTerms): SchemaFiles['vocabularies'] {
  return Object.fromEntries(Object.entries(terms).map(([name, { bytes }]) => [name, bytes]));
}

/**
 * Opens a schema: a path, a `file:` or an `http(s):` URL.
 *
 * @throws ServiceError `schema_invalid`: it cannot be read, is not LinkML, or its elements contradict each other
 */
export async function openSchema(address: string, options: SchemaOptions = {}): Promise<Schema> {
  const url = urlOf(address);
  const text = await schemaLoader(options)(url);
  const place = url.protocol === 'file:' ? fileURLToPath(url) : address;
  if (text === undefined) throw new ServiceError('schema_invalid', `The schema ${place} does not exist.`);
  return await openSchemaText(text, address, options);
}

/**
 * Opens a schema from its text, or from what was parsed of it, as if it were found at an address: relative imports are read from there. For trying out a
 * change before it is made.
 *
 * @param place what messages call it
 * @throws ServiceError `schema_invalid`
 */
export async function openSchemaText(
  text: string | ParsedFile,
  address: string,
  options: SchemaOptions = {},
  place = address,
): Promise<Schema> {
  const { terms = {} } = options;
  const schema = await openLinkml(text, {
    place,
    url: urlOf(address),
    load: schemaLoader(options),
    identifiers: 'resolve',
    terms,
    yieldIfDue: yielder(),
  });
  const recordClasses = recordClassesOf(schema.classes);
  const missing = pidMissing(schema.classes, recordClasses);
  const none: SchemaWarning[] = missing === undefined ? [] : [{ type: 'no_records', msg: missing }];
  const schemaTypeOf = (name: string) => schema.classes.get(name)?.curie;
  return { ...schema, warnings: [...schema.warnings, ...none], recordClasses, terms, schemaTypeOf };
}
