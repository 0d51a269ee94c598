/** The title of a record: what a person calls it. */
import type { JsonObject } from '../json.ts';
import type { Schema } from '../schema/schema.ts';

/** The properties that hold titles, in this order, as they are written with the usual prefixes. */
const TITLE_PROPERTIES = [
  'http://www.w3.org/2004/02/skos/core#prefLabel',
  'http://www.w3.org/2000/01/rdf-schema#label',
  'http://schema.org/name',
  'https://schema.org/name',
  'http://purl.org/dc/terms/title',
  'http://xmlns.com/foaf/0.1/name',
];

/** The first value of the first slot that holds a title; null if there is none. */
export function titleOf(schema: Schema, className: string, record: JsonObject): string | null {
  const slots = [...(schema.classes.get(className)?.slots.values() ?? [])];
  for (const uri of TITLE_PROPERTIES) {
    for (const slot of slots) {
      if (slot.uri !== uri) continue;
      const [value] = [record[slot.name]].flat();
      if (typeof value === 'string' && value !== '') return value;
    }
  }
  return null;
}
