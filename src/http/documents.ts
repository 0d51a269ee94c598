/** Records as documents in pages. */
import type { Collection } from '../collections/collection.ts';
import { documentOrNoteOf } from '../collections/documents.ts';
import { FORMATS, type FormatName } from '../formats/formats.ts';
import type { RecordText } from '../records/record.ts';
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
