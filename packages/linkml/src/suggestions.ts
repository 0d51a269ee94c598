/** The nearest of the names that would have been right, for messages about a typing error. */
import { grouped } from './grouped.ts';
import { differenceOf, LONGEST_COMPARED, looksOf } from './look-alikes.ts';

/**
 * The work that help in messages may still cost: near names, terms and examples. A request shares one among all its records, a
 * file among all its faults. Plain data, so that a copy can be sent to a thread.
 */
export type SuggestionBudget = {
  /** Suggestions that may still be looked for. */
  names: number;
  /** Letters that may still be compared. */
  letters: number;
};

/** What the suggestions of a request or a file cost together, and those of one record: a few milliseconds. */
const OF_REQUEST: Readonly<SuggestionBudget> = { names: 50, letters: 10_000_000 };
const OF_RECORD: Readonly<SuggestionBudget> = { names: 10, letters: 1_000_000 };
/** More names than these are not compared with a wrong one: a list of so many is not typed by heart. */
export const MOST_CANDIDATES = 1_000;
/** Characters of a name that may be misspelled; more are prose. */
export const LONGEST_NAME = 100;

/** The budget of a request, or of a file. */
export function suggestionBudget(): SuggestionBudget {
  return { ...OF_REQUEST };
}

/** A budget with which nothing is suggested, for checks whose messages are discarded. */
export function noSuggestions(): SuggestionBudget {
  return { names: 0, letters: 0 };
}

/** Does work for one record with its share of a budget, which the work is taken from. */
export function withShare<T>(whole: SuggestionBudget, work: (share: SuggestionBudget) => T): T {
  const names = Math.min(OF_RECORD.names, whole.names);
  const letters = Math.min(OF_RECORD.letters, whole.letters);
  const share = { names, letters };
  const result = work(share);
  whole.names -= names - share.names;
  whole.letters -= letters - share.letters;
  return result;
}

/** Whether one more suggestion may be looked for; it is counted. */
export function spendSuggestion(budget: SuggestionBudget): boolean {
  if (budget.letters <= 0 || budget.names <= 0) return false;
  budget.names -= 1;
  return true;
}

/** Names that would have been right, prepared once for comparisons with wrong ones. */
export type Candidates = { prepared(): PreparedNames };

type PreparedNames = {
  readonly names: readonly string[];
  /** By position. */
  readonly folded: readonly string[];
  /** The names by their looks; in their order. */
  readonly byLooks: ReadonlyMap<string, readonly string[]>;
};

const NONE: PreparedNames = { names: [], folded: [], byLooks: new Map() };

/** Prepares names when the first wrong one is compared with them; none if they are too many. */
export function candidatesIn(names: () => Iterable<string>): Candidates {
  let prepared: PreparedNames | undefined;
  return {
    prepared() {
      prepared ??= prepare(names());
      return prepared;
    },
  };
}

function prepare(all: Iterable<string>): PreparedNames {
  const names: string[] = [];
  let count = 0;
  for (const name of all) {
    count += 1;
    if (count > MOST_CANDIDATES) return NONE;
    if (name.length <= LONGEST_COMPARED) names.push(name);
  }
  return { names, folded: names.map(fold), byLooks: grouped(names, looksOf) };
}

/** The first of some names that looks like a string and is another one. */
export function lookAlike(text: string, candidates: Candidates): string | undefined {
  if (text.length > LONGEST_COMPARED / 2) return undefined;
  const { byLooks } = candidates.prepared();
  const alike = byLooks.size === 0 ? undefined : byLooks.get(looksOf(text));
  return alike?.find((name) => name !== text);
}

/** The nearest name, if one is near enough to be suggested; of equally near ones the first. */
export function nearest(
  name: string,
  candidates: Iterable<string>,
  budget: SuggestionBudget = { ...OF_RECORD },
): string | undefined {
  const names = [...candidates].filter((candidate) => candidate.length <= LONGEST_COMPARED);
  return nearestOf(name, names, (at) => fold(names[at]!), budget);
}

function nearestOf(
  name: string,
  names: readonly string[],
  foldedAt: (index: number) => string,
  budget: SuggestionBudget,
): string | undefined {
  if (name.length > LONGEST_NAME) return undefined;
  const folded = fold(name);
  let best: string | undefined;
  // Of two letters, half would be another word: `kg` for `mg`.
  let bestDistance = folded.length < 3 ? 1 : Math.floor(folded.length / 3) + 1;
  for (const [index, candidate] of names.entries()) {
    budget.letters -= 1;
    if (budget.letters <= 0) return undefined;
    if (Math.abs(candidate.length - name.length) >= bestDistance + 3) continue;
    const distance = editDistance(folded, foldedAt(index), bestDistance, budget);
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

/**
 * The sentence of a message that proposes the nearest name, after a space; empty if none is near, or the budget is used up.
 *
 * @param budget that of the request or file, unless this is its only suggestion
 */
export function didYouMean(
  name: string,
  candidates: Iterable<string> | Candidates,
  shown = (candidate: string) => candidate,
  budget: SuggestionBudget = { ...OF_RECORD },
): string {
  // The budget comes first: behind it a file with 20,000 wrong names would list the right ones 20,000 times.
  if (!spendSuggestion(budget)) return '';
  const prepared = 'prepared' in candidates ? candidates : candidatesIn(() => candidates);
  const alike = lookAlike(name, prepared);
  if (alike !== undefined)
    return ` Did you mean ${shown(alike)}? It looks the same, but what was found ${differenceOf(name, alike)}.`;
  const { names, folded } = prepared.prepared();
  const meant = nearestOf(name, names, (at) => folded[at]!, budget);
  return meant === undefined ? '' : ` Did you mean ${shown(meant)}?`;
}

/** The suggestions for one file. */
export class Suggestions {
  readonly #budget = suggestionBudget();

  /** See {@link didYouMean}. */
  didYouMean(name: string, candidates: () => Iterable<string>): string {
    return didYouMean(name, candidatesIn(candidates), undefined, this.#budget);
  }
}

/** Ignores case and separators. */
function fold(name: string): string {
  return name.toLowerCase().replace(/[\s_-]+/g, '');
}

/** Three rows of distances, which all comparisons share: none waits for anything. */
let rows = [0, 1, 2].map(() => new Uint16Array(128));

/**
 * Insertions, deletions, replacements and swaps of neighbors; `limit` or more is answered with `limit`. Only the cells near the
 * diagonal can be below it, and common ends do not matter.
 */
export function editDistance(a: string, b: string, limit: number, budget: SuggestionBudget): number {
  if (Math.abs(a.length - b.length) >= limit) return limit;
  let start = 0;
  let [endOfA, endOfB] = [a.length, b.length];
  while (start < endOfA && start < endOfB && a.charCodeAt(start) === b.charCodeAt(start)) start += 1;
  while (endOfA > start && endOfB > start && a.charCodeAt(endOfA - 1) === b.charCodeAt(endOfB - 1)) {
    endOfA -= 1;
    endOfB -= 1;
  }
  const [height, width] = [endOfA - start, endOfB - start];
  if (height === 0 || width === 0) return height + width;
  if (rows[0]!.length < width + 2) rows = rows.map(() => new Uint16Array(2 * width + 2));
  let [before, previous, row] = rows as [Uint16Array, Uint16Array, Uint16Array];
  for (let j = 0; j <= width; j++) previous[j] = j;
  for (let i = 1; i <= height; i++) {
    const letter = a.charCodeAt(start + i - 1);
    const from = Math.max(1, i - limit + 1);
    const to = Math.min(width, i + limit - 1);
    budget.letters -= to - from + 1;
    let least = from === 1 ? i : limit;
    row[from - 1] = least;
    for (let j = from; j <= to; j++) {
      const other = b.charCodeAt(start + j - 1);
      let cost = Math.min(row[j - 1]! + 1, previous[j]! + 1, previous[j - 1]! + (letter === other ? 0 : 1));
      const isSwap =
        i > 1 && j > 1 && letter === b.charCodeAt(start + j - 2) && a.charCodeAt(start + i - 2) === other;
      if (isSwap) cost = Math.min(cost, before[j - 2]! + 1);
      row[j] = cost;
      if (cost < least) least = cost;
    }
    if (to < width) row[to + 1] = limit;
    if (least >= limit) return limit;
    [before, previous, row] = [previous, row, before];
  }
  return Math.min(previous[width]!, limit);
}
