/** Parses and checks a body, in a thread. */
import { decodeBody } from '../formats/body-text.ts';
import type { FormatName } from '../formats/format.ts';
import { FORMATS } from '../formats/formats.ts';
import { chunks } from '../jobs/chunks.ts';
import { type Judging, judge } from '../records/judge.ts';
import type { RecordText } from '../records/record.ts';
import { openSchemaText, type Schema } from '../schema/schema.ts';

/** A body of one object of a class. */
export type Body = {
  /** Identifies the schema; its files are sent for if the thread does not have it. */
  readonly digest: string;
  readonly className: string;
  readonly format: FormatName;
  readonly bytes: Uint8Array;
  readonly judging: Judging;
};

/** The files of a schema. */
export type SchemaFiles = Pick<Schema, 'address' | 'text' | 'sources'>;

/** Asks for the files of the schema, in place of records. */
export const SCHEMA_WANTED = 'schema';

/** Schemas that a thread has ready. */
const MOST_SCHEMAS = 4;
const schemas = new Map<string, Schema>();

/**
 * Yields {@link SCHEMA_WANTED} if it has to be sent the schema, then the records in parts.
 *
 * @throws ServiceError `body_malformed`, `conversion_failed`, `record_invalid`, `prefix_unknown`
 */
export async function* judgeBody({
  digest,
  className,
  format,
  bytes,
  judging,
}: Body): AsyncGenerator<typeof SCHEMA_WANTED | RecordText[], undefined, SchemaFiles> {
  const text = decodeBody(bytes);
  let schema = schemas.get(digest);
  if (!schema) {
    schema = await openFiles(yield SCHEMA_WANTED);
    const [oldest] = schemas.keys();
    if (schemas.size >= MOST_SCHEMAS && oldest !== undefined) schemas.delete(oldest);
    schemas.set(digest, schema);
  }
  const value = FORMATS[format].parse(text, className, schema);
  yield* chunks(judge(schema, className, value, judging), ({ json }) => json.length);
  return undefined;
}

/** The schema as the service has it: nothing is read again, which could have changed. */
function openFiles({ address, text, sources }: SchemaFiles): Promise<Schema> {
  return openSchemaText(text, address, { sources });
}
