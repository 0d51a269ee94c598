/** SKOS in Turtle; classes of RDF Schema and OWL are terms, too. */
import { Parser, type Quad } from 'n3';
import { BROADER, SUBCLASS_OF } from '../../terms/vocabulary.ts';
import type { SnapshotBuilder } from '../build-snapshot.ts';
import { aboutOf, DCTERMS, notOfForm, type Pieces, SKOS, type SourceAbout } from './source.ts';

const RDFS = 'http://www.w3.org/2000/01/rdf-schema#';
const OWL = 'http://www.w3.org/2002/07/owl#';
const DC_ELEMENTS = 'http://purl.org/dc/elements/1.1/';
const TYPE = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#type';

/** The meaning of a property of a term. */
const PROPERTIES = new Map<
  string,
  'label' | 'synonym' | 'definition' | 'replacedBy' | 'broader' | 'narrower'
>([
  [`${SKOS}prefLabel`, 'label'],
  [`${RDFS}label`, 'label'],
  [`${SKOS}altLabel`, 'synonym'],
  [`${SKOS}hiddenLabel`, 'synonym'],
  ['http://www.geneontology.org/formats/oboInOwl#hasExactSynonym', 'synonym'],
  [`${SKOS}definition`, 'definition'],
  ['http://purl.obolibrary.org/obo/IAO_0000115', 'definition'],
  [`${DCTERMS}isReplacedBy`, 'replacedBy'],
  ['http://purl.obolibrary.org/obo/IAO_0100001', 'replacedBy'],
  [BROADER, 'broader'],
  [SUBCLASS_OF, 'broader'],
  [`${SKOS}narrower`, 'narrower'],
]);

const TERM_TYPES = new Set([`${SKOS}Concept`, `${RDFS}Class`, `${OWL}Class`]);
const SCHEME_TYPES = new Set([`${SKOS}ConceptScheme`, `${OWL}Ontology`]);

/** Properties of a scheme, the best first. */
const ABOUT = {
  title: [`${DCTERMS}title`, `${DC_ELEMENTS}title`, `${SKOS}prefLabel`, `${RDFS}label`],
  version: [`${OWL}versionInfo`, `${OWL}versionIRI`],
  date: [`${DCTERMS}modified`, `${DCTERMS}issued`, `${DC_ELEMENTS}date`, `${DCTERMS}date`],
  license: [`${DCTERMS}license`, `${DC_ELEMENTS}rights`, `${DCTERMS}rights`],
};

type Text = { readonly text: string; readonly language: string };

/** The statements about a subject. */
type Subject = {
  isTerm: boolean;
  isScheme: boolean;
  obsolete: boolean;
  labels: Text[];
  synonyms: string[];
  definitions: Text[];
  replacedBy: string[];
  /** Values of other properties of a possible scheme. */
  others: Map<string, string> | undefined;
};

export async function readSkos(pieces: Pieces, builder: SnapshotBuilder): Promise<SourceAbout> {
  const subjects = new Map<string, Subject>();
  await parseTurtle(pieces, (quad) => readQuad(quad, subjects, builder));
  const schemes: [string, Subject][] = [];
  for (const [id, subject] of subjects) {
    if (subject.isScheme) schemes.push([id, subject]);
    else if (subject.isTerm || subject.labels.length > 0) addTerm(id, subject, builder);
  }
  const valueOfProperty = (properties: readonly string[]) =>
    schemes
      .flatMap(([, { others }]) => properties.map((property) => others?.get(property)))
      .find((value) => value !== undefined);
  const known = Object.entries(ABOUT).map(([key, properties]) => [key, valueOfProperty(properties)] as const);
  return aboutOf(
    schemes.map(([id]) => id),
    Object.fromEntries(known),
  );
}

/** Parses piece by piece: the triples of a large file would not fit into memory at once. */
async function parseTurtle(pieces: Pieces, each: (quad: Quad) => void): Promise<void> {
  const listeners: Record<string, (data?: string) => void> = {};
  const source = { on: (event: string, listener: (data?: string) => void) => (listeners[event] = listener) };
  let failure: (Error & { readonly context?: { readonly line?: number } }) | undefined;
  new Parser({ format: 'Turtle' }).parse(source as never, (error, quad) => {
    failure ??= error ?? undefined;
    if (quad && !failure) each(quad);
  });
  const decoder = new TextDecoder();
  for await (const piece of pieces) {
    listeners.data?.(decoder.decode(piece, { stream: true }));
    if (failure) break;
  }
  if (!failure) listeners.end?.();
  if (failure) throw notOfForm('skos', failure.context?.line);
}

function readQuad(
  { subject, predicate, object }: Quad,
  subjects: Map<string, Subject>,
  builder: SnapshotBuilder,
): void {
  if (subject.termType !== 'NamedNode') return;
  const found = subjectOf(subjects, subject.value);
  const property = PROPERTIES.get(predicate.value);
  const text = object.termType === 'Literal' ? { text: object.value, language: object.language } : undefined;
  const iri = object.termType === 'NamedNode' ? object.value : undefined;
  if (predicate.value === TYPE && iri !== undefined) {
    found.isTerm ||= TERM_TYPES.has(iri);
    found.isScheme ||= SCHEME_TYPES.has(iri);
  } else if (predicate.value === `${OWL}deprecated`)
    found.obsolete ||= object.value === 'true' || object.value === '1';
  else if (property === 'label' && text) found.labels.push(text);
  else if (property === 'synonym' && text) found.synonyms.push(text.text);
  else if (property === 'definition' && text) found.definitions.push(text);
  else if (property === 'replacedBy' && iri !== undefined) found.replacedBy.push(iri);
  else if (property === 'broader' && iri !== undefined) builder.link(subject.value, predicate.value, iri);
  else if (property === 'narrower' && iri !== undefined) builder.link(iri, BROADER, subject.value);
  if (Object.values(ABOUT).some((properties) => properties.includes(predicate.value))) {
    found.others ??= new Map();
    if (!found.others.has(predicate.value)) found.others.set(predicate.value, object.value);
  }
}

function subjectOf(subjects: Map<string, Subject>, id: string): Subject {
  const known = subjects.get(id);
  if (known) return known;
  const flags = { isTerm: false, isScheme: false, obsolete: false };
  const subject: Subject = {
    ...flags,
    labels: [],
    synonyms: [],
    definitions: [],
    replacedBy: [],
    others: undefined,
  };
  subjects.set(id, subject);
  return subject;
}

/** English first, then without a language, then the first; labels in other languages are synonyms. */
function addTerm(id: string, subject: Subject, builder: SnapshotBuilder): void {
  const label = preferred(subject.labels);
  const others = subject.labels.map(({ text }) => text).filter((text) => text !== label);
  builder.add({
    id,
    label,
    synonyms: [...others, ...subject.synonyms],
    definition: preferred(subject.definitions),
    obsolete: subject.obsolete,
    replacedBy: subject.replacedBy,
  });
}

function preferred(texts: readonly Text[]): string | undefined {
  const inLanguage = (test: (language: string) => boolean) => texts.find(({ language }) => test(language));
  const english = inLanguage((language) => /^en(?:-|$)/.test(language));
  return (english ?? inLanguage((language) => language === '') ?? texts[0])?.text;
}
