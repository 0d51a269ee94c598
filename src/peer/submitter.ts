/**
 * Release 6.6.4 of the peer stores who has submitted a record as a pair of the token's source and the user id, which the
 * peer itself cannot read. The user id is what belongs there.
 */
import { isJsonObject, type JsonObject, type JsonValue } from '../json.ts';

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
