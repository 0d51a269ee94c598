/** The vocabularies that records are published in besides their own, as a table: which of its terms an IRI stands for. */

export type Vocabulary = {
  readonly title: string;
  /** The class of records for which nothing else says one. */
  readonly anyClass: string;
  /** A record without a value of each of these slots cannot be expressed. */
  readonly required: readonly string[];
  /** The slot that the title of a record is a value of, if it has no other. */
  readonly titleSlot: string;
  /** Slots whose value is that of the collection, if a record has none. */
  readonly ofCollection: Readonly<Record<string, 'publisher' | 'license'>>;
  slotOf(iri: string): string | undefined;
  classOf(iri: string): string | undefined;
};

const SCHEMA_ORG = /^https?:\/\/schema\.org\/(\w+)$/;
const DUBLIN_CORE = /^http:\/\/purl\.org\/dc\/(?:elements\/1\.1|terms)\/(\w+)$/;

/** The elements of Dublin Core (ISO 15836-1), in the order of its standard. */
export const DC_ELEMENTS = [
  ...['title', 'creator', 'subject', 'description', 'publisher', 'contributor', 'date', 'type', 'format'],
  ...['identifier', 'source', 'language', 'relation', 'coverage', 'rights'],
] as const;
type DcElement = (typeof DC_ELEMENTS)[number];

/** The properties of the DCMI Metadata Terms that refine an element. */
const REFINEMENTS: Readonly<Partial<Record<DcElement, string>>> = {
  title: 'alternative',
  description: 'abstract tableOfContents',
  date: 'available created dateAccepted dateCopyrighted dateSubmitted issued modified valid',
  format: 'extent medium',
  identifier: 'bibliographicCitation',
  relation:
    'conformsTo hasFormat hasPart hasVersion isFormatOf isPartOf isReferencedBy isReplacedBy isRequiredBy isVersionOf references replaces requires',
  coverage: 'spatial temporal',
  rights: 'accessRights license',
};

/** The properties of schema.org that say the same as an element. */
const IN_SCHEMA_ORG: Readonly<Partial<Record<DcElement, string>>> = {
  title: 'name headline alternateName',
  creator: 'author creator',
  subject: 'about keywords',
  description: 'description abstract',
  publisher: 'publisher',
  contributor: 'contributor editor',
  date: 'datePublished dateCreated dateModified',
  format: 'encodingFormat',
  identifier: 'identifier',
  language: 'inLanguage',
  relation: 'isPartOf hasPart citation',
  coverage: 'spatialCoverage temporalCoverage',
  rights: 'license copyrightNotice',
};

const OTHERS: Readonly<Record<string, DcElement>> = {
  'http://www.w3.org/2000/01/rdf-schema#label': 'title',
  'http://www.w3.org/2004/02/skos/core#prefLabel': 'title',
  'http://xmlns.com/foaf/0.1/name': 'title',
  'http://www.w3.org/2000/01/rdf-schema#comment': 'description',
  'http://www.w3.org/2004/02/skos/core#definition': 'description',
};

const elementIn = (table: Readonly<Partial<Record<DcElement, string>>>, name: string | undefined) =>
  DC_ELEMENTS.find((element) => name !== undefined && table[element]?.split(' ').includes(name));

function dcElementOf(iri: string): DcElement | undefined {
  const own = DUBLIN_CORE.exec(iri)?.[1];
  return (
    DC_ELEMENTS.find((element) => element === own) ??
    elementIn(REFINEMENTS, own) ??
    elementIn(IN_SCHEMA_ORG, SCHEMA_ORG.exec(iri)?.[1]) ??
    OTHERS[iri]
  );
}

/** The properties of DataCite that a record may have, in the order of its schema, and the elements that say the same. */
const DATACITE: Readonly<Record<string, DcElement>> = {
  identifier: 'identifier',
  creators: 'creator',
  titles: 'title',
  publisher: 'publisher',
  subjects: 'subject',
  contributors: 'contributor',
  dates: 'date',
  language: 'language',
  formats: 'format',
  rightsList: 'rights',
  descriptions: 'description',
};

/** The values of `resourceTypeGeneral` in DataCite 4.4, as far as classes are named so. */
const RESOURCE_TYPES = [
  'Audiovisual Book BookChapter Collection ComputationalNotebook ConferencePaper ConferenceProceeding DataPaper Dataset',
  'Dissertation Event Image InteractiveResource Journal JournalArticle Model OutputManagementPlan PeerReview',
  'PhysicalObject Preprint Report Service Software Sound Standard Text Workflow Other',
].flatMap((line) => line.split(' '));

export const VOCABULARIES = {
  schema_org: {
    title: 'schema.org',
    anyClass: 'Thing',
    required: [],
    titleSlot: 'name',
    ofCollection: {},
    slotOf: (iri) => SCHEMA_ORG.exec(iri)?.[1],
    classOf: (iri) => SCHEMA_ORG.exec(iri)?.[1],
  },
  oai_dc: {
    title: 'Dublin Core',
    anyClass: 'dc',
    required: [],
    titleSlot: 'title',
    ofCollection: { publisher: 'publisher', rights: 'license' },
    slotOf: dcElementOf,
    classOf: () => undefined,
  },
  datacite: {
    title: 'DataCite',
    anyClass: 'Other',
    required: ['creators', 'publisher', 'dates'],
    titleSlot: 'titles',
    ofCollection: { publisher: 'publisher', rightsList: 'license' },
    slotOf(iri) {
      const element = dcElementOf(iri);
      return element && Object.keys(DATACITE).find((name) => DATACITE[name] === element);
    },
    classOf: (iri) => RESOURCE_TYPES.find((name) => iri.endsWith(`/${name}`) || iri.endsWith(`#${name}`)),
  },
} satisfies Record<string, Vocabulary>;

export type VocabularyName = keyof typeof VOCABULARIES;
