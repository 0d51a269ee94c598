/** Records as documents of a format. Long ones are converted in threads. */
import type { Collection } from '../collections/collection.ts';
import { documentOrNote, FORMATS, type FormatName } from '../formats/formats.ts';
import type { RecordText } from '../records/record.ts';
import { type Schema, schemaFiles } from '../schema/schema.ts';
import { LONG_BODY, type Pool } from '../work/pool.ts';
import { documentOrNoteIn } from '../worker.ts';
import { yielder } from '../yield.ts';
import type { Call } from './endpoint.ts';

/** The items of an array, from strings that are not parsed: records as they are, other documents as JSON strings. */
export async function pageItems(
  { service }: Call,
  { schema }: Collection,
  records: readonly RecordText[],
  format: FormatName,
): Promise<string> {
  if (FORMATS[format].isJson) return records.map(({ json }) => json).join(',');
  const documents: string[] = [];
  const yieldIfDue = yielder();
  for (const record of records) {
    documents.push(JSON.stringify(await documentOrNoteOf(service.pool, schema, record, format)));
    await yieldIfDue();
  }
  return documents.join(',');
}

/** A record in a format, or a note that says why not; a long one is converted in a thread. */
export function documentOrNoteOf(
  pool: Pool,
  schema: Schema,
  { pid, className, json }: Pick<RecordText, 'pid' | 'className' | 'json'>,
  format: FormatName,
): string | Promise<string> {
  if (FORMATS[format].isJson || json.length < LONG_BODY)
    return documentOrNote(format, schema, { pid, className, json });
  return pool.run(documentOrNoteIn, { schema: schemaFiles(schema), pid, className, json, format });
}
