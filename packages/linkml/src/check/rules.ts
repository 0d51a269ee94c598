/**
 * Checks conditions between the slots of an object: `rules`, boolean expressions of classes, `equals_expression`.
 */

import { compileExpression } from '../expressions/expressions.ts';
import { isJsonObject, type JsonValue } from '../json.ts';
import type {
  ClassDefinition,
  ClassExpression,
  ClassRule,
  SlotDefinition,
  SlotExpression,
  SlotRange,
} from '../model.ts';
import { compareNumbers } from '../types/numbers.ts';
import { type BranchTest, describe } from './constraints.ts';
import { countFits } from './members.ts';
import type { ProblemType } from './problem.ts';
import {
  type Accepted,
  addProblem,
  attempt,
  either,
  inside,
  type RecordPath,
  type Run,
  reportProblem,
  reportUnexpected,
  shownValue,
  slotOf,
} from './report.ts';
import { branchCompiler, compileRange, type ValueContext } from './values.ts';

/**
 * The verdict of a condition about a missing slot, if the condition itself does not say whether the slot is required.
 * `unfulfilled`: in rules, and in `none_of`. `fulfilled`: in the other expressions of classes. `open`: in the conclusions of
 * rules of an open world, which "may be omitted in instance data" even if they are required.
 */
export type Missing = 'unfulfilled' | 'fulfilled' | 'open';

export function demandsValue(condition: SlotExpression, missing: Missing): boolean {
  const { valuePresence, required, minimumCardinality = 0, maximumCardinality } = condition;
  if (missing === 'open' || valuePresence === 'ABSENT' || maximumCardinality === 0) return false;
  if (valuePresence === 'PRESENT' || minimumCardinality > 0) return true;
  return required ?? missing === 'unfulfilled';
}

export type ObjectTest = (object: JsonValue, at: RecordPath, run: Run) => Accepted;

/** The conditions of a class on its objects; undefined if there are none. */
export function compileRules(definition: ClassDefinition, context: ValueContext): ObjectTest | undefined {
  const tests = [
    ...(isEmptyExpression(definition.expression)
      ? []
      : [compileClassExpression(definition.expression, context, 'fulfilled', definition.name)]),
    ...definition.rules.map((rule) => compileRule(rule, definition.name, context)),
    ...[...definition.slots.values()].flatMap((slot) => equalsExpression(slot)),
  ];
  if (tests.length === 0) return undefined;
  return (object, at, run) => tests.map((test) => test(object, at, run)).every(Boolean);
}

function isEmptyExpression(expression: ClassExpression): boolean {
  const { slots, anyOf, allOf, exactlyOneOf, noneOf } = expression;
  return slots.size + anyOf.length + allOf.length + exactlyOneOf.length + noneOf.length === 0;
}

/** Runs a test and discards its problems. */
function silently(test: ObjectTest, object: JsonValue, at: RecordPath, run: Run): Accepted {
  return attempt(run, () => test(object, at, run)).result;
}

function compileRule(rule: ClassRule, className: string, context: ValueContext): ObjectTest {
  const always: ObjectTest = () => true;
  const compile = (expression: ClassExpression | undefined, missing: Missing): ObjectTest =>
    expression ? compileClassExpression(expression, context, missing, className) : always;
  const concluded = rule.openWorld ? 'open' : 'unfulfilled';
  const before = compile(rule.preconditions, 'unfulfilled');
  const after = compile(rule.postconditions, concluded);
  const otherwise = compile(rule.elseconditions, concluded);
  const backwards = rule.bidirectional && rule.postconditions && rule.preconditions;
  const strictAfter = compile(rule.postconditions, 'unfulfilled');
  const strictBefore = compile(rule.preconditions, concluded);
  return (object, at, run) => {
    const applies = silently(before, object, at, run);
    const held = applies ? after(object, at, run) : otherwise(object, at, run);
    if (!held) explain(run, rule, applies);
    if (!backwards || applies || !silently(strictAfter, object, at, run)) return held;
    const back = strictBefore(object, at, run);
    if (!back) explain(run, rule, true);
    return back && held;
  };
}

/** Adds to the problem that a rule has just found why it is one. */
function explain(run: Run, rule: ClassRule, applies: Accepted): void {
  const last = run.problems.at(-1);
  if (!last) return;
  const when = rule.preconditions
    ? ` (${applies ? 'when' : 'unless'} ${describeClass(rule.preconditions)})`
    : '';
  const name = rule.title ? ` by the rule "${rule.title}"` : ' by a rule of the class';
  run.problems[run.problems.length - 1] = { ...last, msg: `${last.msg.replace(/\.$/, '')}${name}${when}.` };
}

/**
 * Compiles a class expression.
 *
 * @param missing what a condition says of a slot that is missing
 * @param own the class of the objects, if it is known: conditions of a class are judged on its own objects
 */
export function compileClassExpression(
  expression: ClassExpression,
  context: ValueContext,
  missing: Missing,
  own?: string,
): ObjectTest {
  const conditions = [...expression.slots].map(([name, condition]) =>
    slotCondition(name, condition, context, missing),
  );
  const compile = (branches: readonly ClassExpression[], branchMissing = missing): ObjectTest[] =>
    branches.map((branch) => compileClassExpression(branch, context, branchMissing, own));
  const tests: ObjectTest[] = [...conditions, ...compile(expression.allOf)];
  if (expression.isA) tests.push(isATest(expression.isA, context, own));
  const groups: [readonly ClassExpression[], ProblemType, (held: number) => boolean, string][] = [
    [expression.anyOf, 'any_of', (held) => held > 0, 'at least one of'],
    [expression.exactlyOneOf, 'exactly_one_of', (held) => held === 1, 'exactly one of'],
    [expression.noneOf, 'none_of', (held) => held === 0, 'none of'],
  ];
  for (const [branches, type, fits, says] of groups) {
    const compiled = compile(branches, type === 'none_of' ? 'unfulfilled' : missing);
    if (branches.length > 0) tests.push(counted(compiled, branches, type, fits, says));
  }
  return (object, at, run) => tests.map((test) => test(object, at, run)).every(Boolean);
}

/**
 * `is_a`: of a class for its own objects the schema alone decides. Any other value is checked against the class, type or
 * enum; a string where an object can have an identifier is a reference, whose class is not known here.
 */
function isATest(range: SlotRange, context: ValueContext, own: string | undefined): ObjectTest {
  const { check, expects } = compileRange(range, context);
  if (own !== undefined) {
    const fits =
      range.kind === 'any' ||
      (range.kind === 'class' && context.classOf(own).ancestors.includes(range.className));
    return (_object, at, run) => {
      if (!fits) reportProblem(run, 'is_a', at, `found an object of class ${own}, expected ${expects}.`);
      return fits;
    };
  }
  const isNamed = range.kind === 'class' && context.classOf(range.className).identifier !== undefined;
  const reference = isNamed ? compileRange({ ...range, inlining: 'reference' }, context).check : undefined;
  return (value, at, run) => {
    run.judging += 1;
    const canonical = (typeof value === 'string' && reference ? reference : check)(value, at, run);
    run.judging -= 1;
    return canonical !== undefined;
  };
}

function counted(
  tests: readonly ObjectTest[],
  branches: readonly ClassExpression[],
  type: ProblemType,
  fits: (held: number) => boolean,
  says: string,
): ObjectTest {
  return (object, at, run) => {
    const held = tests.filter((test) => silently(test, object, at, run)).length;
    if (fits(held)) return true;
    return addProblem(
      run,
      type,
      at,
      `${at.parent ? `${slotOf(at)}: the value` : 'The object'} must satisfy ${says}: ${branches.map(describeClass).join('; ')}. It satisfies ${held}.`,
    );
  };
}

function slotCondition(
  name: string,
  condition: SlotExpression,
  context: ValueContext,
  missing: Missing,
): ObjectTest {
  const test: BranchTest = branchCompiler(context)(condition);
  const presence = condition.valuePresence;
  const { minimumCardinality: least = 0, maximumCardinality: most = Number.POSITIVE_INFINITY } = condition;
  const required = demandsValue(condition, missing);
  return (object, at, run) => {
    if (!isJsonObject(object)) {
      return reportUnexpected(run, 'object_type', at, object, 'an object');
    }
    const value = Object.hasOwn(object, name) ? object[name] : undefined;
    const place = inside(at, name);
    if (value === undefined) {
      if (!required) return true;
      return reportProblem(run, 'missing', place, `found nothing, expected ${describe(condition)}.`);
    }
    if (presence === 'ABSENT') {
      return reportUnexpected(run, 'value_presence', place, value, 'no value');
    }
    const values: JsonValue[] = Array.isArray(value) ? value : [value];
    if (!countFits(values.length, least, most, place, run)) return undefined;
    return values
      .map((member, index) =>
        test(member, member, Array.isArray(value) ? inside(place, index) : place, run, false),
      )
      .every(Boolean);
  };
}

function describeClass(expression: ClassExpression): string {
  const parts = [...expression.slots].map(([name, condition]) => `${name} is ${describe(condition)}`);
  if (expression.isA !== undefined) parts.push(`it is ${describe({ range: expression.isA })}`);
  if (expression.anyOf.length > 0) parts.push(either(expression.anyOf.map(describeClass)));
  if (expression.allOf.length > 0) parts.push(expression.allOf.map(describeClass).join(' and '));
  if (expression.exactlyOneOf.length > 0)
    parts.push(`exactly one of: ${either(expression.exactlyOneOf.map(describeClass))}`);
  if (expression.noneOf.length > 0) parts.push(`not ${either(expression.noneOf.map(describeClass))}`);
  return parts.join(' and ') || 'anything';
}

/** `equals_expression`: a value that is given must be the one that the expression yields, if it yields any. */
function equalsExpression(slot: SlotDefinition): ObjectTest[] {
  const source = slot.constraints.equalsExpression;
  const evaluate = source === undefined ? undefined : compileExpression(source);
  if (!evaluate) return [];
  return [
    (object, at, run) => {
      if (!isJsonObject(object)) return true;
      const value = Object.hasOwn(object, slot.name) ? object[slot.name] : undefined;
      const expected = value === undefined ? undefined : evaluate(object);
      if (value === undefined || expected === undefined || expected === null || same(value, expected))
        return true;
      return reportProblem(
        run,
        'equals_expression',
        inside(at, slot.name),
        `found ${shownValue(value)}, expected ${shownValue(expected)}, which is ${source}.`,
        value,
      );
    },
  ];
}

function same(a: JsonValue, b: JsonValue): boolean {
  const order = compareNumbers(a, b);
  return order === undefined
    ? JSON.stringify(a) === JSON.stringify(b)
    : Math.abs(Number(a) - Number(b)) <= 1e-9 * Math.max(1, Math.abs(Number(b))) || order === 0;
}
