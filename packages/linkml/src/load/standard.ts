/**
 * The schemas that belong to LinkML itself and are imported as `linkml:types` and so on. They are part of the engine, so
 * that opening a schema needs no network. Others (`linkml:meta`) are read from where their address points.
 */
import { BUILT_IN_TYPES } from '../types/types.ts';
import type { YamlMapping } from './yaml.ts';

const LINKML = 'https://w3id.org/linkml/';
const PREFIXES = {
  linkml: LINKML,
  xsd: 'http://www.w3.org/2001/XMLSchema#',
  shex: 'http://www.w3.org/ns/shex#',
  schema: 'http://schema.org/',
};

function standard(name: string, content: Record<string, unknown>): [string, YamlMapping] {
  return [
    `${LINKML}${name}`,
    {
      id: `${LINKML}${name}`,
      name,
      default_prefix: 'linkml',
      default_range: 'string',
      ...content,
    } as YamlMapping,
  ];
}

const URI_LIST = { range: 'uriorcurie', multivalued: true };

/** The standard schemas by the IRI of their import. */
export const STANDARD_SCHEMAS: ReadonlyMap<string, YamlMapping> = new Map([
  standard('types', {
    prefixes: PREFIXES,
    types: Object.fromEntries(
      [...BUILT_IN_TYPES].map(([name, row]) => [name, { uri: row.uri, base: row.base }]),
    ),
  }),
  standard('mappings', {
    prefixes: {
      linkml: LINKML,
      skos: 'http://www.w3.org/2004/02/skos/core#',
      OIO: 'http://www.geneontology.org/formats/oboInOwl#',
      IAO: 'http://purl.obolibrary.org/obo/IAO_',
    },
    imports: ['linkml:types'],
    slots: {
      mappings: { ...URI_LIST, slot_uri: 'skos:mappingRelation' },
      'exact mappings': { is_a: 'mappings', ...URI_LIST, slot_uri: 'skos:exactMatch' },
      'close mappings': { is_a: 'mappings', ...URI_LIST, slot_uri: 'skos:closeMatch' },
      'related mappings': { is_a: 'mappings', ...URI_LIST, slot_uri: 'skos:relatedMatch' },
      'narrow mappings': { is_a: 'mappings', ...URI_LIST, slot_uri: 'skos:narrowMatch' },
      'broad mappings': { is_a: 'mappings', ...URI_LIST, slot_uri: 'skos:broadMatch' },
      'deprecated element has exact replacement': { range: 'uriorcurie' },
      'deprecated element has possible replacement': { range: 'uriorcurie' },
    },
  }),
  standard('extensions', {
    prefixes: { linkml: LINKML },
    imports: ['linkml:types'],
    slots: {
      extensions: { range: 'extension', multivalued: true, inlined: true },
      extension_tag: { range: 'uriorcurie', alias: 'tag', required: true, key: true },
      extension_value: { alias: 'value', required: true, range: 'AnyValue' },
    },
    classes: {
      AnyValue: { class_uri: 'linkml:Any' },
      extension: { slots: ['extension_tag', 'extension_value', 'extensions'] },
      extensible: { mixin: true, slots: ['extensions'] },
    },
  }),
  standard('annotations', {
    prefixes: { linkml: LINKML },
    imports: ['linkml:types', 'linkml:extensions'],
    slots: { annotations: { is_a: 'extensions', range: 'annotation', multivalued: true } },
    classes: {
      annotatable: { mixin: true, slots: ['annotations'] },
      annotation: { is_a: 'extension', mixins: ['annotatable'], slots: ['annotations'] },
    },
  }),
  standard('units', {
    prefixes: {
      linkml: LINKML,
      qudt: 'http://qudt.org/schema/qudt/',
      rdfs: 'http://www.w3.org/2000/01/rdf-schema#',
    },
    imports: ['linkml:types', 'linkml:mappings'],
    slots: {
      unit: { range: 'UnitOfMeasure', slot_uri: 'qudt:unit' },
      symbol: { slot_uri: 'qudt:symbol' },
      abbreviation: { slot_uri: 'qudt:abbreviation' },
      descriptive_name: { slot_uri: 'rdfs:label' },
      ucum_code: { slot_uri: 'qudt:ucumCode', recommended: true },
      derivation: {},
      has_quantity_kind: { range: 'uriorcurie', slot_uri: 'qudt:hasQuantityKind' },
      iec61360code: { slot_uri: 'qudt:iec61360Code' },
    },
    classes: {
      UnitOfMeasure: {
        class_uri: 'qudt:Unit',
        slots: [
          'symbol',
          'abbreviation',
          'descriptive_name',
          'exact mappings',
          'ucum_code',
          'derivation',
          'has_quantity_kind',
          'iec61360code',
        ],
        any_of: ['ucum_code', 'iec61360code', 'symbol', 'exact mappings'].map((slot) => ({
          slot_conditions: { [slot]: { required: true } },
        })),
      },
    },
  }),
]);
