/**
 * Vocabularies as the engine sees them: ontologies, thesauri, lists of terms. A schema names them in enums whose values it
 * does not list, and get it as the option `terms`. All methods answer at once: a check never waits.
 */
import type { Prefixes as AllPrefixes } from '../curie.ts';
import type { SuggestionBudget } from '../suggestions.ts';

/** A schema has these, too. */
type Prefixes = Pick<AllPrefixes, 'expand' | 'compact'>;

export type Term = {
  /** The IRI; the identifier as the source writes it if it has none. */
  readonly id: string;
  readonly label: string | undefined;
  readonly synonyms: readonly string[];
  readonly definition: string | undefined;
  readonly obsolete: boolean;
  /** The ids of the terms to use instead of an obsolete one. */
  readonly replacedBy: readonly string[];
};

/** An edge to another term. */
export type TermLink = {
  /** The IRI of the relation, such as `http://www.w3.org/2000/01/rdf-schema#subClassOf`. */
  readonly relation: string;
  readonly id: string;
};

export interface Vocabulary {
  /** Changes with its terms; without it, the digest of a schema does not depend on them. */
  readonly digest?: string;
  /** The IRIs by which schemas may name it besides its name: that of the ontology or concept scheme. */
  readonly iris: readonly string[];
  /** The term with exactly this id. */
  term(id: string): Term | undefined;
  /** Whether an id occurs in it, also if it is only the end of an edge. */
  mentions(id: string): boolean;
  /** The edges that lead up from a term: to broader terms, to what it is part of and so on. */
  parents(id: string): readonly TermLink[];
  /**
   * Prepares a test whether one of some ids, other than the tested one, is above an id (`below`) or below it (`above`), over some
   * relations. What is found out about one id serves the next.
   */
  reach(
    ids: readonly string[],
    relations: ReadonlySet<string>,
    side: 'below' | 'above',
  ): (id: string) => boolean;
  /** The ids of terms with exactly this label. */
  labeled(label: string): readonly string[];
  /** The ids that end in this code, behind the part that they share with others. */
  coded(code: string): readonly string[];
  /** Whether an id starts as ids of this vocabulary do, so it must be a term if it means anything. */
  covers(id: string): boolean;
  /** The term whose label or synonym is nearest to a string; none if finding it costs more than the budget. */
  nearest(label: string, budget?: SuggestionBudget): Term | undefined;
}

/** Vocabularies by the names that `source_ontology` uses: `cl` for `obo:cl`. */
export type Terms = Readonly<Record<string, Vocabulary>>;

export const SUBCLASS_OF = 'http://www.w3.org/2000/01/rdf-schema#subClassOf';
export const BROADER = 'http://www.w3.org/2004/02/skos/core#broader';

const OBO = 'http://purl.obolibrary.org/obo/';

/** The ids that a CURIE or IRI may have in a vocabulary: expanded, as written, and as OBO ontologies write it. */
export function possibleIds(curieOrIri: string, prefixes: Prefixes): string[] {
  const expanded = prefixes.expand(curieOrIri);
  const obo = /^([A-Za-z][\w.]*):(\w+)$/.exec(curieOrIri);
  return [
    ...(expanded === undefined ? [] : [expanded]),
    curieOrIri,
    ...(obo ? [`${OBO}${obo[1]}_${obo[2]}`] : []),
    prefixes.compact(curieOrIri),
  ];
}

/** The id under which a vocabulary has a CURIE or IRI. */
export function idIn(vocabulary: Vocabulary, curieOrIri: string, prefixes: Prefixes): string | undefined {
  return possibleIds(curieOrIri, prefixes).find((id) => vocabulary.mentions(id));
}

/** An id as messages and records write it: the CURIE of the schema, else that of OBO, else the id. */
export function writtenId(id: string, prefixes: Prefixes): string {
  const compact = prefixes.compact(id);
  const obo = new RegExp(`^${OBO}([A-Za-z.]+)_(\\w+)$`).exec(id);
  return compact === id && obo ? `${obo[1]}:${obo[2]}` : compact;
}

/** The vocabulary that a `source_ontology` names: by its name, behind the prefix if it has one, or by its IRI. */
export function vocabularyNamed(terms: Terms, source: string, prefixes: Prefixes): Vocabulary | undefined {
  const iri = prefixes.expand(source) ?? source;
  const last = /([^/#:]+?)(?:\.(?:owl|obo|json|ttl|csv))?[/#]?$/.exec(source)?.[1]?.toLowerCase();
  for (const [name, vocabulary] of Object.entries(terms)) {
    if ([source.toLowerCase(), last].includes(name.toLowerCase())) return vocabulary;
    if (vocabulary.iris.includes(iri)) return vocabulary;
  }
  return undefined;
}

/** The part of an id behind what it shares with others. */
export function codeOf(id: string): string {
  return /[^/#:_]*$/.exec(id)![0];
}

/** Labels are compared without case and punctuation, as `linkml-term-validator` compares them. */
export function foldLabel(label: string): string {
  return label
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\p{M}_\s]/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim();
}
