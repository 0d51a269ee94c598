/**
 * Release 6.6.4 of the peer stores who has submitted a record as a pair of the token's source and the user id, which the
 * peer itself cannot read. The user id is what belongs there.
 */
import { isJsonObject, type JsonObject, type JsonValue } from '#linkml/json.ts';
import { readYaml, type YamlOptions } from '#linkml/yaml/read.ts';

/**
 * Returns a function that replaces the pair in a record.
 *
 * @param tag the `submitter_id_tag` of the collection, a CURIE or IRI; records may have it as the other of the two
 */
export function submitterMender(
  expand: (tag: string) => string | undefined,
  tag: string,
): (record: JsonObject) => JsonObject {
  const iri = expand(tag) ?? tag;
  const isPair = (name: string, value: JsonValue): value is [string, string] =>
    Array.isArray(value) &&
    value.length === 2 &&
    value.every((part) => typeof part === 'string') &&
    (name === tag || expand(name) === iri);
  return (record) => {
    const { annotations } = record;
    if (!isJsonObject(annotations)) return record;
    const entries = Object.entries(annotations);
    if (!entries.some(([name, value]) => isPair(name, value))) return record;
    const mended = entries.map(([name, value]) => [name, isPair(name, value) ? value[1] : value] as const);
    return { ...record, annotations: Object.fromEntries(mended) };
  };
}

/**
 * Reads records in YAML, of whatever collection: a pair that is tagged as a tuple and is the value of an annotation is the
 * submitter, since the peer writes no other tuples. Other tuples are lists.
 *
 * @throws YamlError
 */
export function readRecordsInYaml(text: string, options: YamlOptions = {}): JsonValue {
  const tuples = new Set<JsonValue>();
  const value = readYaml(text, { ...options, tuples: (list) => tuples.add(list) });
  if (tuples.size === 0) return value;
  const userIdOf = (one: JsonValue) =>
    Array.isArray(one) && tuples.has(one) && one.length === 2 && one.every((part) => typeof part === 'string')
      ? one[1]!
      : one;
  const mend = (record: JsonValue): JsonValue => {
    if (!isJsonObject(record) || !isJsonObject(record.annotations)) return record;
    const entries = Object.entries(record.annotations).map(([tag, one]) => [tag, userIdOf(one)] as const);
    return { ...record, annotations: Object.fromEntries(entries) };
  };
  return Array.isArray(value) ? value.map(mend) : mend(value);
}
