/** The title of a record: what a person calls it. */
import type { JsonObject } from '#linkml/json.ts';
import type { ClassDefinition, Schema } from '../schema/schema.ts';

/** The properties that hold titles, in this order, as they are written with the usual prefixes. */
const TITLE_PROPERTIES = [
  'http://www.w3.org/2004/02/skos/core#prefLabel',
  'http://www.w3.org/2000/01/rdf-schema#label',
  'http://schema.org/name',
  'https://schema.org/name',
  'http://purl.org/dc/terms/title',
  'http://xmlns.com/foaf/0.1/name',
];

const titleSlots = new WeakMap<ClassDefinition, readonly string[]>();

/** The first value of the first slot that holds a title; null if there is none. */
export function titleOf(schema: Schema, className: string, record: JsonObject): string | null {
  const definition = schema.classes.get(className);
  for (const slot of definition ? titleSlotsOf(definition) : []) {
    const [value] = [record[slot]].flat();
    if (typeof value === 'string' && value !== '') return value;
  }
  return null;
}

/** The slots of a class that hold titles, in the order of their properties. */
export function titleSlotsOf(definition: ClassDefinition): readonly string[] {
  const known = titleSlots.get(definition);
  if (known) return known;
  const names = titleSlotsAmong([...definition.slots.values()]).map(({ name }) => name);
  titleSlots.set(definition, names);
  return names;
}

/** The slots that hold titles, in the order of their properties; in a schema without these, by their names. */
export function titleSlotsAmong<Slot extends { readonly name: string; readonly uri: string }>(
  slots: readonly Slot[],
): readonly Slot[] {
  const found = TITLE_PROPERTIES.flatMap((uri) => slots.filter((slot) => slot.uri === uri));
  return found.length > 0 ? found : slots.filter(({ name }) => /^(title|name|label)$/.test(name));
}
