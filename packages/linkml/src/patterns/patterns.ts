/**
 * Patterns: Python regular expressions, searched for as Python's `re.search` does (not anchored by themselves), in time
 * that grows with the text alone.
 *
 * A pattern comes from an administrator, the text from a stranger. So patterns run on RE2, which never backtracks.
 * Lookaheads at the start of an anchored pattern are separate conditions (`^(?=a)b` is "^a and ^b"). What RE2 cannot express
 * beyond that (backreferences, other lookarounds) runs in JavaScript's engine on texts that are short enough for all of
 * their paths to be tried (`paths.ts`); `limit` is the greatest length.
 *
 * JavaScript's engine is the faster one (`npm run bench:beside-ajv`), so it also tests the first short texts of a record.
 */
import { RE2JS } from 're2js';
import { CHARACTER, inSequence, longestText, type Paths, repeated } from './paths.ts';
import { UntranslatablePattern } from './python-char-class.ts';
import { translate, wholeGroupEnd } from './python-regex.ts';

type CompiledPattern = {
  /**
   * Whether the text matches; texts longer than the limit never do.
   *
   * @param isQuick whether a string with few paths may be tested by JavaScript's engine instead of RE2
   */
  test(text: string, isQuick?: boolean): boolean;
  /** The characters that a test takes from the budget of a record: the longest text takes as many under each pattern. */
  cost(text: string, isQuick: boolean): number;
  /** The longest text that the pattern is tried on, in UTF-16 code units. */
  readonly limit: number;
  /** Why the limit is as short as it is. */
  readonly reason: string | undefined;
};

/**
 * RE2 reads some 4 million characters a second under a pattern of few instructions. Under one of many, such as a repetition
 * of 1,000 characters, it may go through all of them at each character, so its limit is as much shorter.
 */
const RE2_LIMIT = 250_000;
const FEW_INSTRUCTIONS = 10;
/** Steps of a backtracking engine that surely take less than 100 ms. */
const STEPS = 30_000_000;
/** How many texts of a record JavaScript's engine may test where RE2 could, */
export const QUICK_TESTS = 1_000;
/** and the steps of each: all together take less than 100 ms. */
const QUICK_STEPS = STEPS / QUICK_TESTS;
/** The longest text of a backtracking engine. */
const LONGEST = 10_000;

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

/** @throws UntranslatablePattern */
export function compileRegex(pattern: string): CompiledPattern {
  try {
    const finders = conditions(pattern).map(({ source, wanted }) => ({ ...finder(source), wanted }));
    const instructions = finders.reduce((sum, { size }) => sum + size, 0);
    const limit = Math.min(RE2_LIMIT, Math.floor((RE2_LIMIT * FEW_INSTRUCTIONS) / instructions));
    const test = (text: string, isQuick = false) =>
      text.length <= limit && finders.every(({ find, wanted }) => find(text, isQuick) === wanted);
    const cost = (text: string, isQuick: boolean) =>
      isQuick && finders.every(({ isShort }) => isShort(text)) ? text.length : shareOf(text, limit);
    return { test, cost, limit, reason: undefined };
  } catch (error) {
    if (!(error instanceof UntranslatablePattern) || error.obstacle !== 'backtracking') throw error;
    return compileJavaScript(pattern, error.message);
  }
}

/**
 * Runs RE2, or JavaScript's engine on texts that are so short that it has few ways to try. Its expression is compiled at the
 * first text: most patterns of a large schema never meet one.
 */
function finder(source: string) {
  const re2 = compileRe2(source);
  let known: QuickExpression | undefined;
  const quick = () => {
    known ??= quickExpression(source);
    return known;
  };
  const isShort = (text: string) => text.length <= quick().longest;
  return {
    size: re2.programSize(),
    isShort,
    find: (text: string, isQuick: boolean): boolean =>
      isQuick && isShort(text) ? quick().expression.test(text) : re2.matcher(text).find(),
  };
}

/** As much of the longest text of any pattern as the text is of the longest one of its pattern. */
function shareOf(text: string, limit: number): number {
  return (text.length * RE2_LIMIT) / limit;
}

type QuickExpression = { readonly expression: RegExp; readonly longest: number };

/** Flags are left to RE2: of letters in any case, and of the ends of lines, JavaScript has its own notion. */
function quickExpression(source: string): QuickExpression {
  try {
    const { expression, flags, tried } = javaScriptExpression(source);
    const hasFlags = flags !== '' || /\(\?[ims-]+:/.test(expression.source);
    return { expression, longest: hasFlags ? -1 : longestText(tried, QUICK_STEPS) };
  } catch (error) {
    if (error instanceof UntranslatablePattern) return { expression: /^/, longest: -1 };
    throw error;
  }
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
  const test = (text: string): boolean => {
    return text.length <= limit && expression.test(text);
  };
  const quickest = longestText(tried, QUICK_STEPS);
  const cost = (text: string, isQuick: boolean) =>
    isQuick && text.length <= quickest ? text.length : shareOf(text, limit);
  return { test, cost, limit, reason: why };
}
