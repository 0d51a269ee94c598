/** Finds terms for a person who types: labels that start with the words come first, short ones before long ones. */
import { fold } from '../folding.ts';
import { BROADER, SUBCLASS_OF, type Term } from '../terms/vocabulary.ts';
import type { Snapshot } from './snapshot.ts';
import { wordsOf } from './snapshot-format.ts';

export type TermSearch = {
  /** Words of a label or synonym; the last one may be unfinished. Empty: all terms, or those right below `under`. */
  readonly query: string;
  /** The id of a term: only terms below it. */
  readonly under: string | undefined;
  readonly limit: number;
  /** Which terms are found; all by default. */
  readonly isWanted?: ((term: Term) => boolean) | undefined;
};

/** Terms that are ranked by their labels; of more, those with the shortest labels are. */
const MOST_RANKED = 300;

/** The relations that `under` follows, and the tree of terms. */
export const HIERARCHY = new Set([SUBCLASS_OF, BROADER]);

/** Current terms that match, best first. */
export function searchTerms(
  snapshot: Snapshot,
  { query, under, limit, isWanted = () => true }: TermSearch,
): Term[] {
  const exact = snapshot.term(query.trim());
  if (exact) return [exact];
  const words = wordsOf(fold(query));
  if (words.length === 0) return firstTerms(snapshot, under, limit, isWanted);
  const all = snapshot.withAll(words, true);
  const found = under === undefined ? all : all.filter(snapshot.reachOfNumbers([under], HIERARCHY, 'below'));
  const folded = words.join(' ');
  return Array.from(shortest(found, snapshot), (number) => snapshot.termAt(number)!)
    .filter((term) => !term.obsolete && isWanted(term))
    .map((term) => ({ term, rank: rankOf(term, folded) }))
    .sort((a, b) => a.rank - b.rank || compareLabels(a.term, b.term))
    .slice(0, limit)
    .map(({ term }) => term);
}

/** The terms right below a term, or else the first ones of the vocabulary. */
function firstTerms(
  snapshot: Snapshot,
  under: string | undefined,
  limit: number,
  isWanted: (term: Term) => boolean,
): Term[] {
  const found: Term[] = [];
  const add = (term: Term | undefined) => {
    if (term && !term.obsolete && isWanted(term)) found.push(term);
  };
  if (under === undefined)
    for (const term of snapshot.all()) {
      if (found.length === limit) break;
      add(term);
    }
  else
    for (const { relation, id } of snapshot.children(under).slice(0, MOST_RANKED))
      if (HIERARCHY.has(relation)) add(snapshot.term(id));
  return found.sort(compareLabels).slice(0, limit);
}

/** Those with the shortest labels, if there are too many to look at all. */
function shortest(numbers: Uint32Array, snapshot: Snapshot): Iterable<number> {
  if (numbers.length <= MOST_RANKED) return numbers;
  const counts = new Uint32Array(256);
  for (const number of numbers) counts[snapshot.lengths[number]!]! += 1;
  let most = 0;
  for (let sum = counts[0]!; most < 255 && sum < MOST_RANKED; sum += counts[most]!) most += 1;
  const shorter: number[] = [];
  const last: number[] = [];
  for (const number of numbers) {
    const length = snapshot.lengths[number]!;
    if (length < most) shorter.push(number);
    else if (length === most && last.length < MOST_RANKED) last.push(number);
  }
  return [...shorter, ...last.slice(0, MOST_RANKED - shorter.length)];
}

function rankOf({ label, synonyms }: Term, query: string): number {
  const [name = '', ...others] = [label ?? '', ...synonyms].map((text) => wordsOf(fold(text)).join(' '));
  if (name === query) return 0;
  if (others.includes(query)) return 1;
  if (name.startsWith(query)) return 2;
  if (others.some((other) => other.startsWith(query))) return 3;
  return name.includes(query) ? 4 : 5;
}

function compareLabels(a: Term, b: Term): number {
  const [first, second] = [a.label ?? a.id, b.label ?? b.id];
  return first.length - second.length || (first < second ? -1 : first > second ? 1 : 0);
}
