/** Puts another pid in place of the references of a record to an IRI. */
import { ServiceError } from '../errors.ts';
import { isJsonObject, type JsonObject, type JsonValue, pointerKeys } from '../json.ts';
import { linksOf } from '../records/links.ts';
import { type RecordText, recordText } from '../records/record.ts';
import type { Schema } from '../schema/schema.ts';

/**
 * A record with a pid in place of every reference to an IRI.
 *
 * @throws ServiceError `record_invalid` if it was valid before and is not with the other pid
 */
export function rewritten(
  schema: Schema,
  className: string,
  record: JsonObject,
  iri: string,
  pid: string,
): RecordText {
  const links = linksOf(schema, className, record).filter((link) => link.iri === iri);
  const result = structuredClone(record);
  // A key is renamed after what is below it.
  for (const { path } of links.sort((a, b) => b.path.length - a.path.length)) replaceAt(result, path, pid);
  const checked = schema.check(className, result);
  if (!checked.valid && schema.check(className, record).valid)
    throw new ServiceError(
      'record_invalid',
      `The record '${record.pid}' would be invalid.`,
      checked.problems,
    );
  return recordText(schema, { className, record: checked.valid ? checked.record : result });
}

/** Puts a pid where a JSON Pointer leads: a string, the pid of an object, or the key of a mapping. */
function replaceAt(record: JsonObject, path: string, pid: string): void {
  const keys = pointerKeys(path);
  const last = keys.pop() as string;
  let parent: JsonValue = record;
  for (const key of keys) parent = (parent as JsonObject)[key] as JsonValue;
  const holder = parent as JsonObject;
  const value = holder[last];
  if (typeof value === 'string') {
    holder[last] = pid;
  } else if (isJsonObject(value)) {
    const former = value.pid;
    value.pid = pid;
    for (const tag of isJsonObject(value.annotations) ? Object.keys(value.annotations) : [])
      if ((value.annotations as JsonObject)[tag] === former) (value.annotations as JsonObject)[tag] = pid;
    if (!Array.isArray(parent) && last === former) {
      delete holder[last];
      holder[pid] = value;
    }
  }
}
