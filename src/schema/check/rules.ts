/**
 * What must hold between the slots of an object: `rules`, boolean expressions of classes, `equals_expression`.
 */
import type { JsonObject, JsonValue } from '../../json.ts';
import { compileExpression } from '../expressions/expressions.ts';
import type {
  ClassDefinition,
  ClassExpression,
  ClassRule,
  SlotDefinition,
  SlotExpression,
} from '../model.ts';
import { compareNumbers } from '../types/numbers.ts';
import { type BranchTest, describe } from './constraints.ts';
import { attempt, either, inside, type Place, type Run, report, shown } from './report.ts';
import { branchCompiler, type ValueContext } from './values.ts';

/**
 * What a condition says of a slot that is missing, if the condition itself does not say whether the slot is required.
 * `unfulfilled`: in rules, and in `none_of`. `fulfilled`: in the other expressions of classes. `open`: in the conclusions of
 * rules of an open world, which "may be omitted in instance data" even where they are required.
 */
export type Missing = 'unfulfilled' | 'fulfilled' | 'open';

/** Whether a condition on a slot demands that the slot is there. */
export function demandsValue(condition: SlotExpression, missing: Missing): boolean {
  const { valuePresence, required, minimumCardinality = 0, maximumCardinality } = condition;
  if (missing === 'open' || valuePresence === 'ABSENT' || maximumCardinality === 0) return false;
  if (valuePresence === 'PRESENT' || minimumCardinality > 0) return true;
  return required ?? missing === 'unfulfilled';
}

export type ObjectTest = (object: JsonObject, at: Place, run: Run) => boolean;

/** The conditions of a class on its objects; undefined where there are none. */
export function compileRules(definition: ClassDefinition, context: ValueContext): ObjectTest | undefined {
  const tests = [
    ...(isEmpty(definition.expression)
      ? []
      : [compileClassExpression(definition.expression, context, 'fulfilled')]),
    ...definition.rules.map((rule) => compileRule(rule, context)),
    ...[...definition.slots.values()].flatMap((slot) => equalsExpression(slot)),
  ];
  if (tests.length === 0) return undefined;
  return (object, at, run) => tests.map((test) => test(object, at, run)).every(Boolean);
}

function isEmpty(expression: ClassExpression): boolean {
  const { slots, anyOf, allOf, exactlyOneOf, noneOf } = expression;
  return slots.size + anyOf.length + allOf.length + exactlyOneOf.length + noneOf.length === 0;
}

/** Runs a test without leaving its problems behind. */
function silently(test: ObjectTest, object: JsonObject, at: Place, run: Run): boolean {
  return attempt(run, () => test(object, at, run)).result;
}

function compileRule(rule: ClassRule, context: ValueContext): ObjectTest {
  const always: ObjectTest = () => true;
  const compile = (expression: ClassExpression | undefined, missing: Missing): ObjectTest =>
    expression ? compileClassExpression(expression, context, missing) : always;
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
function explain(run: Run, rule: ClassRule, applies: boolean): void {
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
 */
export function compileClassExpression(
  expression: ClassExpression,
  context: ValueContext,
  missing: Missing,
): ObjectTest {
  const conditions = [...expression.slots].map(([name, condition]) =>
    slotCondition(name, condition, context, missing),
  );
  const compile = (branches: readonly ClassExpression[], branchMissing = missing): ObjectTest[] =>
    branches.map((branch) => compileClassExpression(branch, context, branchMissing));
  const tests: ObjectTest[] = [...conditions, ...compile(expression.allOf)];
  const isA = expression.isA;
  if (isA !== undefined) tests.push((object) => isOf(object, isA, context));
  const anyOf = compile(expression.anyOf);
  if (anyOf.length > 0)
    tests.push(counted(anyOf, expression.anyOf, 'any_of', (held) => held > 0, 'at least one of'));
  const exactlyOneOf = compile(expression.exactlyOneOf);
  if (exactlyOneOf.length > 0)
    tests.push(
      counted(
        exactlyOneOf,
        expression.exactlyOneOf,
        'exactly_one_of',
        (held) => held === 1,
        'exactly one of',
      ),
    );
  const noneOf = compile(expression.noneOf, 'unfulfilled');
  if (noneOf.length > 0)
    tests.push(counted(noneOf, expression.noneOf, 'none_of', (held) => held === 0, 'none of'));
  return (object, at, run) => tests.map((test) => test(object, at, run)).every(Boolean);
}

function isOf(object: JsonObject, className: string, context: ValueContext): boolean {
  const designator = context.classOf(className).typeDesignator?.name;
  const told = designator === undefined ? undefined : object[designator];
  return told === undefined || context.designates(told, className);
}

function counted(
  tests: readonly ObjectTest[],
  branches: readonly ClassExpression[],
  type: string,
  fits: (held: number) => boolean,
  says: string,
): ObjectTest {
  return (object, at, run) => {
    const held = tests.filter((test) => silently(test, object, at, run)).length;
    if (fits(held)) return true;
    report(
      run,
      type,
      at,
      `The object must satisfy ${says}: ${branches.map(describeClass).join('; ')}. It satisfies ${held}.`,
    );
    return false;
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
    const value = Object.hasOwn(object, name) ? object[name] : undefined;
    const place = inside(at, name);
    if (value === undefined) {
      if (!required) return true;
      report(run, 'missing', place, `${name}: found nothing, expected ${describe(condition)}.`);
      return false;
    }
    if (presence === 'ABSENT') {
      report(run, 'value_presence', place, `${name}: found ${shown(value)}, expected no value.`, value);
      return false;
    }
    const values: JsonValue[] = Array.isArray(value) ? value : [value];
    if (values.length < least || values.length > most) {
      const type = values.length < least ? 'too_short' : 'too_long';
      report(
        run,
        type,
        place,
        `${name}: found ${values.length} values, expected ${values.length < least ? `at least ${least}` : `at most ${most}`}.`,
      );
      return false;
    }
    return values
      .map((member, index) =>
        test(member, member, Array.isArray(value) ? inside(place, index) : place, run, false),
      )
      .every(Boolean);
  };
}

/** A class expression in words. */
function describeClass(expression: ClassExpression): string {
  const parts = [...expression.slots].map(([name, condition]) => `${name} is ${describe(condition)}`);
  if (expression.isA !== undefined) parts.push(`it is a ${expression.isA}`);
  if (expression.anyOf.length > 0) parts.push(either(expression.anyOf.map(describeClass)));
  if (expression.allOf.length > 0) parts.push(expression.allOf.map(describeClass).join(' and '));
  if (expression.exactlyOneOf.length > 0)
    parts.push(`exactly one of: ${either(expression.exactlyOneOf.map(describeClass))}`);
  if (expression.noneOf.length > 0) parts.push(`not ${either(expression.noneOf.map(describeClass))}`);
  return parts.join(' and ') || 'anything';
}

/** `equals_expression`: a value that is given must be the one that the expression yields, where it yields any. */
function equalsExpression(slot: SlotDefinition): ObjectTest[] {
  const source = slot.constraints.equalsExpression;
  const evaluate = source === undefined ? undefined : compileExpression(source);
  if (!evaluate) return [];
  return [
    (object, at, run) => {
      const value = Object.hasOwn(object, slot.name) ? object[slot.name] : undefined;
      const expected = value === undefined ? undefined : evaluate(object);
      if (value === undefined || expected === undefined || expected === null || same(value, expected))
        return true;
      report(
        run,
        'equals_expression',
        inside(at, slot.name),
        `${slot.name}: found ${shown(value)}, expected ${shown(expected)}, which is ${source}.`,
        value,
      );
      return false;
    },
  ];
}

function same(a: JsonValue, b: JsonValue): boolean {
  const order = compareNumbers(a, b);
  return order === undefined
    ? JSON.stringify(a) === JSON.stringify(b)
    : Math.abs(Number(a) - Number(b)) <= 1e-9 * Math.max(1, Math.abs(Number(b))) || order === 0;
}
