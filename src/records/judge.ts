/** Judges an object of a class that is posted: the same in the thread of the service and in others. */
import type { JsonObject } from '../json.ts';
import type { Schema } from '../schema/schema.ts';
import type { SubmissionMark } from './annotate.ts';
import { checkRecord, type RecordText, recordText } from './record.ts';
import { submit } from './submit.ts';

/** How an area treats what is posted to it. Plain data, so that it can be sent to a thread. */
export type Judging = {
  /** Whether the records that it holds inline are stored on their own. */
  readonly split: boolean;
  /** Given if a submission tag is wanted. */
  readonly submission?: SubmissionMark;
};

/**
 * The records that an object becomes, the posted one first.
 *
 * @throws ServiceError `record_invalid` or `prefix_unknown`
 */
export function judge(
  schema: Schema,
  className: string,
  value: JsonObject,
  { split, submission }: Judging,
): RecordText[] {
  if (split) return submit(schema, className, value, submission);
  return [{ ...recordText(schema, checkRecord(schema, className, value)), isChecked: true }];
}
