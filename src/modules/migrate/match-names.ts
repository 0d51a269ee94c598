/** Which of the removed elements of a schema return under another name. */

/** Why two names are taken for one element; the surest first. */
export type RenameEvidence = 'aliases' | 'exact_mappings' | 'uri' | 'likeness';

export type Rename = { readonly from: string; readonly to: string; readonly evidence: RenameEvidence };

/** An element that is paired: a class, a slot of one class, or a permissible value. */
export type NamedElement = {
  readonly name: string;
  /** Other spellings of the name in the schema. */
  readonly spellings: readonly string[];
  readonly uri: string | undefined;
  readonly aliases: readonly string[];
  readonly exactMappings: readonly string[];
};

/**
 * Pairs removed elements with added ones. Each is in one pair at most; a pair by likeness needs a margin over every
 * other candidate, because a wrong guess would move data into the wrong slot.
 *
 * @param likeness how alike two elements are besides their names, 0 to 1
 */
export function findRenames<T extends NamedElement>(
  removed: readonly T[],
  added: readonly T[],
  likeness: (from: T, to: T) => number,
): Rename[] {
  const renames: Rename[] = [];
  const left = new Set(removed);
  const open = new Set(added);
  for (const evidence of ['aliases', 'exact_mappings', 'uri'] as const) {
    const { former, now } = STATED[evidence];
    const stating = new Map<string, T[]>();
    for (const to of open)
      for (const name of new Set(now(to))) stating.set(name, [...(stating.get(name) ?? []), to]);
    for (const from of left) {
      const matches = new Set(former(from).flatMap((name) => stating.get(name) ?? []));
      const [to, ...others] = [...matches].filter((one) => open.has(one));
      if (to === undefined || others.length > 0) continue;
      renames.push({ from: from.name, to: to.name, evidence });
      left.delete(from);
      open.delete(to);
    }
  }
  if (left.size * open.size > MOST_PAIRS) return renames;
  const score = (from: T, to: T) => (nameLikeness(from.name, to.name) + likeness(from, to)) / 2;
  for (const from of left) {
    const [best, second] = [...open]
      .map((to) => ({ to, score: score(from, to) }))
      .sort((a, b) => b.score - a.score);
    if (!best || best.score < LIKELY || best.score - (second?.score ?? 0) < MARGIN) continue;
    const rival = [...left].some((other) => other !== from && score(other, best.to) >= best.score - MARGIN);
    if (rival) continue;
    renames.push({ from: from.name, to: best.to.name, evidence: 'likeness' });
    left.delete(from);
    open.delete(best.to);
  }
  return renames;
}

/** At least this alike, and more alike than any other by this much. */
const LIKELY = 0.65;
const MARGIN = 0.1;
/** Likeness is not looked for in more pairs: of so many elements, some are alike by chance. */
const MOST_PAIRS = 20_000;

const uriOf = ({ uri }: NamedElement) => (uri === undefined ? [] : [uri]);

/** The names of former elements, and the names that a schema itself declares for those of now. */
const STATED: Readonly<
  Record<
    Exclude<RenameEvidence, 'likeness'>,
    Readonly<Record<'former' | 'now', (element: NamedElement) => readonly string[]>>
  >
> = {
  aliases: { former: ({ spellings }) => spellings, now: ({ aliases }) => aliases },
  exact_mappings: { former: uriOf, now: ({ exactMappings }) => exactMappings },
  uri: { former: uriOf, now: uriOf },
};

/** How alike two names are, 0 to 1: the share of letter pairs that they have in common (Dice's coefficient). */
function nameLikeness(a: string, b: string): number {
  const [left, right] = [letterPairs(a), letterPairs(b)];
  if (left.length === 0 || right.length === 0) return a.toLowerCase() === b.toLowerCase() ? 1 : 0;
  const unmatched = [...right];
  let common = 0;
  for (const pair of left) {
    const index = unmatched.indexOf(pair);
    if (index < 0) continue;
    unmatched.splice(index, 1);
    common++;
  }
  return (2 * common) / (left.length + right.length);
}

/** Case and separators make no difference. */
function letterPairs(name: string): string[] {
  const letters = name.toLowerCase().replace(/[\s_-]+/g, '');
  return Array.from({ length: Math.max(0, letters.length - 1) }, (_, index) =>
    letters.slice(index, index + 2),
  );
}
