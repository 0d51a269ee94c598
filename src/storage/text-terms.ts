/** What the text index is asked for to find strings: their rarest trigrams. */
import type { TrigramFrequencies } from './trigram-frequencies.ts';

/** Trigrams of which a record has at least one, and about how many records that are. */
export type Term = { readonly anyOf: readonly string[]; readonly records: number };

/** More terms would have the index walk long lists, and the caller decides about candidates in the end. */
const ENOUGH_TERMS = 3;
/** A string of one or two characters has so many trigrams that begin with it, in so many records, at most. */
const MOST_ALTERNATIVES = 100;
const MOST_RECORDS_OF_SHORT = 50_000;

/** The trigrams that a string must contain to contain all of these. */
export function trigramsOf(strings: readonly string[]): string[] {
  const trigrams = new Set<string>();
  for (const string of strings) {
    const characters = [...string];
    for (let i = 0; i + 3 <= characters.length; i++) trigrams.add(characters.slice(i, i + 3).join(''));
  }
  return [...trigrams].filter(isIndexed);
}

/** The rarest terms of some folded strings; none if the strings are too short and too common. */
export function termsOf(
  strings: readonly string[],
  revision: number,
  frequencies: TrigramFrequencies,
): Term[] {
  const terms: Term[] = trigramsOf(strings).map((text) => ({
    anyOf: [text],
    records: frequencies.of(text, revision),
  }));
  const rarest = terms.sort((a, b) => a.records - b.records).slice(0, ENOUGH_TERMS);
  for (const string of strings) {
    if ([...string].length >= 3 || string === '' || !isIndexed(string)) continue;
    const term = startingWith(string, frequencies);
    if (term) rarest.push(term);
  }
  return rarest;
}

function startingWith(start: string, frequencies: TrigramFrequencies): Term | undefined {
  const anyOf: string[] = [];
  let records = 0;
  for (const one of frequencies.startingWith(start)) {
    anyOf.push(one.trigram);
    records += one.records;
    if (anyOf.length > MOST_ALTERNATIVES || records > MOST_RECORDS_OF_SHORT) return undefined;
  }
  return { anyOf, records };
}

/** The terms as a query of FTS5; `undefined` if no record has one of them. */
export function matchQuery(terms: readonly Term[]): string | undefined {
  if (terms.some(({ anyOf }) => anyOf.length === 0)) return undefined;
  const quoted = (trigram: string) => `"${trigram.replaceAll('"', '""')}"`;
  return terms.map(({ anyOf }) => `(${anyOf.map(quoted).join(' OR ')})`).join(' AND ');
}

/** SQLite stores neither NUL nor halves of characters. */
const isIndexed = (text: string) => !/[\0\p{Cs}]/u.test(text);
