/** The annotations that say who submitted a record, and when (specification 4.1, rule 2), as reviews treat them. */
import { isJsonObject, type JsonObject, type JsonValue } from '#linkml/json.ts';
import type { SubmissionTags } from '../../core/records/annotate.ts';
import type { Schema } from '../../core/schema/schema.ts';
import { claimIri } from './claim-values.ts';

/** Recognizes the tags that say who submitted a record and when, written as CURIE or IRI. */
function isSubmissionTag(schema: Schema, tags: SubmissionTags): (tag: JsonValue | undefined) => boolean {
  const named = new Set([tags.submitterId, tags.submissionTime].map((tag) => claimIri(schema, tag)));
  return (tag) => typeof tag === 'string' && named.has(claimIri(schema, tag));
}

/** The record without these annotations, which are not part of its content. */
export function withoutSubmissionTags(schema: Schema, record: JsonObject, tags: SubmissionTags): JsonObject {
  const { annotations } = record;
  if (annotations === undefined) return record;
  const isTag = isSubmissionTag(schema, tags);
  if (Array.isArray(annotations)) {
    const kept = annotations.filter((one) => !isJsonObject(one) || !isTag(one.annotation_tag));
    return kept.length === annotations.length ? record : withAnnotations(record, kept);
  }
  if (!isJsonObject(annotations) || !Object.keys(annotations).some(isTag)) return record;
  const kept = Object.fromEntries(Object.entries(annotations).filter(([tag]) => !isTag(tag)));
  return withAnnotations(record, kept);
}

function withAnnotations(
  { annotations: _, ...others }: JsonObject,
  kept: JsonObject | JsonValue[],
): JsonObject {
  return Object.keys(kept).length === 0 ? others : { ...others, annotations: kept };
}

/**
 * A merged record with the submission tags of the submission or, if that has none, with those of the curated record. They
 * say who submitted what was accepted, and are not part of any claim.
 */
export function withSubmissionTags(
  schema: Schema,
  merged: JsonObject,
  from: { readonly submitted: JsonObject; readonly curated: JsonObject | undefined },
  tags: SubmissionTags,
): JsonObject {
  const isTag = isSubmissionTag(schema, tags);
  const tagsOf = (record: JsonObject | undefined) =>
    annotationsIn(record?.annotations).filter(({ tag }) => isTag(tag));
  const submitted = tagsOf(from.submitted);
  const own = submitted.length > 0 ? submitted : tagsOf(from.curated);
  if (own.length === 0) return merged;
  const all = [...annotationsIn(merged.annotations), ...own];
  const isList = Array.isArray(merged.annotations ?? from.submitted.annotations);
  const annotations = isList
    ? all.map(listed)
    : Object.fromEntries(all.map(({ tag, value }) => [tag, value]));
  return { ...merged, annotations };
}

/** When a record says that it was submitted, in microseconds since 1970; undefined if it does not say it. */
export function submissionTime(schema: Schema, record: JsonObject, tags: SubmissionTags): number | undefined {
  const named = claimIri(schema, tags.submissionTime);
  const found = annotationsIn(record.annotations).find(({ tag }) => claimIri(schema, tag) === named)?.value;
  const value = isJsonObject(found) ? found.annotation_value : found;
  const time = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return Number.isNaN(time) ? undefined : time * 1000;
}

type Annotation = { readonly tag: string; readonly value: JsonValue };

function listed({ tag, value }: Annotation): JsonValue {
  return isJsonObject(value) ? value : { annotation_tag: tag, annotation_value: value };
}

function annotationsIn(annotations: JsonValue | undefined): Annotation[] {
  if (Array.isArray(annotations))
    return annotations.filter(isJsonObject).map((value) => ({ tag: String(value.annotation_tag), value }));
  if (!isJsonObject(annotations)) return [];
  return Object.entries(annotations).map(([tag, value]) => ({ tag, value }));
}
