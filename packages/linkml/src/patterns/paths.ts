/**
 * How long a string may be so that a backtracking engine tries an expression on it in a known number of steps.
 *
 * The paths through an expression on strings whose characters all match are the most that any string causes. As a generating
 * function, an expression is the sum of x to the length of each of its paths: a character is x, a sequence is a product,
 * alternatives are a sum. All coefficients are positive, so for each x up to 1, the paths of at most n characters are at most
 * its value divided by the nth power of x. Some values of x are enough to find a good bound.
 */
export type Paths = {
  /** The generating function of the paths that match, at each of {@link POINTS}. */
  readonly ways: readonly number[];
  /** That of the steps of trying: of the beginnings of paths. */
  readonly steps: readonly number[];
};

/** 0, which has the paths of no character; some between, closer together at both ends; and 1, which has all paths. */
const POINTS = [0, ...Array.from({ length: 97 }, (_, i) => 1 / (1 + 2 ** ((40 - i) / 4))), 1];

function paths(at: (point: number, index: number) => readonly [ways: number, steps: number]): Paths {
  const values = POINTS.map(at);
  return { ways: values.map(([ways]) => ways), steps: values.map(([, steps]) => steps) };
}

export const CHARACTER = paths((x) => [x, 1]);
/** Matches no character, such as an anchor. */
export const EMPTY = paths(() => [1, 1]);
/** Matches in one way, of an unknown number of characters, which are compared. That there are none is not certain. */
export const REFERENCE = paths((x) => [x === 0 ? 0 : 1, 1 / (1 - x)]);

export function inSequence(parts: readonly Paths[]): Paths {
  return parts.reduce(
    (a, b) => paths((_, i) => [a.ways[i]! * b.ways[i]!, a.steps[i]! + a.ways[i]! * b.steps[i]!]),
    EMPTY,
  );
}

export function either(alternatives: readonly Paths[]): Paths {
  return alternatives.reduce((a, b) => paths((_, i) => [a.ways[i]! + b.ways[i]!, a.steps[i]! + b.steps[i]!]));
}

/** @param most Infinity for any number */
export function repeated({ ways, steps }: Paths, least: number, most: number): Paths {
  return paths((x, i) => {
    const required = ways[i]! ** least;
    // Repetitions beyond those that are required match at least one character.
    const further = x === 0 ? 0 : Math.min(ways[i]! - ways[0]!, x * ways.at(-1)!);
    const all = required * powers(further, most - least + 1);
    return [all, (powers(ways[i]!, least) + required * powers(further, most - least)) * steps[i]! + all];
  });
}

/** The sum of the first `count` powers. */
function powers(base: number, count: number): number {
  if (base === 1) return count;
  const next = base ** count;
  return next === Infinity ? next : (1 - next) / (1 - base);
}

/** Looks at what follows, and does not try another way afterwards. */
export function lookahead({ steps }: Paths): Paths {
  return paths((_, i) => [1, steps[i]!]);
}

/** Looks at what has been read, which may be any part of the text. */
export function lookbehind({ steps }: Paths): Paths {
  return paths(() => [1, steps.at(-1)!]);
}

/** The length of the longest string that surely takes at most so many steps; -1 if there is none. */
export function longestText({ steps }: Paths, most: number): number {
  const bounds = POINTS.map((x, i) => (steps[i]! < most ? Math.log(most / steps[i]!) / Math.log(1 / x) : -1));
  return Math.floor(Math.max(...bounds));
}

/** The steps that a string of that length takes at most. */
export function mostSteps({ steps }: Paths, length: number): number {
  return Math.min(...POINTS.map((x, i) => steps[i]! / x ** length));
}
