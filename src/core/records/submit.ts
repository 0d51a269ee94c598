/**
 * The submission pipeline of the user area: check → split inlined records → annotate → one change a record. Nothing is
 * written here; the caller passes all changes to the store in one write, which is atomic.
 */

import type { JsonObject } from '#linkml/json.ts';
import { ServiceError } from '../errors.ts';
import type { CheckOptions, Schema } from '../schema/schema.ts';
import { annotate, type SubmissionMark } from './annotate.ts';
import { extractInlined } from './inlined.ts';
import { checkRecord, type RecordText, recordText } from './record.ts';

/**
 * The records that a posted object becomes, the posted one first; none for a placeholder.
 *
 * @param submission given if a submission tag is wanted
 * @throws ServiceError `record_invalid`, `prefix_unknown` or `body_too_large`
 */
export function submit(
  schema: Schema,
  className: string,
  value: JsonObject,
  submission?: SubmissionMark,
  options?: CheckOptions,
): RecordText[] {
  const checked = checkRecord(schema, className, value, options);
  const texts = extractInlined(schema, checked).map((record) => {
    const text = recordText(schema, submission ? annotate(schema, record, submission) : record);
    return !submission && record.record === checked.record ? { ...text, isChecked: true } : text;
  });
  return withoutRepeats(texts);
}

/** Each record once. Two different records under one pid are refused: storing both would lose one without a word. */
function withoutRepeats(texts: readonly RecordText[]): RecordText[] {
  const byIri = new Map<string, RecordText>();
  for (const text of texts) {
    const earlier = byIri.get(text.iri);
    if (earlier === undefined) {
      byIri.set(text.iri, text);
    } else if (earlier.json !== text.json || earlier.className !== text.className) {
      const msg = `The object contains two different records with the pid '${text.pid}'.`;
      throw new ServiceError('record_invalid', msg, [{ type: 'pid_repeated', loc: ['relations'], msg }]);
    }
  }
  return [...byIri.values()];
}

/** How an area treats what is posted to it. Plain data, so that it can be sent to a thread. */
export type SubmissionMode = {
  /** Whether the records that it holds inline are stored on their own. */
  readonly split: boolean;
  /** Given if a submission tag is wanted. */
  readonly submission?: SubmissionMark;
};

/**
 * The records that an object becomes, the posted one first.
 *
 * @throws ServiceError `record_invalid`, `prefix_unknown` or `body_too_large`
 */
export function validateObject(
  schema: Schema,
  className: string,
  value: JsonObject,
  { split, submission }: SubmissionMode,
  options?: CheckOptions,
): RecordText[] {
  if (split) return submit(schema, className, value, submission, options);
  return [{ ...recordText(schema, checkRecord(schema, className, value, options)), isChecked: true }];
}
