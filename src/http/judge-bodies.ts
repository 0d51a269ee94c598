/** From a body to records that may be stored. Long bodies are parsed and checked in another thread. */
import type { Area, SubmissionOptions } from '../collections/area.ts';
import type { Collection } from '../collections/collection.ts';
import { decodeBody } from '../formats/body-text.ts';
import type { FormatName } from '../formats/format.ts';
import { FORMATS } from '../formats/formats.ts';
import type { RecordText } from '../records/record.ts';
import type { Body } from '../tasks/judge-body.ts';
import { runWithSchema } from '../tasks/schemas.ts';
import type { Threads } from '../work/threads.ts';

/** Longer bodies take so many milliseconds that other requests should not wait for them, in bytes. */
export const LONG_BODY = 128 * 1024;

/** A body that stands for one object of a class. */
export type PostedBody = {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly className: string;
  readonly format: FormatName;
};

/**
 * The records that a body becomes, the posted one first.
 *
 * @throws ServiceError `body_malformed`, `conversion_failed`, `record_invalid`, `prefix_unknown`
 */
export async function judgePosted(
  threads: Threads,
  { schema }: Collection,
  area: Area,
  { bytes, className, format }: PostedBody,
  options: SubmissionOptions,
): Promise<RecordText[]> {
  if (bytes.length < LONG_BODY) {
    const value = FORMATS[format].parse(decodeBody(bytes), className, schema);
    return area.validate(className, value, options);
  }
  const body: Body = { className, format, bytes, judging: area.judging(options) };
  const records: RecordText[] = [];
  for await (const part of runWithSchema<RecordText[]>(threads, schema, 'judge body', body, moved(bytes)))
    for (const record of part) records.push(record);
  return records;
}

/** The memory of a body that has it for itself. */
function moved({ buffer, byteLength }: Uint8Array<ArrayBuffer>): ArrayBuffer[] {
  return buffer.byteLength === byteLength ? [buffer] : [];
}
