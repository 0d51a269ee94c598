/** Submission tags: who submitted a record, and when (specification 4.1, rule 2). */

import { isJsonObject, type JsonObject, type JsonValue } from '#linkml/json.ts';
import { ServiceError } from '../errors.ts';
import type { Schema } from '../schema/schema.ts';
import type { CheckedRecord } from './record.ts';

/** The annotation tags of a collection: CURIEs or IRIs. */
export type SubmissionTags = { readonly submitterId: string; readonly submissionTime: string };

export type SubmissionMark = { readonly userId: string; readonly time: Date; readonly tags: SubmissionTags };

/**
 * The record with the two submission annotations. All its annotations get the uniform form `tag: value` (specification
 * 2.1); a tag that is given as an IRI is written as a CURIE if the schema has a prefix for it.
 *
 * @throws ServiceError `record_invalid` if the class has no slot `annotations`
 */
export function annotate(
  schema: Schema,
  submitted: CheckedRecord,
  submission: SubmissionMark,
): CheckedRecord {
  const { className, record } = submitted;
  if (!schema.classes.get(className)?.slots.has('annotations')) {
    const msg = `The class ${className} has no slot 'annotations' for submission tags.`;
    throw new ServiceError('record_invalid', msg, [{ type: 'slot_unknown', loc: ['annotations'], msg }]);
  }
  const annotations: JsonObject = {
    ...uniform(record.annotations),
    [tagName(schema, submission.tags.submitterId)]: submission.userId,
    [tagName(schema, submission.tags.submissionTime)]: isoMicroseconds(submission.time),
  };
  return { className, record: { ...record, annotations } };
}

/** Annotations as `tag: value`, also those given as `{annotation_tag, annotation_value}`, in a mapping or a list. */
function uniform(annotations: JsonValue | undefined): JsonObject {
  if (Array.isArray(annotations)) {
    const pairs = annotations
      .filter(isJsonObject)
      .map((entry): [string, JsonValue] => [String(entry.annotation_tag), entry.annotation_value ?? null]);
    return Object.fromEntries(pairs);
  }
  if (!isJsonObject(annotations)) return {};
  return Object.fromEntries(
    Object.entries(annotations).map(([tag, value]) => [
      tag,
      isJsonObject(value) && value.annotation_value !== undefined ? value.annotation_value : value,
    ]),
  );
}

function tagName(schema: Schema, tag: string): string {
  return tag.includes('://') ? schema.compact(tag) : tag;
}

/** As the peer writes times: microseconds and a numeric offset. */
function isoMicroseconds(time: Date): string {
  return time.toISOString().replace('Z', '000+00:00');
}
