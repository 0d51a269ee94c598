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

/** The properties that hold identifiers, and the names of slots that hold them without such a property. */
const IDENTIFIER_PROPERTIES = [
  'http://purl.org/dc/terms/identifier',
  'http://purl.org/dc/elements/1.1/identifier',
  'http://schema.org/identifier',
  'https://schema.org/identifier',
  'http://www.w3.org/ns/adms#identifier',
  'http://www.w3.org/2004/02/skos/core#notation',
  'http://purl.org/ontology/bibo/doi',
];
const IDENTIFIER = /^(identifiers?|doi|orcid|ror|isbn|issn)$/;

/** The slots whose words weigh more in a search, besides the pid, by class: those of titles and identifiers. */
export function headSlots({ classes }: Pick<Schema, 'classes'>): Record<string, readonly string[]> {
  return Object.fromEntries(
    [...classes].map(([name, definition]) => {
      const identifiers = [...definition.slots.values()]
        .filter((slot) => IDENTIFIER_PROPERTIES.includes(slot.uri) || IDENTIFIER.test(slot.name))
        .map((slot) => slot.name);
      return [name, [...new Set([...titleSlotsOf(definition), ...identifiers])].sort()];
    }),
  );
}

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
