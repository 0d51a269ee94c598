/** Records as XML for harvesters (OAI-PMH 2.0, 3.4): a table of metadata formats. */

import { Parser, type Quad } from 'n3';
import { type JsonObject, JsonSyntaxError, type JsonValue } from '#linkml/json.ts';
import { RDF, XSD_STRING } from '#linkml/turtle/namespaces.ts';
import { isServiceError, ServiceError } from '../../../core/errors.ts';
import { element, type Html, schemaAt, webAddress } from '../../../core/formats/html.ts';
import { recordTurtle } from '../../../core/formats/turtle-records.ts';
import { definedRecord } from '../../../core/records/record.ts';
import type { Schema } from '../../../core/schema/schema.ts';
import { mapRecord, textOfValue } from '../profiles.ts';
import type { PublicationMetadata } from '../publishing.ts';
import { DC_ELEMENTS } from '../vocabularies.ts';

/** A record on its way to a harvester. */
export type MetadataRecord = {
  readonly iri: string;
  readonly className: string;
  readonly json: string;
  /** The URL of its page. */
  readonly url: string;
};

/** The surroundings that records are written with. */
type MetadataSource = {
  readonly schema: Schema;
  readonly publishing: PublicationMetadata;
  /** By IRI: the titles of records that others refer to. */
  readonly titles: ReadonlyMap<string, string>;
};

type MetadataFormat = {
  readonly namespace: string;
  /** The URL of the XML Schema. */
  readonly schema: string;
  /** Whether references are written as titles. */
  readonly hasTitles: boolean;
  /** The document without an XML declaration; undefined if the format cannot express the record. */
  write(writing: MetadataSource, record: MetadataRecord): string | undefined;
};

const OAI_DC = 'http://www.openarchives.org/OAI/2.0/oai_dc/';
const DATACITE = 'http://datacite.org/schema/kernel-4';

/** By the prefix that a harvester asks with. */
export const METADATA_FORMATS = {
  oai_dc: {
    namespace: OAI_DC,
    schema: 'http://www.openarchives.org/OAI/2.0/oai_dc.xsd',
    hasTitles: true,
    write: dublinCore,
  },
  datacite: {
    namespace: DATACITE,
    schema: 'http://schema.datacite.org/meta/kernel-4/metadata.xsd',
    hasTitles: true,
    write: datacite,
  },
  rdf: {
    namespace: RDF,
    schema: 'http://www.openarchives.org/OAI/2.0/rdf.xsd',
    hasTitles: false,
    write: ({ schema }, { json, className }) => rdfXml(json, className, schema),
  },
} satisfies Record<string, MetadataFormat>;
export type MetadataPrefix = keyof typeof METADATA_FORMATS;
export const METADATA_PREFIXES = Object.keys(METADATA_FORMATS) as MetadataPrefix[];

function read(
  { schema, publishing, titles }: MetadataSource,
  name: 'oai_dc' | 'datacite',
  { className, json }: MetadataRecord,
) {
  const record: JsonObject = definedRecord(schema, { className, json });
  const resolveReference = (iri: string) => titles.get(iri) ?? iri;
  const found = mapRecord(schema, name, publishing, { className, record }, resolveReference);
  const of = (slot: string): JsonValue[] => [...(found.values.get(slot) ?? [])];
  const title = schema.classes.get(className)?.title ?? className;
  return { ...found, of, classTitle: title };
}

function dublinCore(writing: MetadataSource, record: MetadataRecord): string {
  const { of, classTitle } = read(writing, 'oai_dc', record);
  const values: Readonly<Record<string, JsonValue[]>> = {
    title: of('title').length === 0 ? [record.iri] : [],
    type: of('type').length === 0 ? [classTitle] : [],
    identifier: record.url === record.iri ? [record.iri] : [record.iri, record.url],
  };
  const elements = DC_ELEMENTS.flatMap((name) =>
    [...(values[name] ?? []), ...of(name)].map((value) => element(`dc:${name}`, textOfValue(value))),
  );
  return element('oai_dc:dc', elements, {
    'xmlns:oai_dc': OAI_DC,
    'xmlns:dc': 'http://purl.org/dc/elements/1.1/',
    ...schemaAt(OAI_DC, METADATA_FORMATS.oai_dc.schema),
  }).text;
}

/** Lists of DataCite: of a slot, the element in the element, and its attributes. */
const LISTS: Readonly<Record<string, readonly [name: string, attributes?: Record<string, string>]>> = {
  subjects: ['subject'],
  dates: ['date', { dateType: 'Issued' }],
  formats: ['format'],
  descriptions: ['description', { descriptionType: 'Abstract' }],
};
const DOI = /^(?:https?:\/\/(?:dx\.)?doi\.org\/|doi:)?(10\.\d{4,9}\/\S+)$/i;
const YEAR = /(?<!\d)\d{4}(?!\d)/;
const LANGUAGE = /^[a-z]{1,8}(-[a-z0-9]{1,8})*$/i;

/** DataCite 4; undefined without what it requires. */
function datacite(writing: MetadataSource, record: MetadataRecord): string | undefined {
  const { class: type, of, isExpressed, classTitle } = read(writing, 'datacite', record);
  const texts = (slot: string) =>
    of(slot).flatMap((value) => {
      const text = textOfValue(value).trim();
      return text === '' ? [] : text;
    });
  const [year] = texts('dates').flatMap((text) => YEAR.exec(text) ?? []);
  const [creators, [publisher]] = [texts('creators'), texts('publisher')];
  if (!isExpressed || year === undefined || creators.length === 0 || publisher === undefined) return;
  const doi = texts('identifier').flatMap((text) => DOI.exec(text)?.[1] ?? [])[0];
  const titles = texts('titles').length === 0 ? [record.iri] : texts('titles');
  const list = (name: string, items: readonly Html[]) => (items.length > 0 ? [element(name, items)] : []);
  const content = [
    element('identifier', doi ?? record.url, { identifierType: doi === undefined ? 'URL' : 'DOI' }),
    ...list(
      'creators',
      creators.map((name) => element('creator', element('creatorName', name))),
    ),
    ...list(
      'titles',
      titles.map((title) => element('title', title)),
    ),
    element('publisher', publisher),
    element('publicationYear', year),
    ...list(
      'contributors',
      texts('contributors').map((name) =>
        element('contributor', element('contributorName', name), { contributorType: 'Other' }),
      ),
    ),
    ...texts('language')
      .filter((text) => LANGUAGE.test(text))
      .slice(0, 1)
      .map((text) => element('language', text)),
    element('resourceType', classTitle, { resourceTypeGeneral: type }),
    element(
      'alternateIdentifiers',
      element('alternateIdentifier', record.iri, { alternateIdentifierType: 'URI' }),
    ),
    ...list(
      'rightsList',
      texts('rightsList').map((text) => element('rights', text, { rightsURI: webAddress(text) })),
    ),
    ...Object.entries(LISTS).flatMap(([slot, [name, attributes]]) =>
      list(
        slot,
        texts(slot).map((text) => element(name, text, attributes)),
      ),
    ),
  ];
  const { schema } = METADATA_FORMATS.datacite;
  return element('resource', content, { xmlns: DATACITE, ...schemaAt(DATACITE, schema) }).text;
}

/** The metadata of records, in their order; undefined for those that the format cannot express. */
export function metadataOf(
  writing: MetadataSource,
  prefix: MetadataPrefix,
  records: readonly MetadataRecord[],
): (string | undefined)[] {
  const format: MetadataFormat = METADATA_FORMATS[prefix];
  return records.map((record) => {
    try {
      return format.write(writing, record);
    } catch (error) {
      // One that does not fit its class is left out, and stops no other.
      if (isServiceError(error) || error instanceof JsonSyntaxError) return undefined;
      throw error;
    }
  });
}

/** Where a predicate becomes a namespace and a name, which XML requires. */
const PREDICATE = /^(.+?)([A-Za-z_][\w.-]*)$/;

/** The document of a record without an XML declaration. @throws ServiceError `conversion_failed` */
function rdfXml(json: string, className: string, schema: Schema): string {
  const namespaces = new Map([[RDF, 'rdf']]);
  const nodes = new Map<string, string>();
  const nodeOf = (name: string) => {
    nodes.set(name, nodes.get(name) ?? `b${nodes.size}`);
    return nodes.get(name)!;
  };
  const tagOf = (predicate: string) => {
    const [, namespace, name] = PREDICATE.exec(predicate) ?? [];
    if (namespace === undefined || name === undefined)
      throw new ServiceError('conversion_failed', `The predicate <${predicate}> cannot be written in XML.`);
    namespaces.set(namespace, namespaces.get(namespace) ?? `n${namespaces.size}`);
    return `${namespaces.get(namespace)}:${name}`;
  };
  const quads = new Parser().parse(recordTurtle(json, className, schema));
  const subjects = Map.groupBy(quads, ({ subject }) => `${subject.termType} ${subject.value}`);
  const descriptions = [...subjects.values()].map((about) => {
    const { termType, value } = about[0]!.subject;
    const named = termType === 'BlankNode' ? { 'rdf:nodeID': nodeOf(value) } : { 'rdf:about': value };
    const properties = about.map(({ predicate, object }) =>
      propertyOf(tagOf(predicate.value), object, nodeOf),
    );
    return element('rdf:Description', properties, named);
  });
  const declared = [...namespaces].map(([namespace, prefix]) => [`xmlns:${prefix}`, namespace]);
  return element('rdf:RDF', descriptions, Object.fromEntries(declared)).text;
}

function propertyOf(tag: string, object: Quad['object'], nodeOf: (name: string) => string): Html {
  if (object.termType === 'NamedNode') return element(tag, '', { 'rdf:resource': object.value });
  if (object.termType === 'BlankNode') return element(tag, '', { 'rdf:nodeID': nodeOf(object.value) });
  const { value, language, datatype } = object as Extract<Quad['object'], { termType: 'Literal' }>;
  if (language !== '') return element(tag, value, { 'xml:lang': language });
  const type = datatype.value === XSD_STRING ? undefined : datatype.value;
  return element(tag, value, { 'rdf:datatype': type });
}
