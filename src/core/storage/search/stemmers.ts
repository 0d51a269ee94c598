/** The stems of words, by the Snowball algorithms of a language: `laufen` and `läufst` have one. */
import { createRequire } from 'node:module';

export const LANGUAGES = [
  'danish',
  'dutch',
  'english',
  'finnish',
  'french',
  'german',
  'hungarian',
  'italian',
  'norwegian',
  'portuguese',
  'romanian',
  'russian',
  'spanish',
  'swedish',
  'turkish',
] as const;
export type Language = (typeof LANGUAGES)[number];

type Stemmer = (word: string) => string;

const require = createRequire(import.meta.url);
const stemmers = new Map<Language, Stemmer>();

/** The stem of a word as it is written, not folded: umlauts matter. */
export function stemOf(word: string, language: Language): string {
  return stemmerOf(language)(word.normalize('NFC').toLowerCase());
}

/** Loads the stemmer of a language at its first use: each thread would have all of them, and a collection has one. */
function stemmerOf(language: Language): Stemmer {
  let stemmer = stemmers.get(language);
  if (!stemmer) {
    ({ stemmer } = require(`@orama/stemmers/${language}`) as { readonly stemmer: Stemmer });
    stemmers.set(language, stemmer);
  }
  return stemmer;
}
