/**
 * Inlined records: a slot `relations` maps pids to whole records. Each of them is stored as a separate record, at any
 * depth, and a placeholder takes its place (specification 4.1; docs/http.md, "What a submission becomes").
 */

import { isJsonObject, type JsonObject, type JsonValue, setMember } from '#linkml/json.ts';
import { ServiceError } from '../errors.ts';
import type { Schema } from '../schema/schema.ts';
import { asDefined, classNamedIn, schemaTypeIn, withoutType, withTypeOf } from '../schema-type.ts';
import type { CheckedRecord } from './record.ts';

const RELATIONS = 'relations';
const THING = 'Thing';
/** The annotation by which a placeholder is known. */
const PLACEHOLDER = 'dlthings:placeholder';
/** A request stores at most this many records: they are one transaction, and other writes wait for it. */
export const MOST_RECORDS = 10_000;

/**
 * The records that one posted object holds: itself first, then the inlined ones, depth first. None for a placeholder,
 * which is never stored. The time is linear in the size of the object.
 *
 * @throws ServiceError `body_too_large` if there are more than {@link MOST_RECORDS}
 */
export function extractInlined(schema: Schema, posted: CheckedRecord): CheckedRecord[] {
  if (posted.className === THING && annotationOf(posted.record, PLACEHOLDER) !== undefined) return [];
  const found: CheckedRecord[] = [];
  collect(schema, posted, found);
  return found;
}

/** The refusal of a request that would store too many records. */
export function tooManyRecords(): ServiceError {
  return new ServiceError(
    'body_too_large',
    `The request would store more than ${MOST_RECORDS} records, inlined ones included. ` +
      'Store the inlined records in several requests, and refer to them.',
  );
}

function collect(schema: Schema, { className, record }: CheckedRecord, found: CheckedRecord[]): void {
  if (found.length === MOST_RECORDS) throw tooManyRecords();
  const relations = record[RELATIONS];
  if (!isJsonObject(relations) || !schema.classes.has(THING)) {
    found.push({ className, record });
    return;
  }
  const placeholders: JsonObject = {};
  for (const pid of Object.keys(relations)) setMember(placeholders, pid, placeholder(schema, pid));
  found.push({ className, record: { ...record, [RELATIONS]: placeholders } });
  for (const [pid, inner] of Object.entries(relations)) {
    if (!isJsonObject(inner)) continue;
    const whole: JsonObject = { ...inner, pid: inner.pid ?? pid };
    const innerClass = classOfInlined(schema, className, whole);
    if (isPlaceholder(innerClass, whole)) continue;
    collect(schema, { className: innerClass, record: whole }, found);
  }
}

/** The class that an inlined object names itself, else the range of the slot. */
function classOfInlined(schema: Schema, outerClass: string, inner: JsonObject): string {
  const named = classNamedIn(schema, inner);
  if (named !== undefined) return named;
  const range = schema.classes.get(outerClass)?.slots.get(RELATIONS)?.range;
  return range?.kind === 'class' ? range.className : THING;
}

function placeholder(schema: Schema, pid: string): JsonObject {
  const thing = { pid, annotations: { [PLACEHOLDER]: pid } };
  return asDefined(schema, THING, withTypeOf(schema, THING, thing));
}

/** An inlined object that only refers to a record, as {@link placeholder} makes it. */
function isPlaceholder(className: string, inner: JsonObject): boolean {
  if (className !== THING || annotationOf(inner, PLACEHOLDER) !== inner.pid) return false;
  const others = Object.keys(withoutType(inner)).filter((key) => !['pid', 'annotations'].includes(key));
  return others.length === 0 && Object.keys(inner.annotations as JsonObject).length === 1;
}

/** Whether the value of a pid in a mapping is only a reference to the record with that pid. */
export function isPlaceholderOf(schema: Schema, pid: string, inner: JsonValue): boolean {
  if (!isJsonObject(inner)) return false;
  const className = schemaTypeIn(inner) === undefined ? THING : classNamedIn(schema, inner);
  return isPlaceholder(className ?? THING, { ...inner, pid: inner.pid ?? pid });
}

/** The value of an annotation, in its short form (`tag: value`) or its long one. */
function annotationOf(record: JsonObject, tag: string): JsonValue | undefined {
  if (!isJsonObject(record.annotations) || !Object.hasOwn(record.annotations, tag)) return undefined;
  const annotation = record.annotations[tag];
  return isJsonObject(annotation) ? annotation.annotation_value : annotation;
}
