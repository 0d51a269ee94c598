/**
 * Patterns: Python regular expressions, searched for as Python's `re.search` does (not anchored by themselves), in time
 * that grows with the text alone.
 *
 * A pattern comes from an administrator, the text from a stranger. So patterns run on RE2, which never backtracks.
 * Lookaheads at the start of an anchored pattern are separate conditions (`^(?=a)b` is "^a and ^b"). What RE2 cannot express
 * beyond that (backreferences, other lookarounds) runs in JavaScript's engine on texts that are short enough for all of
 * their paths to be tried (`paths.ts`); `limit` is the greatest length.
 */
import { RE2JS } from 're2js';
import { CHARACTER, inSequence, longestText, repeated } from './paths.ts';
import { UntranslatablePattern } from './python-char-class.ts';
import { translate, wholeGroupEnd } from './python-regex.ts';

export type CompiledPattern = {
  /** Whether the text matches; texts longer than the limit never do. */
  test(text: string): boolean;
  /** The longest text that the pattern is tried on, in UTF-16 code units. */
  readonly limit: number;
  /** Why the limit is as short as it is. */
  readonly reason: string | undefined;
};

/** RE2 reads at least 4 million characters a second, whatever the pattern. */
const RE2_LIMIT = 250_000;
/** Steps of a backtracking engine that surely take less than 100 ms. */
const STEPS = 30_000_000;
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
    const tests = conditions(pattern).map(({ source, wanted }) => {
      const re2 = compileRe2(source);
      return (text: string) => re2.matcher(text).find() === wanted;
    });
    const [only] = tests;
    const all = tests.length === 1 && only ? only : (text: string) => tests.every((test) => test(text));
    return { test: (text) => text.length <= RE2_LIMIT && all(text), limit: RE2_LIMIT, reason: undefined };
  } catch (error) {
    if (!(error instanceof UntranslatablePattern) || error.obstacle !== 'backtracking') throw error;
    return compileJavaScript(pattern, error.message);
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

function compileJavaScript(pattern: string, why: string): CompiledPattern {
  const { flags, body, paths } = translate(pattern, 'javascript');
  let expression: RegExp;
  try {
    expression = new RegExp(body, `u${flags}`);
  } catch (error) {
    throw new UntranslatablePattern((error as Error).message, 'malformed');
  }
  // A match is tried at every character, unless all alternatives are anchored.
  const isAnchored = body.startsWith('^') && !hasTopLevelBar(pattern) && !flags.includes('m');
  const tried = isAnchored ? paths : inSequence([repeated(CHARACTER, 0, Infinity), paths]);
  const limit = Math.min(LONGEST, longestText(tried, STEPS));
  if (limit < 0) throw new UntranslatablePattern('it matches in too many ways', 'unsupported');
  const test = (text: string): boolean => {
    return text.length <= limit && expression.test(text);
  };
  return { test, limit, reason: why };
}
