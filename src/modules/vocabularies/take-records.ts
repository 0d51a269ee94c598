/** Records of a collection as terms: their slots have the properties of SKOS, RDF Schema and OWL, or usual names. */

import { LinkmlError } from '#linkml/errors.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '#linkml/json.ts';
import { BROADER, SUBCLASS_OF } from '#linkml/terms/vocabulary.ts';
import { SnapshotBuilder } from '#linkml/vocabularies/build-snapshot.ts';
import { DCTERMS, SKOS } from '#linkml/vocabularies/read/source.ts';
import { titleOf } from '../../core/records/title.ts';
import type { Schema, SlotDefinition } from '../../core/schema/schema.ts';

/** The properties, and names of slots, that describe terms. */
const SYNONYMS = [`${SKOS}altLabel`, 'synonyms', 'aliases'];
const DEFINITION = [`${SKOS}definition`, `${DCTERMS}description`, 'definition', 'description'];
const OBSOLETE = ['http://www.w3.org/2002/07/owl#deprecated', 'obsolete', 'deprecated'];
const REPLACED_BY = [`${DCTERMS}isReplacedBy`, 'replaced_by'];
const PARENTS = [BROADER, SUBCLASS_OF, 'broader', 'parents', 'parent'];

/**
 * The snapshot of records.
 *
 * @param pieces lines with an array of IRI, class and record
 * @throws LinkmlError `schema_invalid` if there are none
 */
export async function takeRecords(
  pieces: readonly Uint8Array[],
  source: string,
  schema: Schema,
): Promise<Uint8Array<ArrayBuffer>> {
  const builder = new SnapshotBuilder();
  const decoder = new TextDecoder();
  for (const piece of pieces)
    for (const line of decoder.decode(piece).split('\n'))
      if (line !== '') addRecord(builder, schema, JSON.parse(line) as [string, string, JsonObject]);
  if (builder.terms === 0) throw new LinkmlError('schema_invalid', `${source} has no records.`);
  return await builder.finish({ iris: [], source, format: 'records' });
}

function addRecord(
  builder: SnapshotBuilder,
  schema: Schema,
  [id, className, record]: [string, string, JsonObject],
): void {
  const slots = [...(schema.classes.get(className)?.slots.values() ?? [])];
  const valuesOf = (properties: readonly string[]) =>
    slots.filter((slot) => isAmong(slot, properties)).flatMap(({ name }) => stringsIn(record[name]));
  const idsOf = (properties: readonly string[]) =>
    valuesOf(properties).map((value) => schema.expandReference(value) ?? value);
  builder.add({
    id,
    label: titleOf(schema, className, record) ?? undefined,
    synonyms: valuesOf(SYNONYMS),
    definition: valuesOf(DEFINITION)[0],
    obsolete: slots.some((slot) => isAmong(slot, OBSOLETE) && record[slot.name] === true),
    replacedBy: idsOf(REPLACED_BY),
  });
  for (const parent of idsOf(PARENTS)) builder.link(id, BROADER, parent);
}

function isAmong({ uri, name }: SlotDefinition, properties: readonly string[]): boolean {
  return properties.includes(uri) || properties.includes(name);
}

/** The strings of a value, of a list, and the pids of objects. */
function stringsIn(value: JsonValue | undefined): string[] {
  const values = Array.isArray(value) ? value : [value];
  return values.flatMap((one) => {
    const text = isJsonObject(one) ? one.pid : one;
    return typeof text === 'string' ? [text] : [];
  });
}
