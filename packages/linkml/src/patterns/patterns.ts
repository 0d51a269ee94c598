/**
 * Patterns: Python regular expressions, searched for as Python's `re.search` does (not anchored by themselves), in time
 * that grows with the text alone.
 *
 * A pattern comes from an administrator, the text from a stranger. So patterns run on RE2, which never backtracks.
 * Lookaheads at the start of an anchored pattern are separate conditions (`^(?=a)b` is "^a and ^b"). What RE2 cannot express
 * beyond that (backreferences, other lookarounds) runs in JavaScript's engine on texts that are short enough for all of
 * their paths to be tried (`paths.ts`); `limit` is the greatest length.
 *
 * JavaScript's engine is the faster one (`npm run bench:beside-ajv`), so it also tests texts of which RE2 would need more steps.
 */
import { RE2JS } from 're2js';
import { CHARACTER, inSequence, longestText, mostSteps, type Paths, repeated } from './paths.ts';
import { UntranslatablePattern } from './python-char-class.ts';
import { translate, wholeGroupEnd } from './python-regex.ts';

type CompiledPattern = {
  /** Whether the text matches; texts longer than the limit never do. */
  test(text: string): boolean;
  /** The steps that a test takes at most, of {@link STEPS}, if the text is not longer than the limit. */
  steps(text: string): number;
  /** The longest text that the pattern is tried on, in UTF-16 code units. */
  readonly limit: number;
  /** Why the limit is as short as it is. */
  readonly reason: string | undefined;
};

/** Steps of JavaScript's engine for one text: they surely take less than 100 ms. */
export const STEPS = 30_000_000;
/** The longest text of that engine, which keeps all that it may go back to. */
const LONGEST = 10_000;
/** The longest text of RE2, which reads some 4 million characters a second under a pattern of few instructions. */
const RE2_LONGEST = 250_000;
/** Under a pattern of more, such as a repetition of 1,000 characters, it may go through all of them at each character. */
const FEW_INSTRUCTIONS = 10;
/** The steps of JavaScript's engine that take as long as RE2 takes for an instruction at a character. */
const STEPS_OF_RE2 = STEPS / RE2_LONGEST / FEW_INSTRUCTIONS;

/** Compiles patterns. @throws UntranslatablePattern for what is not a regular expression, or cannot be run here */
export type PatternCompiler = (pattern: string) => CompiledPattern;

/** A compiler that compiles each pattern once; every schema has its own. */
export function patternCompiler(): PatternCompiler {
  const compiled = new Map<string, () => CompiledPattern>();
  return (pattern) => {
    const known = compiled.get(pattern) ?? compiledOnce(pattern);
    compiled.set(pattern, known);
    return known();
  };
}

/** Returns the pattern, or throws why it cannot be used. */
function compiledOnce(pattern: string): () => CompiledPattern {
  try {
    const compiled = compileRegex(pattern);
    return () => compiled;
  } catch (error) {
    return () => {
      throw error;
    };
  }
}

/**
 * @param quickest the longest text that JavaScript's engine tests if RE2 could
 * @throws UntranslatablePattern
 */
export function compileRegex(pattern: string, quickest = LONGEST): CompiledPattern {
  try {
    const finders = conditions(pattern).map(({ source, wanted }) => ({
      ...finder(source, quickest),
      wanted,
    }));
    let known: number | undefined;
    const limit = () => {
      known ??= Math.min(...finders.map(({ longest }) => longest()));
      return known;
    };
    return {
      test: (text) => text.length <= limit() && finders.every(({ find, wanted }) => find(text) === wanted),
      steps: ({ length }) => finders.reduce((sum, { steps }) => sum + steps(length), 0),
      get limit() {
        return limit();
      },
      reason: undefined,
    };
  } catch (error) {
    if (!(error instanceof UntranslatablePattern) || error.obstacle !== 'backtracking') throw error;
    return compileJavaScript(pattern, error.message);
  }
}

/**
 * Runs the engine that takes fewer steps for a string. The expression of JavaScript is compiled at the first text: most patterns of a
 * large schema never meet one.
 */
function finder(source: string, quickest: number) {
  const re2 = compileRe2(source);
  const instructions = Math.max(FEW_INSTRUCTIONS, re2.programSize());
  const stepsOfRe2 = (length: number) => length * instructions * STEPS_OF_RE2;
  let known: QuickExpression | undefined;
  const quick = () => {
    known ??= quickExpression(source);
    return known;
  };
  const stepsOfQuick = (length: number) => (length <= quickest ? quick().steps(length) : Infinity);
  const longestOfRe2 = Math.floor((RE2_LONGEST * FEW_INSTRUCTIONS) / instructions);
  return {
    longest: () => (stepsOfQuick(quickest) <= STEPS ? Math.max(quickest, longestOfRe2) : longestOfRe2),
    steps: (length: number) => Math.min(stepsOfQuick(length), stepsOfRe2(length)),
    find: (text: string): boolean =>
      stepsOfQuick(text.length) <= stepsOfRe2(text.length)
        ? quick().expression.test(text)
        : re2.matcher(text).find(),
  };
}

type QuickExpression = { readonly expression: RegExp; steps(length: number): number };

/** Flags are left to RE2: of letters in any case, and of the ends of lines, JavaScript has its own notion. */
function quickExpression(source: string): QuickExpression {
  const never = { expression: /^/, steps: () => Infinity };
  try {
    const { expression, flags, tried } = javaScriptExpression(source);
    const hasFlags = flags !== '' || /\(\?[ims-]+:/.test(expression.source);
    return hasFlags ? never : { expression, steps: stepsBy(tried) };
  } catch (error) {
    if (error instanceof UntranslatablePattern) return never;
    throw error;
  }
}

/** Returns the steps for a string of a length. They are calculated for powers of two: of the next one, there are not fewer. */
function stepsBy(tried: Paths): (length: number) => number {
  const byBits: number[] = [];
  return (length) => {
    const bits = 32 - Math.clz32(length);
    byBits[bits] ??= mostSteps(tried, 2 ** bits);
    return byBits[bits];
  };
}

function compileRe2(source: string): RE2JS {
  const { flags, body } = translate(source, 're2');
  try {
    return RE2JS.compile(`(?:${body})`, flagBits(flags));
  } catch (error) {
    throw new UntranslatablePattern((error as Error).message, 'backtracking');
  }
}

function flagBits(flags: string): number {
  return (
    (flags.includes('i') ? RE2JS.CASE_INSENSITIVE : 0) |
    (flags.includes('s') ? RE2JS.DOTALL : 0) |
    (flags.includes('m') ? RE2JS.MULTILINE : 0)
  );
}

/** Splits lookaheads off the start of an anchored pattern, as separate conditions. */
function conditions(pattern: string): { source: string; wanted: boolean }[] {
  const whole = [{ source: pattern, wanted: true }];
  const [start = ''] = /^(?:\(\?[aiLmsux]+\))?\^/.exec(pattern) ?? [];
  if (start === '') return whole;
  const result: { source: string; wanted: boolean }[] = [];
  let at = start.length;
  while (pattern.startsWith('(?=', at) || pattern.startsWith('(?!', at)) {
    const end = wholeGroupEnd(pattern, at);
    if (end === undefined) return whole;
    result.push({ source: `${start}(?:${pattern.slice(at + 3, end)})`, wanted: pattern[at + 2] === '=' });
    at = end + 1;
  }
  const rest = pattern.slice(at);
  // An alternative at the top level binds weaker than the lookahead, and a quantifier would be that of the lookahead.
  if (result.length === 0 || hasTopLevelBar(rest) || /^[*+?{]/.test(rest)) return whole;
  return [...result, { source: start + rest, wanted: true }];
}

function hasTopLevelBar(source: string): boolean {
  let depth = 0;
  for (let i = 0; i < source.length; i++) {
    const char = source[i];
    if (char === '\\') i++;
    else if (char === '[') {
      const end = source.indexOf(']', i + (source[i + 1] === '^' ? 3 : 2));
      if (end > 0) i = end;
    } else if (char === '(') depth++;
    else if (char === ')') depth--;
    else if (char === '|' && depth === 0) return true;
  }
  return false;
}

/** An expression of JavaScript, and how its engine tries it on a string. */
function javaScriptExpression(pattern: string): { expression: RegExp; flags: string; tried: Paths } {
  const { flags, body, paths } = translate(pattern, 'javascript');
  // A match is tried at every character, unless all alternatives are anchored.
  const isAnchored = body.startsWith('^') && !hasTopLevelBar(pattern) && !flags.includes('m');
  const tried = isAnchored ? paths : inSequence([repeated(CHARACTER, 0, Infinity), paths]);
  try {
    return { expression: new RegExp(body, `u${flags}`), flags, tried };
  } catch (error) {
    throw new UntranslatablePattern((error as Error).message, 'malformed');
  }
}

function compileJavaScript(pattern: string, why: string): CompiledPattern {
  const { expression, tried } = javaScriptExpression(pattern);
  const limit = Math.min(LONGEST, longestText(tried, STEPS));
  if (limit < 0) throw new UntranslatablePattern('it matches in too many ways', 'unsupported');
  const steps = stepsBy(tried);
  return {
    test: (text) => text.length <= limit && expression.test(text),
    steps: ({ length }) => Math.min(STEPS, steps(length)),
    limit,
    reason: why,
  };
}
