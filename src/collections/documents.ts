/** Records as documents of a format. Long ones are converted in threads. */
import { documentOrNote, FORMATS, type FormatName } from '../formats/formats.ts';
import type { RecordText } from '../records/record.ts';
import { type Schema, schemaFiles } from '../schema/schema.ts';
import { LONG_BODY, type Pool } from '../work/pool.ts';
import { documentOrNoteIn } from '../worker.ts';

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
