/**
 * The values of an enum that are not listed: which terms of vocabularies belong to it, and why another value does not.
 */
import type { Prefixes } from '../curie.ts';
import { codeOf, possibleIds, type Term, type Vocabulary, writtenId } from './vocabulary.ts';

/** How a term is written as a value (`pv_formula`); without a formula, as a CURIE or an IRI. */
export type TermForm = 'CODE' | 'CURIE' | 'URI' | 'LABEL' | undefined;

/** Terms of a vocabulary that a schema asks for; ids are those of the vocabulary. */
export type TermQuery =
  /** `reachable_from`; without nodes all terms, as with `code_set`. */
  | {
      readonly kind: 'reachable';
      readonly vocabulary: Vocabulary;
      readonly nodes: readonly string[] | undefined;
      readonly relations: ReadonlySet<string>;
      readonly direct: boolean;
      readonly self: boolean;
      /** Whether the terms are above the nodes (`traverse_up`), not below them. */
      readonly up: boolean;
    }
  /** `matches`: terms whose CURIE, or whose id, matches a pattern. */
  | {
      readonly kind: 'matches';
      readonly vocabulary: Vocabulary;
      readonly pattern: string;
      readonly test: (text: string) => boolean;
    }
  /** `concepts`: the ids in all their forms; they need no vocabulary but for labels. */
  | {
      readonly kind: 'concepts';
      readonly vocabulary: Vocabulary | undefined;
      readonly ids: ReadonlySet<string>;
    };

/** A set of values: the listed ones, those of queries and those of other sets, without those that are taken away. */
export type ValueSet = {
  readonly listed: ReadonlySet<string>;
  readonly queries: readonly TermQuery[];
  readonly parts: readonly ValueSet[];
  readonly minus: readonly ValueSet[];
};

/** Why a value does or does not belong to a set. */
export type TermVerdict =
  | { readonly kind: 'member'; readonly term: Term | undefined }
  | { readonly kind: 'unknown' }
  | { readonly kind: 'obsolete' | 'outside'; readonly term: Term };

type ValueSetTest = (value: string) => TermVerdict;

/** Values whose verdicts are kept. */
const MOST_KEPT = 10_000;

/** Compiles the test of a set; verdicts are kept, since the same terms come again and again. */
export function compileValueSet(set: ValueSet, form: TermForm, prefixes: Prefixes): ValueSetTest {
  const kept = new Map<string, TermVerdict>();
  return (value) => {
    const before = kept.get(value);
    if (before) return before;
    const verdict = judge(set, value, form, prefixes);
    if (kept.size >= MOST_KEPT) kept.clear();
    kept.set(value, verdict);
    return verdict;
  };
}

/** The queries of a set and its parts: what a value has to come from. */
export function queriesOf(set: ValueSet): TermQuery[] {
  const sets = new Set([set]);
  for (const { parts } of sets) for (const part of parts) sets.add(part);
  return [...sets].flatMap(({ queries }) => queries);
}

function judge(set: ValueSet, value: string, form: TermForm, prefixes: Prefixes): TermVerdict {
  const terms = queriesOf(set).flatMap(({ vocabulary }) => {
    const term = vocabulary && idsOf(vocabulary, value, form, prefixes).map((id) => vocabulary.term(id));
    return term?.filter((one) => one !== undefined) ?? [];
  });
  if (membership(value, form, prefixes)(set)) return { kind: 'member', term: terms[0] };
  if (terms.length === 0) return { kind: 'unknown' };
  const current = terms.find((term) => !term.obsolete);
  return current ? { kind: 'outside', term: current } : { kind: 'obsolete', term: terms[0]! };
}

/** Tests sets for a value. Sets share parts, so each is judged once. */
function membership(value: string, form: TermForm, prefixes: Prefixes): (set: ValueSet) => boolean {
  const judged = new Map<ValueSet, boolean>();
  const isIn = (set: ValueSet): boolean => {
    const before = judged.get(set);
    if (before !== undefined) return before;
    const given =
      set.listed.has(value) ||
      set.queries.some((query) => isFound(query, value, form, prefixes)) ||
      set.parts.some(isIn);
    const verdict = given && !set.minus.some(isIn);
    judged.set(set, verdict);
    return verdict;
  };
  return isIn;
}

/** The ids that a value may stand for in a vocabulary. */
function idsOf(vocabulary: Vocabulary, value: string, form: TermForm, prefixes: Prefixes): string[] {
  if (form === 'LABEL') return [...vocabulary.labeled(value)];
  if (form === 'CODE') return [...vocabulary.coded(value)];
  return idsIn(value, form, prefixes).filter((id) => vocabulary.mentions(id));
}

function idsIn(value: string, form: TermForm, prefixes: Prefixes): string[] {
  const isIri = value.includes('://');
  return (form === 'CURIE' && isIri) || (form === 'URI' && !isIri) ? [] : possibleIds(value, prefixes);
}

function isFound(query: TermQuery, value: string, form: TermForm, prefixes: Prefixes): boolean {
  const { vocabulary } = query;
  if (query.kind === 'concepts') {
    if (form === 'LABEL' && vocabulary)
      return idsOf(vocabulary, value, form, prefixes).some((id) => query.ids.has(id));
    if (form === 'CODE') return [...query.ids].some((id) => codeOf(id) === value);
    return idsIn(value, form, prefixes).some((id) => query.ids.has(id));
  }
  return idsOf(query.vocabulary, value, form, prefixes).some((id) => {
    const term = query.vocabulary.term(id);
    if (!term) return false;
    if (query.kind === 'reachable') return isReachable(query, term);
    return !term.obsolete && [writtenId(id, prefixes), id].some(query.test);
  });
}

type Reachability = Extract<TermQuery, { kind: 'reachable' }>;

/** The tests of queries that reach further than one edge: they remember what they have found out. */
const reached = new WeakMap<Reachability, (id: string) => boolean>();

/** An obsolete term is never reached, even if edges still lead to it. */
function isReachable(query: Reachability, { id, obsolete }: Term): boolean {
  const { vocabulary, nodes, relations, direct, self, up } = query;
  if (obsolete) return false;
  if (nodes === undefined) return true;
  if (self && nodes.includes(id)) return true;
  if (direct)
    return nodes.some((node) => node !== id && (up ? isParent(query, id, node) : isParent(query, node, id)));
  const test = reached.get(query) ?? vocabulary.reach(nodes, relations, up ? 'above' : 'below');
  reached.set(query, test);
  return test(id);
}

function isParent({ vocabulary, relations }: Reachability, parent: string, id: string): boolean {
  return vocabulary.parents(id).some((link) => link.id === parent && relations.has(link.relation));
}

/** Describes the values that a query accepts. */
export function describeQuery(query: TermQuery, prefixes: Prefixes): string {
  const shown = (id: string) => {
    const label = query.vocabulary?.term(id)?.label;
    return `${writtenId(id, prefixes)}${label === undefined ? '' : ` (${label})`}`;
  };
  if (query.kind === 'matches') return `a term that matches ${query.pattern}`;
  if (query.kind === 'concepts') return 'one of the concepts of the enum';
  if (query.nodes === undefined) return 'a term of the vocabulary';
  const nodes = query.nodes.slice(0, 5).map(shown).join(', ');
  const side = query.up ? 'above' : 'below';
  return `a term ${query.direct ? 'directly ' : ''}${side} ${nodes}${query.nodes.length > 5 ? ' and others' : ''}`;
}
