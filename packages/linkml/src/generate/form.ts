/** A class as data for forms, such as those of the desk: its slots in the order of the schema, and its JSON Schema. */
import { type JsonObject, type JsonValue, withoutUndefined } from '../json.ts';
import type { LinkmlSchema, SlotDefinition, SlotRange } from '../linkml.ts';

/** The description of a class; undefined if the schema has no such class. */
export function describeClass(schema: LinkmlSchema, name: string): JsonObject | undefined {
  const definition = schema.classes.get(name);
  if (!definition) return undefined;
  const { title, description, isA, abstract, slots } = definition;
  return {
    class: name,
    title: title ?? null,
    description: description ?? null,
    is_a: isA ?? null,
    abstract,
    schema_type: schema.schemaType(name),
    identifier_prefixes: identifierPrefixes(schema),
    slots: [...slots.values()].map((slot) => describeSlot(schema, slot)),
    json_schema: schema.jsonSchema(name),
  };
}

/** Hosts, and beginnings of IRIs, of vocabularies and registries: no new record has its identifier there. */
const STANDARD = [
  ...['www.w3.org/', 'w3id.org/linkml/', 'purl.org/', 'schema.org/', 'xmlns.com/', 'semanticscience.org/'],
  ...['purl.obolibrary.org/', 'orcid.org/', 'ror.org/', 'doi.org/', 'dx.doi.org/', 'identifiers.org/'],
  ...['bioregistry.io/', 'www.wikidata.org/', 'dbpedia.org/', 'id.loc.gov/', 'spdx.org/', 'rdfs.org/'],
  ...[
    'creativecommons.org/',
    'www.geonames.org/',
    'sws.geonames.org/',
    'qudt.org/',
    'viaf.org/',
    'd-nb.info/',
  ],
  ...[
    'concepts.datalad.org/',
    'datacite.org/',
    'www.openarchives.org/',
    'usefulinc.com/',
    'rdf.data-vocabulary.org/',
  ],
];
const MOST_PREFIXES = 5;

/**
 * The prefixes that identifiers of new records may begin with: the default prefix if it is declared, else the prefixes that are not
 * those of known vocabularies.
 */
function identifierPrefixes({ prefixes, defaultPrefix }: LinkmlSchema): string[] {
  if (prefixes.has(defaultPrefix)) return [defaultPrefix];
  const isStandard = (iri: string) =>
    STANDARD.some((one) => iri.startsWith(`http://${one}`) || iri.startsWith(`https://${one}`));
  return [...prefixes].flatMap(([name, iri]) => (isStandard(iri) ? [] : [name])).slice(0, MOST_PREFIXES);
}

function describeSlot(schema: LinkmlSchema, slot: SlotDefinition): JsonObject {
  const { name, title, description, uri, required, recommended, multivalued, identifier, key } = slot;
  const { pattern, minimumValue, maximumValue, minimumCardinality, maximumCardinality } = slot.constraints;
  const rest: Record<string, JsonValue | undefined> = {
    default: slot.default,
    pattern,
    minimum_value: minimumValue,
    maximum_value: maximumValue,
    minimum_cardinality: minimumCardinality,
    maximum_cardinality: maximumCardinality,
  };
  return {
    name,
    title: title ?? null,
    description: description ?? null,
    uri,
    required: required || identifier || key,
    recommended,
    multivalued,
    identifier,
    key,
    designates_type: slot.designatesType,
    range: describeRange(schema, slot.range),
    ...withoutUndefined(rest),
  };
}

/** Describes the values that a slot takes. */
function describeRange(schema: LinkmlSchema, range: SlotRange): JsonObject {
  switch (range.kind) {
    case 'type': {
      const { name, uri, base, description, constraints } = range.type;
      const { pattern, minimumValue, maximumValue } = constraints;
      const limits = { pattern, minimum_value: minimumValue, maximum_value: maximumValue };
      return {
        kind: 'type',
        type: name,
        base,
        uri,
        description: description ?? null,
        ...withoutUndefined(limits),
      };
    }
    case 'enum': {
      const { name, description, open, values, vocabularies } = range.enum;
      const listed = [...values.values()].map((value) => ({
        value: value.text,
        title: value.title ?? null,
        description: value.description ?? null,
        meaning: value.meaning ?? null,
      }));
      return {
        kind: 'enum',
        enum: name,
        description: description ?? null,
        open,
        values: listed,
        ...(vocabularies.length > 0 && { vocabularies: [...vocabularies] }),
      };
    }
    case 'class':
      return {
        kind: 'class',
        class: range.className,
        inlined: range.inlining !== 'reference',
        inlining: range.inlining,
        classes: [...schema.descendants(range.className)],
      };
    case 'array':
      return { kind: 'array', of: describeRange(schema, range.of) };
    case 'union':
      return { kind: 'union', alternatives: range.alternatives.map((one) => describeRange(schema, one)) };
    case 'any':
      return { kind: 'any' };
  }
}
