/** The queries of an enum for terms of vocabularies: `reachable_from`, `matches`, `concepts`, `code_set`. */
import { type Definition, flagOf, isMapping, textsOf, yamlText } from '../load/definitions.ts';
import type { TermForm, TermQuery } from '../terms/value-sets.ts';
import {
  BROADER,
  idIn,
  possibleIds,
  SUBCLASS_OF,
  type Vocabulary,
  vocabularyNamed,
  writtenId,
} from '../terms/vocabulary.ts';
import type { DefinitionContext } from './definition-context.ts';

/** The queries that can be run, and by element the vocabulary that another query lacks. */
type FoundQueries = {
  readonly queries: readonly TermQuery[];
  readonly missing: ReadonlyMap<string, string>;
};

export function termQueries(
  context: DefinitionContext,
  source: Definition,
  form: TermForm,
  where: string,
): FoundQueries {
  const queries: TermQuery[] = [];
  const missing = new Map<string, string>();
  const { reachable_from: reachable, matches } = source;
  const codeSet = yamlText(source.code_set);
  const concepts = textsOf(source.concepts);
  if (isMapping(reachable)) {
    const query = reachableQuery(context, reachable, where);
    if (query) queries.push(query);
    else missing.set('reachable_from', askedFor(reachable));
  }
  if (isMapping(matches)) {
    const found = matchQueries(context, matches);
    queries.push(...found);
    if (found.length === 0) missing.set('matches', askedFor(matches));
  }
  if (concepts.length > 0) {
    const query = conceptQuery(context, concepts, where);
    if (query.vocabulary || form !== 'LABEL') queries.push(query);
    else missing.set('concepts', askedFor({ source_nodes: concepts }));
  }
  if (codeSet !== undefined) {
    const vocabulary = vocabularyNamed(context.terms, codeSet, context.prefixes);
    if (vocabulary) queries.push({ ...EVERYTHING, vocabulary });
    else missing.set('code_set', codeSet);
  }
  return { queries, missing };
}

const EVERYTHING = {
  kind: 'reachable',
  nodes: undefined,
  relations: new Set<string>(),
  direct: false,
  self: true,
  up: false,
} as const;

/** The vocabulary that a query lacks, as messages name it. */
function askedFor(query: Definition): string {
  const [node = ''] = textsOf(query.source_nodes);
  return yamlText(query.source_ontology) ?? (/^[^:]+(?=:)/.exec(node)?.[0] || 'a vocabulary');
}

/** The vocabulary that a query names, else the first that has one of its nodes. */
function vocabularyOf(
  context: DefinitionContext,
  query: Definition,
  nodes: readonly string[],
): Vocabulary | undefined {
  const { terms, prefixes } = context;
  const source = yamlText(query.source_ontology);
  const named = source === undefined ? undefined : vocabularyNamed(terms, source, prefixes);
  const hasNode = (vocabulary: Vocabulary) =>
    nodes.some((node) => idIn(vocabulary, node, prefixes) !== undefined);
  return named ?? Object.values(terms).find(hasNode);
}

function reachableQuery(context: DefinitionContext, query: Definition, where: string): TermQuery | undefined {
  const written = textsOf(query.source_nodes);
  const vocabulary = vocabularyOf(context, query, written);
  if (!vocabulary) return undefined;
  const relations = textsOf(query.relationship_types).flatMap((relation) => relationIris(relation, context));
  return {
    kind: 'reachable',
    vocabulary,
    nodes:
      written.length === 0 ? undefined : knownIds(context, vocabulary, written, `${where}.reachable_from`),
    relations: new Set(relations.length === 0 ? [SUBCLASS_OF, BROADER] : relations),
    direct: flagOf(query.is_direct) ?? false,
    self: flagOf(query.include_self) ?? false,
    up: flagOf(query.traverse_up) ?? false,
  };
}

/** Prefixes of relations that schemas use without declaring them. */
const RELATION_PREFIXES: Readonly<Record<string, string>> = {
  rdfs: 'http://www.w3.org/2000/01/rdf-schema#',
  rdf: 'http://www.w3.org/1999/02/22-rdf-syntax-ns#',
  skos: 'http://www.w3.org/2004/02/skos/core#',
  owl: 'http://www.w3.org/2002/07/owl#',
};

function relationIris(relation: string, { prefixes }: DefinitionContext): string[] {
  if (relation === 'is_a') return [SUBCLASS_OF];
  const [, prefix = '', name = ''] = /^(\w+):(\w+)$/.exec(relation) ?? [];
  const known = RELATION_PREFIXES[prefix];
  return [...possibleIds(relation, prefixes), ...(known === undefined ? [] : [known + name])];
}

/** The ids of terms that a schema names; those that are not current terms of the vocabulary are reported. */
function knownIds(
  context: DefinitionContext,
  vocabulary: Vocabulary,
  written: readonly string[],
  where: string,
): string[] {
  return written.map((text) => {
    const id = idIn(vocabulary, text, context.prefixes) ?? possibleIds(text, context.prefixes)[0]!;
    const term = vocabulary.term(id);
    if (!term) context.warn(`${where}: ${text} is not a term of the vocabulary.`, 'term_unknown');
    else if (term.obsolete) {
      const [next] = term.replacedBy.map((other) => writtenId(other, context.prefixes));
      context.warn(
        `${where}: the term ${text} is obsolete.${next === undefined ? '' : ` It is replaced by ${next}.`}`,
        'term_obsolete',
      );
    }
    return id;
  });
}

/** One query for the vocabulary that is named, or for each if none is. */
function matchQueries(context: DefinitionContext, query: Definition): TermQuery[] {
  const pattern = yamlText(query.identifier_pattern) ?? '';
  const isNamed = query.source_ontology !== undefined && query.source_ontology !== null;
  const vocabularies = isNamed
    ? [vocabularyOf(context, query, [])].filter((one) => one !== undefined)
    : Object.values(context.terms);
  const { test } = context.compilePattern(pattern);
  return vocabularies.map((vocabulary) => ({ kind: 'matches', vocabulary, pattern, test }));
}

function conceptQuery(context: DefinitionContext, concepts: readonly string[], where: string): TermQuery {
  const vocabulary = vocabularyOf(context, {}, concepts);
  if (vocabulary) knownIds(context, vocabulary, concepts, `${where}.concepts`);
  const ids = new Set(concepts.flatMap((concept) => possibleIds(concept, context.prefixes)));
  return { kind: 'concepts', vocabulary, ids };
}
