/**
 * What people type into a search box, as a condition on the words of records: words, the last one as a prefix while it is typed;
 * `"a phrase"`, `-word`, `OR`, `word*`, and `abbr.` as one. Punctuation separates words, so `open-source` is the phrase of both.
 */

import { formsOfWhole, plainSigns, type RecordWords, signedIn, stemsIn, tokensIn } from '../tokens.ts';
import type { Language } from './stemmers.ts';
import { identifiersIn, initialsOf, readingsOf, SPACED_DAY, withSpaces } from './typed-words.ts';

/** One word or phrase of a query. */
export type Term = {
  /** As it was typed. */
  readonly text: string;
  /** They follow each other in one value. */
  readonly tokens: readonly string[];
  /** Whether the last token may go on. */
  readonly isPrefix: boolean;
  /** A record with one of these has the term as well. */
  readonly forms: readonly string[];
  /** So has one with one of these words, which do not go on. */
  readonly stems: readonly string[];
};

export type WordQuery = {
  /** A record has one term of each group. */
  readonly groups: readonly (readonly Term[])[];
  /** And none of these. */
  readonly excluded: readonly Term[];
  /** Whether it has words alone, and no quotes and operators. */
  readonly isPlain: boolean;
};

/** A shorter word that is typed is taken as it is: most records have a word that begins so. */
const SHORTEST_PREFIX = 3;
/** The sign of a number, which excludes no word. */
const MINUS = '\u2212';
const PART = new RegExp(`(-?)"(?<quoted>[^"]*)"?|(?<word>${SPACED_DAY}|\\S+)`, 'giu');
/** A word that says what the next one is, if that is an identifier: records may have that alone, too. */
const KIND = /^\(?(?:arxiv|doi|gnd|handle|id|isbn(?:-1[03])?|issn|orcid|pmcid|pmid|ror|viaf):?$/i;
const IDENTIFIER = /^\s+(?:id:?\s+)?(?:\S*?\d){4}/i;

/** @param language in which other words with the stem of a word are found as well */
export function parseQuery(query: string, language?: Language): WordQuery {
  const spaced = withSpaces(query);
  const text = plainSigns(spaced);
  const groups: Term[][] = [];
  const excluded: Term[] = [];
  let isPlain = true;
  let isAlternative = false;
  let isNegated = false;
  let before = '';
  for (const { 0: part, 1: sign, index, groups: { quoted, word } = {} } of text.matchAll(PART)) {
    if (word === 'OR' && groups.length > 0) {
      isAlternative = true;
      continue;
    }
    if (word === 'NOT' && index + part.length < text.length) {
      isNegated = true;
      continue;
    }
    // All words are needed anyway.
    if (word === 'AND' && groups.length > 0) continue;
    if (KIND.test(word ?? '') && IDENTIFIER.test(text.slice(index + part.length))) continue;
    const source = spaced.slice(index, index + part.length);
    const isExcluded =
      isNegated || ((sign === '-' || /^-+[^-]/.test(word ?? '')) && !source.startsWith(MINUS));
    const isTyped = index + part.length === text.length && !isExcluded;
    const terms = (
      quoted === undefined
        ? termsOf({
            word: word!.replace(/^-+/, ''),
            text: source.replace(/^-+/, ''),
            before,
            isTyped,
            language,
          })
        : [{ text: quoted, tokens: tokensIn(quoted), isPrefix: false, forms: [], stems: [] }]
    ).filter(({ tokens }) => tokens.length > 0);
    before = word ?? '';
    if (terms.length === 0) continue;
    if (isExcluded) excluded.push(...terms);
    else if (isAlternative) groups.at(-1)!.push(...terms);
    else groups.push(terms);
    isPlain &&= quoted === undefined && !isExcluded && !isAlternative;
    isAlternative = false;
    isNegated = false;
  }
  return { groups: isPlain ? withIdentifiers(groups) : groups, excluded, isPlain };
}

/** A word as it was typed, and what is known of it. */
type TypedWord = {
  readonly word: string;
  readonly text: string;
  /** The word before it. */
  readonly before: string;
  /** Whether it may go on. */
  readonly isTyped: boolean;
  readonly language: Language | undefined;
};

/** A word, and what else a record may have for it. */
function termsOf({ word, text, before, isTyped, language }: TypedWord): Term[] {
  const readings = readingsOf(word).map((one) => termOf(one, one, isTyped && word.endsWith(one), language));
  const initials = initialsOf(word, before);
  return [
    termOf(word, text, isTyped, language),
    ...readings,
    ...(initials === undefined ? [] : [exactly(text, initials)]),
  ];
}

/** Adds to each word of what may be an identifier all of its words as one: a record with that has each of them. */
function withIdentifiers(groups: readonly Term[][]): Term[][] {
  const tokens = groups.map(([term]) => (term?.tokens.length === 1 ? term.tokens[0]! : ''));
  const found = identifiersIn(tokens).map(({ from, to, joined }) => {
    const { text, isPrefix } = groups[to - 1]![0]!;
    return { from, to, term: { text, tokens: tokensIn(joined), isPrefix, forms: [], stems: [] } };
  });
  return groups.map((terms, at) => [
    ...terms,
    ...found.flatMap(({ from, to, term }) => (at >= from && at < to ? term : [])),
  ]);
}

const exactly = (text: string, token: string): Term => ({
  ...{ text, tokens: [token], isPrefix: false, forms: [], stems: [] },
});

function termOf(word: string, text: string, isTyped: boolean, language: Language | undefined): Term {
  const [signed, ...others] = signedIn(word);
  const rest = signed === undefined ? '' : word.toLowerCase().replace(signed, '');
  // `C++` is not `C`, and `.net` is not a network.
  if (signed !== undefined && others.length === 0 && tokensIn(rest).length === 0)
    return exactly(text, signed);
  const tokens = tokensIn(word);
  const last = tokens.at(-1) ?? '';
  const isPrefix = (isTyped || /[*.]$/.test(word)) && last.length >= SHORTEST_PREFIX;
  const stems = tokens.length === 1 ? stemsIn(text, language) : [];
  return { text, tokens, isPrefix, forms: formsOfWhole(text), stems };
}

/** How many words a query has. */
export function wordsIn({ groups, excluded }: WordQuery): number {
  return [...groups.flat(), ...excluded].reduce((sum, { tokens }) => sum + tokens.length, 0);
}

/** How well a record meets a query: `head` if its title and identifiers have every word. */
export type Standing = 'head' | 'body';

/** Judges the words of a record as the index does. */
export function standingOf({ groups, excluded }: WordQuery, words: RecordWords): Standing | undefined {
  const all = [...words.head, ...words.body, ...words.forms.map((form) => [form])];
  const has = (values: readonly (readonly string[])[], term: Term) =>
    values.some((value) => hasTerm(value, term));
  if (!groups.every((terms) => terms.some((term) => has(all, term)))) return undefined;
  if (excluded.some((term) => has(all, term))) return undefined;
  const isHead = groups.length > 0 && groups.every((terms) => terms.some((term) => has(words.head, term)));
  return isHead ? 'head' : 'body';
}

/** The terms of a query that begin at a token of a string, and of how many tokens they are. */
export function termsAt(
  { groups }: WordQuery,
  placed: readonly { readonly token: string; readonly isForm?: boolean }[],
  at: number,
): [term: Term, length: number][] {
  const { token, isForm = false } = placed[at]!;
  return groups.flat().flatMap((term): [Term, number][] => {
    const { tokens } = term;
    const rest = placed.slice(at, at + tokens.length);
    const isPhrase =
      rest.length === tokens.length &&
      (tokens.length === 1 || !rest.some((one) => one.isForm)) &&
      hasTerm(
        rest.map((one) => one.token),
        { ...term, forms: [], stems: [] },
      );
    if (isPhrase) return [[term, tokens.length]];
    return (isForm || term.stems.includes(token)) && hasTerm([token], term) ? [[term, 1]] : [];
  });
}

/** Whether the words of a value have a term. */
function hasTerm(value: readonly string[], { tokens, isPrefix, forms, stems }: Term): boolean {
  const isForm = (token: string) =>
    stems.includes(token) || forms.some((form) => token === form || (isPrefix && token.startsWith(form)));
  if (forms.length + stems.length > 0 && value.some(isForm)) return true;
  const last = tokens.length - 1;
  for (let at = 0; at + last < value.length; at++) {
    if (!tokens.slice(0, last).every((token, next) => value[at + next] === token)) continue;
    const end = value[at + last]!;
    if (end === tokens[last] || (isPrefix && end.startsWith(tokens[last]!))) return true;
  }
  return false;
}
