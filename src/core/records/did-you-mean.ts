/**
 * What somebody may have meant by words that no record has: all words that differ from them in one letter are looked for at once, and
 * the one that most of the best records have is proposed. So it is a word of records that the caller sees, and finds some.
 */

import { scalarsIn } from '#linkml/folding.ts';
import { type JsonObject, parseJson } from '#linkml/json.ts';
import type { Term, WordQuery } from '../storage/search/word-query.ts';
import type { ListedRecord } from '../storage/store.ts';
import { tokensIn } from '../storage/tokens.ts';

/** Letters of a word that may be misspelled: shorter ones are near to too many, and longer ones are rarely typed. */
const LENGTH = { least: 4, most: 20 };
/** Words of a query for which others are looked for. */
const MOST_WRONG = 2;
const LETTERS = 'abcdefghijklmnopqrstuvwxyz';

type Find = (
  query: WordQuery,
) => Promise<{ readonly total: number; readonly records: readonly ListedRecord[] }>;

/**
 * @param find the first records of a query
 * @returns the query as it may have been meant; undefined if nothing is near
 */
export async function didYouMeanWords(q: string, query: WordQuery, find: Find): Promise<string | undefined> {
  const wrong: Term[] = [];
  for (const term of query.groups.flat()) {
    const [word = '', ...others] = term.tokens;
    if (others.length > 0 || !isWord(word)) continue;
    const exact = { ...term, isPrefix: false };
    if ((await find({ ...query, groups: [[exact]] })).total === 0) wrong.push(term);
    if (wrong.length > MOST_WRONG) return undefined;
  }
  if (wrong.length === 0) return undefined;
  const near = new Map(wrong.map((term) => [term, edits(term.tokens[0]!)]));
  const groups = query.groups.map((terms) =>
    terms.flatMap((term): Term[] => {
      const words = near.get(term);
      if (!words) return [term];
      return [...words].map((word) => ({ ...term, tokens: [word], isPrefix: false, forms: [], stems: [] }));
    }),
  );
  const { records } = await find({ ...query, groups });
  let meant = q;
  for (const [{ text }, words] of near) {
    const counts = new Map<string, number>();
    for (const { json } of records)
      for (const token of new Set(scalarsIn(parseJson(json) as JsonObject).flatMap(tokensIn)))
        if (words.has(token)) counts.set(token, (counts.get(token) ?? 0) + 1);
    const [best] = [...counts].sort(([a, one], [b, other]) => other - one || (a < b ? -1 : 1));
    if (!best) return undefined;
    meant = meant.replace(text, best[0]);
  }
  return meant;
}

const isWord = (word: string) =>
  /^\p{L}+$/u.test(word) && word.length >= LENGTH.least && word.length <= LENGTH.most;

/** The words that differ in one letter, or in the order of two. */
function edits(word: string): Set<string> {
  const letters = new Set([...LETTERS, ...word]);
  const found = new Set<string>();
  for (let at = 0; at <= word.length; at++) {
    const [before, behind] = [word.slice(0, at), word.slice(at)];
    for (const letter of letters) found.add(before + letter + behind);
    if (behind === '') continue;
    found.add(before + behind.slice(1));
    if (behind.length > 1) found.add(before + behind[1]! + behind[0]! + behind.slice(2));
    for (const letter of letters) found.add(before + letter + behind.slice(1));
  }
  found.delete(word);
  return found;
}
