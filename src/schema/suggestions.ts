/** The nearest of the names that would have been right, for messages about a typing error. */
import { differenceOf, lookAlike } from './look-alikes.ts';

/** The nearest name, if one is near enough to be suggested; of equally near ones the first. */
export function nearest(name: string, candidates: Iterable<string>): string | undefined {
  if (name.length > 100) return undefined;
  const folded = fold(name);
  let best: string | undefined;
  // Of two letters, half would be another word: `kg` for `mg`.
  let bestDistance = folded.length < 3 ? 1 : Math.floor(folded.length / 3) + 1;
  for (const candidate of candidates) {
    if (Math.abs(candidate.length - name.length) >= bestDistance + 3) continue;
    const distance = editDistance(folded, fold(candidate), bestDistance);
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

/** The sentence of a message that proposes the nearest name, after a space; empty if none is near. */
export function didYouMean(
  name: string,
  candidates: Iterable<string>,
  shown = (candidate: string) => candidate,
): string {
  const all = [...candidates];
  const alike = lookAlike(name, all);
  if (alike !== undefined)
    return ` Did you mean ${shown(alike)}? It looks the same, but what was found ${differenceOf(name, alike)}.`;
  const meant = nearest(name, all);
  return meant === undefined ? '' : ` Did you mean ${shown(meant)}?`;
}

/** More names get none: each is compared with all candidates, and a file may have tens of thousands of both. */
const MOST_SUGGESTIONS = 50;

/** The suggestions for one file. */
export class Suggestions {
  #left = MOST_SUGGESTIONS;

  /** See {@link didYouMean}. */
  didYouMean(name: string, candidates: () => Iterable<string>): string {
    return this.#left-- > 0 ? didYouMean(name, candidates()) : '';
  }
}

/** Ignores case and separators. */
function fold(name: string): string {
  return name.toLowerCase().replace(/[\s_-]+/g, '');
}

/** Insertions, deletions, replacements and swaps of neighbours; `limit` or more is answered with `limit`. */
function editDistance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) >= limit) return limit;
  let before: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1];
      let cost = Math.min(row[j - 1]! + 1, previous[j]! + 1, previous[j - 1]! + (same ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        cost = Math.min(cost, before[j - 2]! + 1);
      row.push(cost);
    }
    before = previous;
    previous = row;
  }
  return Math.min(previous[b.length]!, limit);
}
