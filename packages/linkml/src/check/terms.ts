/** Reports a value that is not a term of its enum. */
import type { Prefixes } from '../curie.ts';
import type { EnumDefinition } from '../model.ts';
import {
  type Candidates,
  candidatesIn,
  didYouMean,
  type SuggestionBudget,
  spendSuggestion,
} from '../suggestions.ts';
import { describeQuery, queriesOf, type TermForm, type TermVerdict } from '../terms/value-sets.ts';
import { codeOf, type Term, type Terms, type Vocabulary, writtenId } from '../terms/vocabulary.ts';
import { either, type RecordPath, type Run, reportProblem, shownValue } from './report.ts';

/** The input of checks of terms. */
export type TermContext = { readonly prefixes: Prefixes; readonly terms: Terms };

/** A value that is not a member of its enum, with the label beside it. */
export type RefusedTerm = {
  readonly value: string;
  readonly verdict: Exclude<TermVerdict, { kind: 'member' }>;
  readonly label: string | undefined;
};

export function refuseTerm(
  { value, verdict, label }: RefusedTerm,
  definition: EnumDefinition,
  at: RecordPath,
  run: Run,
  { prefixes }: TermContext,
): undefined {
  const queries = queriesOf(definition.terms!);
  const { expected, candidates } = membersOf(definition, prefixes);
  const start = `found ${shownValue(value)}`;
  if (verdict.kind === 'outside')
    return reportProblem(
      run,
      'term_outside',
      at,
      `${start}${inBrackets(verdict.term)}, expected ${expected}.`,
      value,
    );
  if (verdict.kind === 'obsolete') {
    const vocabularies = vocabulariesOf(queries);
    const { replacedBy } = verdict.term;
    const next = replacedBy.map((id) => shownTerm(id, vocabularies, definition.form, prefixes));
    const form = definition.form ?? (value.includes('://') ? 'URI' : undefined);
    const instead =
      replacedBy.length === 1 ? termAsValue(replacedBy[0]!, vocabularies, form, prefixes) : undefined;
    const hint = next.length === 0 ? '' : ` Use ${either(next)} instead.`;
    return reportProblem(
      run,
      'term_obsolete',
      at,
      `${start}${inBrackets(verdict.term)}, which is obsolete.${hint}`,
      value,
      instead,
    );
  }
  return reportProblem(
    run,
    'term_unknown',
    at,
    `${start}, which is not a term of the vocabulary, expected ${expected}.`,
    value,
    undefined,
    (budget) => {
      const guess = guessOf(label ?? value, vocabulariesOf(queries), budget);
      return guess
        ? ` Did you mean ${shownTerm(guess.term.id, [guess.vocabulary], definition.form, prefixes)}?`
        : didYouMean(value, candidates, JSON.stringify, budget);
    },
  );
}

/** The members of an enum of terms, for messages. */
type Members = { readonly expected: string; readonly candidates: Candidates };

const described = new WeakMap<EnumDefinition, Members>();

function membersOf(definition: EnumDefinition, prefixes: Prefixes): Members {
  const before = described.get(definition);
  if (before) return before;
  const asked = queriesOf(definition.terms!).map((query) => describeQuery(query, prefixes));
  const listed = [...definition.values.keys()].map((text) => JSON.stringify(text));
  const expected = `${either([...new Set([...asked, ...listed])])} (${definition.name})`;
  const members = { expected, candidates: candidatesIn(() => definition.values.keys()) };
  described.set(definition, members);
  return members;
}

function vocabulariesOf(queries: readonly { vocabulary: Vocabulary | undefined }[]): Vocabulary[] {
  return [...new Set(queries.map(({ vocabulary }) => vocabulary).filter((one) => one !== undefined))];
}

/** The current term with the nearest label. */
function guessOf(
  label: string,
  vocabularies: readonly Vocabulary[],
  budget: SuggestionBudget,
): { term: Term; vocabulary: Vocabulary } | undefined {
  for (const vocabulary of vocabularies) {
    const term = spendSuggestion(budget) ? vocabulary.nearest(label, budget) : undefined;
    if (term) return { term, vocabulary };
  }
  return undefined;
}

function inBrackets({ label }: Term): string {
  return label === undefined ? '' : ` (${label})`;
}

/** A term as it would be a value, with its label. */
export function shownTerm(
  id: string,
  vocabularies: readonly Vocabulary[],
  form: TermForm,
  prefixes: Prefixes,
): string {
  const term = termIn(vocabularies, id);
  const text = termAsValue(id, vocabularies, form, prefixes);
  if (form === 'LABEL' && term?.label !== undefined) return JSON.stringify(text);
  return term ? `${text}${inBrackets(term)}` : text;
}

/** A term as a value of an enum. */
export function termAsValue(
  id: string,
  vocabularies: readonly Vocabulary[],
  form: TermForm,
  prefixes: Prefixes,
): string {
  if (form === 'LABEL') return termIn(vocabularies, id)?.label ?? writtenId(id, prefixes);
  return form === 'URI' ? id : form === 'CODE' ? codeOf(id) : writtenId(id, prefixes);
}

function termIn(vocabularies: readonly Vocabulary[], id: string): Term | undefined {
  return vocabularies.map((vocabulary) => vocabulary.term(id)).find((one) => one !== undefined);
}
