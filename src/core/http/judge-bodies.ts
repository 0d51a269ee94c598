/** From a body to records that may be stored. Long bodies are parsed and checked in another thread. */
import { deserialize } from 'node:v8';
import type { SuggestionBudget } from '#linkml/suggestions.ts';
import type { Area, SubmissionOptions } from '../collections/area.ts';
import type { Collection } from '../collections/collection.ts';
import { decodeBody } from '../formats/body-text.ts';
import { checkOptionsOf, FORMATS, type FormatName } from '../formats/formats.ts';
import type { RecordFormat } from '../formats/record-format.ts';
import type { RecordText } from '../records/record.ts';
import { LONG_BODY, type Pool } from '../work/pool.ts';
import { judgeBody } from '../work/tasks.ts';
import { yielder } from '../yield.ts';

/** A body that stands for one object of a class. */
type PostedBody = {
  /** Empty afterwards, if a thread has read them. */
  readonly bytes: Uint8Array;
  readonly className: string;
  readonly format: FormatName;
  /** Returns where the client finds the JSON-LD context of the collection. */
  readonly contextUrl?: () => string;
  /** What suggestions may cost, if the request has other bodies. */
  readonly suggestions?: SuggestionBudget;
};

/**
 * The records that a body becomes, the posted one first.
 *
 * @throws ServiceError `body_malformed`, `conversion_failed`, `record_invalid`, `prefix_unknown`, `busy`, `task_timeout`
 */
export async function judgePosted(
  pool: Pool,
  { schema }: Collection,
  area: Area,
  { bytes, className, format, contextUrl, suggestions }: PostedBody,
  options: SubmissionOptions,
): Promise<RecordText[]> {
  const { isSlow = false, parse }: RecordFormat = FORMATS[format];
  if (bytes.length < LONG_BODY && !isSlow) {
    const value = await parse(decodeBody(bytes), className, schema);
    return area.validate(className, value, options, {
      ...checkOptionsOf(format),
      ...(suggestions && { suggestions }),
    });
  }
  const mode = area.submissionMode(options);
  const body = { schema, className, format, bytes, mode, suggestions, contextUrl: contextUrl?.() };
  const { buffer } = bytes;
  const isWhole = buffer instanceof ArrayBuffer && buffer.byteLength === bytes.byteLength;
  return recordsIn(await pool.run(judgeBody, body, isWhole ? [buffer] : []));
}

/** The records of parts, which were made in a thread. */
export async function recordsIn(parts: readonly Uint8Array[]): Promise<RecordText[]> {
  const yieldIfDue = yielder();
  const records: RecordText[] = [];
  for (const part of parts) {
    records.push(...(deserialize(part) as RecordText[]));
    await yieldIfDue();
  }
  return records;
}
