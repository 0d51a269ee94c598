import { serialize } from 'node:v8';
import { LRUCache } from 'lru-cache';
import { openSnapshot } from '#linkml/vocabularies/snapshot.ts';
import { inThread } from '../errors.ts';
import { MEMORY } from '../memory-bounds.ts';
import type { RecordText } from '../records/record.ts';
import { openSchemaText, type Schema, type SchemaFiles, schemaFiles } from '../schema/schema.ts';

/** A function that threads run, and that does the same here. */
// biome-ignore lint/suspicious/noExplicitAny: only `packed` makes what it takes
export type LocalTask<Input, Result> = ((packed: any) => Promise<Awaited<Result>>) & {
  readonly here: (input: Input) => Result;
  /** The input as threads get it. */
  readonly packed: (input: Input) => unknown;
};

export function task<Input, Result>(here: (input: Input) => Result): LocalTask<Input, Result> {
  return Object.assign(inThread(here), { here, packed: (input: Input) => input });
}

export type OfSchema = { readonly schema: Schema };

/** A task whose input has a schema: threads get its files, and open it once. */
export function ofSchema<Input extends OfSchema, Result>(
  here: (input: Input) => Result,
): LocalTask<Input, Result> {
  const work = inThread(async ({ schema, ...rest }: { readonly schema: SchemaFiles }) =>
    here({ ...rest, schema: await opened(schema) } as Input),
  );
  const packed = ({ schema, ...rest }: Input) => ({ ...rest, schema: schemaFiles(schema) });
  return Object.assign(work, { here, packed });
}

/** A task whose input has two schemas, such as the one before and the one after a change. */
export function ofSchemas<Input extends OfSchema & { readonly to: Schema }, Result>(
  here: (input: Input) => Result,
): LocalTask<Input, Result> {
  type Packed = { readonly schema: SchemaFiles; readonly to: SchemaFiles };
  const work = inThread(async ({ schema, to, ...rest }: Packed) =>
    here({ ...rest, schema: await opened(schema), to: await opened(to) } as Input),
  );
  const packed = ({ schema, to, ...rest }: Input) => ({
    ...rest,
    schema: schemaFiles(schema),
    to: schemaFiles(to),
  });
  return Object.assign(work, { here, packed });
}

export type OfRecord = OfSchema & Pick<RecordText, 'className' | 'json'>;

/** Records of one part, which takes some milliseconds to read again. */
const RECORDS_OF_PART = 500;

export function inParts(records: readonly RecordText[]): Uint8Array[] {
  const parts: Uint8Array[] = [];
  for (let at = 0; at < records.length; at += RECORDS_OF_PART)
    parts.push(serialize(records.slice(at, at + RECORDS_OF_PART)));
  return parts;
}

/** By digest, the schemas that this thread has opened. */
const schemas = new LRUCache<string, Promise<Schema>>({ maxSize: MEMORY.threadSchemas.bytes });

/** What a character of a schema needs when it is open, in bytes, about. */
const BYTES_OF_CHARACTER = 30;

/** Nothing is read again, which could have changed. */
function opened({ digest, address, text, sources, vocabularies }: SchemaFiles): Promise<Schema> {
  const known =
    schemas.get(digest) ?? openSchemaText(text, address, { sources, terms: termsIn(vocabularies) });
  // The last one is kept, however long it is.
  const characters = text.length + JSON.stringify(sources).length;
  const size = Math.min(characters * BYTES_OF_CHARACTER, MEMORY.threadSchemas.bytes);
  schemas.set(digest, known, { size });
  return known;
}

export function termsIn(vocabularies: SchemaFiles['vocabularies']) {
  return Object.fromEntries(Object.entries(vocabularies).map(([name, bytes]) => [name, openSnapshot(bytes)]));
}
