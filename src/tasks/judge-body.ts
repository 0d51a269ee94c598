/** Parses and checks a body, in a thread. */
import { decodeBody } from '../formats/body-text.ts';
import type { FormatName } from '../formats/format.ts';
import { FORMATS } from '../formats/formats.ts';
import { type Judging, judge } from '../records/judge.ts';
import type { RecordText } from '../records/record.ts';
import { chunks } from '../work/chunks.ts';
import { schemaOf } from './schemas.ts';

/** A body of one object of a class. */
export type Body = {
  readonly className: string;
  readonly format: FormatName;
  readonly bytes: Uint8Array;
  readonly judging: Judging;
};

/**
 * Yields the records that a body becomes, in parts.
 *
 * @throws ServiceError `body_malformed`, `conversion_failed`, `record_invalid`, `prefix_unknown`
 */
export async function* judgeBody({ className, format, bytes, judging, digest }: Body & { digest: string }) {
  const schema = yield* schemaOf(digest);
  const records: readonly RecordText[] = judge(
    schema,
    className,
    FORMATS[format].parse(textOfMoved(bytes), className, schema),
    judging,
  );
  yield* chunks(records, ({ json }) => json.length);
}

/** The bytes are not needed any more then, and their memory is returned. */
function textOfMoved(bytes: Uint8Array): string {
  const text = decodeBody(bytes);
  if (bytes.buffer instanceof ArrayBuffer) bytes.buffer.transfer(0);
  return text;
}
