/**
 * Checks a single value beyond its range: patterns, bounds, fixed values, boolean expressions.
 */
import { type Groups, splitGroups } from '../expression-groups.ts';
import type { JsonValue } from '../json.ts';
import { differenceOf } from '../look-alikes.ts';
import type { ClassExpression, Constraints, SlotExpression } from '../model.ts';
import type { PatternCompiler } from '../patterns/patterns.ts';
import { longExcerpt } from '../position.ts';
import { candidatesIn, lookAlike, spendSuggestion } from '../suggestions.ts';
import { compareNumbers, scalarText } from '../types/numbers.ts';
import { bindingsTest } from './bindings.ts';
import {
  type Accepted,
  attempt,
  either,
  type RecordPath,
  type Run,
  reportProblem,
  reportUnexpected,
  shownValue,
} from './report.ts';
import type { TermContext } from './terms.ts';
import type { ValueTest } from './value-test.ts';

/** Whether a value satisfies a branch; `strict` accepts values unchanged only, without converting `"5"` to 5. */
export type BranchTest = (
  canonical: JsonValue,
  given: JsonValue,
  at: RecordPath,
  run: Run,
  strict: boolean,
) => Accepted;

export type BranchCompiler = (branch: SlotExpression) => BranchTest;

/** Compiles what an object must satisfy (`range_expression`). */
export type ObjectCompiler = (
  expression: ClassExpression,
) => (value: JsonValue, at: RecordPath, run: Run) => Accepted;

/** The context in which constraints are compiled. */
type ConstraintContext = TermContext & {
  readonly compilePattern: PatternCompiler;
  /** Whether an object satisfies a class expression. */
  readonly branchOfObject: ObjectCompiler;
};

/** Compiles the constraints on one value; undefined if there are none. */
export function compileConstraints(
  constraints: Constraints,
  context: ConstraintContext,
  branch: BranchCompiler,
): ValueTest | undefined {
  const { compilePattern, branchOfObject } = context;
  const tests = [
    patternTest(constraints.pattern, compilePattern),
    boundTest('minimum', constraints.minimumValue),
    boundTest('maximum', constraints.maximumValue),
    fixedTest(constraints),
    numberTest(constraints.equalsNumber),
    ...groupTests(splitGroups(constraints).each, branch),
    objectTest(constraints.rangeExpression, branchOfObject),
    bindingsTest(constraints.bindings, context),
  ].filter((test) => test !== undefined);
  if (tests.length < 2) return tests[0];
  return (canonical, given, at, run) => {
    let satisfied = true;
    for (const test of tests) if (!test(canonical, given, at, run)) satisfied = false;
    return satisfied;
  };
}

function patternTest(pattern: string | undefined, compilePattern: PatternCompiler): ValueTest | undefined {
  if (pattern === undefined) return undefined;
  const compiled = compilePattern(pattern);
  return (text, given, at, run) => {
    // "The string value of the slot must conform": a number or boolean has none, to LinkML's own validators too.
    if (typeof text !== 'string') return true;
    const isLong = text.length > compiled.limit;
    if (!isLong) run.patternBudget -= compiled.steps(text);
    if (isLong || run.patternBudget < 0) {
      const most = isLong
        ? `${compiled.limit} characters`
        : 'all strings of a record under patterns together';
      return reportProblem(
        run,
        'pattern_too_long',
        at,
        `the string is too long to be matched with the pattern ${longExcerpt(pattern)} (at most ${most}).`,
      );
    }
    if (compiled.test(text)) return true;
    return reportUnexpected(
      run,
      'pattern',
      at,
      given,
      `a string that matches the pattern ${longExcerpt(pattern)}`,
    );
  };
}

function boundTest(side: 'minimum' | 'maximum', bound: JsonValue | undefined): ValueTest | undefined {
  if (bound === undefined) return undefined;
  return (canonical, given, at, run) => {
    const order = compareValues(canonical, bound);
    if (order === undefined || (side === 'minimum' ? order >= 0 : order <= 0)) return true;
    const type = side === 'minimum' ? 'greater_than_equal' : 'less_than_equal';
    return reportUnexpected(
      run,
      type,
      at,
      given,
      `a value of ${side === 'minimum' ? 'at least' : 'at most'} ${shownValue(bound)}`,
    );
  };
}

/** Numbers by value, dates and times by their text. */
function compareValues(a: JsonValue, b: JsonValue): number | undefined {
  const order = compareNumbers(a, b);
  if (order !== undefined) return order;
  if (typeof a !== 'string' || typeof b !== 'string') return undefined;
  return a < b ? -1 : a > b ? 1 : 0;
}

function fixedTest({ equalsString, equalsStringIn }: Constraints): ValueTest | undefined {
  if (equalsString === undefined && equalsStringIn === undefined) return undefined;
  const allowed = equalsString === undefined ? equalsStringIn! : [equalsString];
  const expected = either(allowed.map((value) => JSON.stringify(value)));
  const candidates = candidatesIn(() => allowed);
  return (canonical, given, at, run) => {
    const text = scalarText(canonical);
    if (allowed.includes(text)) return true;
    return reportUnexpected(run, 'literal_error', at, given, expected, (budget) => {
      const alike = spendSuggestion(budget) ? lookAlike(text, candidates) : undefined;
      return alike === undefined
        ? ''
        : ` ${JSON.stringify(alike)} looks the same, but what was found ${differenceOf(text, alike)}.`;
    });
  };
}

function numberTest(expected: JsonValue | undefined): ValueTest | undefined {
  if (expected === undefined) return undefined;
  return (canonical, given, at, run) => {
    if (compareNumbers(canonical, expected) === 0) return true;
    return reportUnexpected(run, 'equals_number', at, given, shownValue(expected));
  };
}

function objectTest(expression: ClassExpression | undefined, compile: ObjectCompiler): ValueTest | undefined {
  if (expression === undefined) return undefined;
  const test = compile(expression);
  return (canonical, _given, at, run) => test(canonical, at, run);
}

/** The tests of boolean expressions. @param compile makes the test of a branch, of one value or of all together */
export function groupTests(groups: Groups, compile: BranchCompiler): (ValueTest | undefined)[] {
  return [
    groupTest(groups.anyOf, compile, anyOfTest),
    groupTest(groups.allOf, compile, allOfTest),
    groupTest(groups.exactlyOneOf, compile, exactlyOneOfTest),
    groupTest(groups.noneOf, compile, noneOfTest),
  ];
}

type Branch = { readonly test: BranchTest; readonly says: string };

/** The test of a group of branches; undefined if the schema has no such group. */
function groupTest(
  expressions: readonly SlotExpression[] | undefined,
  compile: BranchCompiler,
  test: (branches: readonly Branch[]) => ValueTest,
): ValueTest | undefined {
  if (expressions === undefined || expressions.length === 0) return undefined;
  return test(expressions.map((expression) => ({ test: compile(expression), says: describe(expression) })));
}

/** Tries a branch and discards its problems. */
function holds(
  branch: Branch,
  canonical: JsonValue,
  given: JsonValue,
  at: RecordPath,
  run: Run,
  strict: boolean,
): Accepted {
  return attempt(run, () => branch.test(canonical, given, at, run, strict)).result;
}

function anyOfTest(branches: readonly Branch[]): ValueTest {
  return (canonical, given, at, run) => {
    if (branches.some((branch) => holds(branch, canonical, given, at, run, false))) return true;
    const says = either(branches.map((branch) => branch.says));
    return reportUnexpected(run, 'any_of', at, given, says);
  };
}

function allOfTest(branches: readonly Branch[]): ValueTest {
  return (canonical, given, at, run) =>
    branches.map((branch) => branch.test(canonical, given, at, run, false)).every(Boolean);
}

function exactlyOneOfTest(branches: readonly Branch[]): ValueTest {
  return (canonical, given, at, run) => {
    const held = branches.filter((branch) => holds(branch, canonical, given, at, run, true));
    if (held.length === 1) return true;
    const found =
      held.length === 0 ? 'none' : `${held.length} of them (${held.map((branch) => branch.says).join('; ')})`;
    const says = either(branches.map((branch) => branch.says));
    return reportUnexpected(run, 'exactly_one_of', at, given, `exactly one of: ${says}; it is ${found}`);
  };
}

function noneOfTest(branches: readonly Branch[]): ValueTest {
  return (canonical, given, at, run) => {
    const held = branches.find((branch) => holds(branch, canonical, given, at, run, true));
    if (!held) return true;
    return reportUnexpected(run, 'none_of', at, given, `anything but ${held.says}`);
  };
}

/** A branch in words. */
export function describe(expression: SlotExpression): string {
  const parts: string[] = [];
  const { range } = expression;
  if (range?.kind === 'type') parts.push(`a value of type ${range.type.name}`);
  if (range?.kind === 'enum') parts.push(`a value of ${range.enum.name}`);
  if (range?.kind === 'class')
    parts.push(
      range.inlining === 'reference' ? `a reference to a ${range.className}` : `a ${range.className}`,
    );
  if (expression.pattern !== undefined)
    parts.push(`a string that matches ${longExcerpt(expression.pattern)}`);
  if (expression.equalsString !== undefined) parts.push(JSON.stringify(expression.equalsString));
  if (expression.equalsStringIn)
    parts.push(either(expression.equalsStringIn.map((text) => JSON.stringify(text))));
  if (expression.equalsNumber !== undefined) parts.push(shownValue(expression.equalsNumber));
  if (expression.minimumValue !== undefined) parts.push(`at least ${shownValue(expression.minimumValue)}`);
  if (expression.maximumValue !== undefined) parts.push(`at most ${shownValue(expression.maximumValue)}`);
  if (expression.valuePresence) parts.push(expression.valuePresence === 'PRESENT' ? 'a value' : 'no value');
  else if (expression.required) parts.push('a value');
  parts.push(...numberSaid(expression));
  if (expression.anyOf) parts.push(either(expression.anyOf.map(describe)));
  if (expression.allOf) parts.push(expression.allOf.map(describe).join(' and '));
  if (expression.exactlyOneOf) parts.push(`exactly one of: ${either(expression.exactlyOneOf.map(describe))}`);
  if (expression.noneOf) parts.push(`not ${either(expression.noneOf.map(describe))}`);
  return parts.join(', ') || 'any value';
}

function numberSaid({ minimumCardinality: least, maximumCardinality: most }: SlotExpression): string[] {
  const values = (count: number) => `${count} ${count === 1 ? 'value' : 'values'}`;
  if (least !== undefined && least === most) return [`exactly ${values(least)}`];
  return [
    ...(least === undefined ? [] : [`at least ${values(least)}`]),
    ...(most === undefined ? [] : [`at most ${values(most)}`]),
  ];
}
