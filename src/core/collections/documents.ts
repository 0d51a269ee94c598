/** Records as documents of a format. Long ones, and those of whole areas, are converted in threads. */
import { batches } from '../batches.ts';
import { FORMATS, type FormatName } from '../formats/formats.ts';
import type { RecordText } from '../records/record.ts';
import type { Schema } from '../schema/schema.ts';
import { LONG_BODY, type Pool, runIfLong } from '../work/pool.ts';
import { documentIn, documentOrNoteIn, documentsOrNotesIn } from '../work/tasks.ts';
import type { Pages } from './page-cache.ts';

/** A record in a format. @throws ServiceError `conversion_failed`, `busy`, `task_timeout` */
export function documentOf(
  pool: Pool,
  schema: Schema,
  { className, json }: Pick<RecordText, 'className' | 'json'>,
  format: FormatName,
): string | Promise<string> {
  return runIfLong(pool, documentIn, { schema, className, json, format }, workIn(json, format));
}

/** The document of a record in a format, or a note that says why there is none. */
export function documentOrNoteOf(
  pool: Pool,
  schema: Schema,
  { pid, className, json }: Pick<RecordText, 'pid' | 'className' | 'json'>,
  format: FormatName,
): string | Promise<string> {
  return runIfLong(pool, documentOrNoteIn, { schema, pid, className, json, format }, workIn(json, format));
}

/** Records that a thread converts together: some milliseconds of work, and as many characters as one long record. */
const CONVERTED = { items: 200, characters: LONG_BODY };

/**
 * The documents, or notes, of all records of an area, in their order. Converting 20,000 of them to N-Quads leaves 45 MB in the memory for
 * old objects (`npm run bench:memory`), which a thread returns when it ends.
 *
 * @throws ServiceError `busy`, `task_timeout`
 */
export async function* documentsOrNotesOf(
  pool: Pool,
  schema: Schema,
  all: AsyncIterable<RecordText>,
  format: FormatName,
): AsyncGenerator<string> {
  if (FORMATS[format].isJson)
    for await (const record of all) yield documentOrNoteOf(pool, schema, record, format);
  else
    for await (const records of batches(all, CONVERTED, ({ json }) => json.length))
      yield* await pool.run(documentsOrNotesIn, { schema, records, format });
}

/** JSON is passed on as it is. */
function workIn(json: string, format: FormatName): number {
  return FORMATS[format].isJson ? 0 : json.length;
}

/** A body that is made of the schema alone: large ones take seconds, and are kept with the pages. */
export function bodyOfSchema(
  { pages, schema }: { readonly pages: Pages; readonly schema: Schema },
  name: string,
  make: () => string | Uint8Array,
): Buffer {
  const key = `schema ${name}`;
  const known = pages.get(key, schema.digest);
  if (known) return known;
  const made = make();
  const body = typeof made === 'string' ? Buffer.from(made) : Buffer.from(made);
  pages.set(key, schema.digest, body);
  return body;
}
