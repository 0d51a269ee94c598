/** Policies in records: what a record names, and giving it another one. */
import { isObject, type Json, type JsonObject } from './json.ts';

/**
 * The policies that a record names, as text.
 *
 * @param tags the ways to write the annotation, as `/-/me` lists them
 */
export function policiesIn({ annotations }: JsonObject, tags: readonly string[]): string[] {
  return entriesOf(annotations).flatMap(([key, value]) => {
    const tag = isObject(value) ? (value.annotation_tag ?? key) : key;
    const isTag = [key, tag].some((one) => typeof one === 'string' && tags.includes(one));
    if (!isTag) return [];
    const named = isObject(value) ? (value.annotation_value ?? null) : value;
    return [typeof named === 'string' ? named : JSON.stringify(named)];
  });
}

/** The record with one policy; an empty string removes those that it names. */
export function withPolicy(record: JsonObject, tags: readonly string[], policy: string): JsonObject {
  const kept = entriesOf(record.annotations).filter(([key]) => !tags.includes(key));
  const [tag] = tags;
  const entries = policy === '' || tag === undefined ? kept : [...kept, [tag, policy] as const];
  const { annotations: _, ...rest } = record;
  return entries.length === 0 ? rest : { ...rest, annotations: Object.fromEntries(entries) };
}

function entriesOf(annotations: Json | undefined): [string, Json][] {
  return isObject(annotations) ? Object.entries(annotations) : [];
}

export const POLICY_KEYS = [
  'policy_annotation_tag',
  'default_policy',
  'policy_mapping',
  'policy_info_location',
] as const;

/** The keys of a collection that decide about policies, without those that set nothing. */
export function policyKeys(collection: JsonObject): JsonObject {
  const isSet = (value: Json | undefined) =>
    value !== undefined && value !== null && !(Array.isArray(value) && value.length === 0);
  return Object.fromEntries(
    POLICY_KEYS.filter((key) => isSet(collection[key])).map((key) => [key, collection[key]!]),
  );
}
