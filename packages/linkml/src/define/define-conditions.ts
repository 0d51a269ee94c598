/** Constraints and boolean expressions, of slots, types, branches and classes. */
import { LinkmlError } from '../errors.ts';
import { compileExpression } from '../expressions/expressions.ts';
import {
  countOf,
  type Definition,
  flagOf,
  isMapping,
  mappingsOf,
  namedOf,
  textsOf,
  yamlText,
} from '../load/definitions.ts';
import type { YamlValue } from '../load/yaml.ts';
import type { ClassExpression, Constraints, SlotExpression, SlotRange } from '../model.ts';
import { UntranslatablePattern } from '../patterns/python-char-class.ts';
import { excerpt, longExcerpt } from '../position.ts';
import { compareNumbers } from '../types/numbers.ts';
import { BUILT_IN_TYPES } from '../types/types.ts';
import { reportEmptyBounds } from './contradictions.ts';
import { holdingOf, rangeOf } from './define-ranges.ts';
import { type DefinitionContext, resolveSlotUsage } from './definition-context.ts';
import { resolved } from './induce.ts';

/** The constraints of a slot, a type or a branch; `slot` is the slot whose inlining applies to its branches. */
export function constraintsOf(
  context: DefinitionContext,
  source: Definition,
  where: string,
  slot: Definition | undefined,
): Constraints {
  const result: { -readonly [K in keyof Constraints]: Constraints[K] } = {};
  const branches = (key: string): SlotExpression[] =>
    mappingsOf(source[key]).map((branch) => slotExpression(context, branch, where, slot));
  const pattern = yamlText(source.pattern);
  if (pattern !== undefined && isUsable(context, pattern, where)) result.pattern = pattern;
  if (isBound(source.minimum_value)) result.minimumValue = source.minimum_value;
  if (isBound(source.maximum_value)) result.maximumValue = source.maximum_value;
  const equalsString = yamlText(source.equals_string);
  if (equalsString !== undefined) result.equalsString = equalsString;
  if (source.equals_string_in) result.equalsStringIn = textsOf(source.equals_string_in);
  if (isBound(source.equals_number)) result.equalsNumber = source.equals_number;
  const expression = yamlText(source.equals_expression);
  if (expression !== undefined && isExpression(context, expression, where))
    result.equalsExpression = expression;
  const exact = countOf(source.exact_cardinality);
  const least = exact ?? countOf(source.minimum_cardinality);
  const most = exact ?? countOf(source.maximum_cardinality);
  if (least !== undefined) result.minimumCardinality = least;
  if (most !== undefined) result.maximumCardinality = most;
  reportEmptyBounds(context, where, result);
  const presence = yamlText(source.value_presence);
  if (presence === 'PRESENT' || presence === 'ABSENT') result.valuePresence = presence;
  if (isMapping(source.has_member))
    result.hasMember = slotExpression(context, source.has_member, where, slot);
  if (isMapping(source.all_members))
    result.allMembers = slotExpression(context, source.all_members, where, slot);
  if (source.any_of) result.anyOf = branches('any_of');
  if (source.all_of) result.allOf = branches('all_of');
  if (source.exactly_one_of) result.exactlyOneOf = branches('exactly_one_of');
  if (source.none_of) result.noneOf = branches('none_of');
  if (isMapping(source.range_expression))
    result.rangeExpression = classExpression(context, source.range_expression, undefined);
  return result;
}

function isExpression(context: DefinitionContext, expression: string, where: string): boolean {
  try {
    compileExpression(expression);
    return true;
  } catch (error) {
    context.warn(
      `${where}: the equals_expression ${longExcerpt(expression)} is not enforced, because it ${excerpt((error as Error).message)}.`,
    );
    return false;
  }
}

/** Compiles a pattern once to see whether it can be used; the check finds it compiled. */
function isUsable(context: DefinitionContext, pattern: string, where: string): boolean {
  try {
    const { limit, reason } = context.compilePattern(pattern);
    if (reason !== undefined)
      context.warn(
        `${where}: the pattern ${longExcerpt(pattern)} is only applied to strings of at most ${limit} characters, and longer ones are refused: ${reason}.`,
      );
  } catch (error) {
    if (!(error instanceof UntranslatablePattern)) throw error;
    if (error.obstacle === 'unsupported' || context.faultyPatterns === 'warn') {
      context.warn(`${where}: the pattern ${longExcerpt(pattern)} is not enforced: ${error.message}.`);
      return false;
    }
    throw new LinkmlError(
      'schema_invalid',
      `${where}: the pattern ${longExcerpt(pattern)} is not valid: ${error.message}.`,
    );
  }
  return true;
}

/** A branch of a boolean expression on values, or a condition on a slot. */
export function slotExpression(
  context: DefinitionContext,
  branch: Definition,
  where: string,
  slot: Definition | undefined,
): SlotExpression {
  const source = resolved(branch, context.loaded.main, context.loaded);
  const constraints = constraintsOf(context, source, where, slot);
  const result: { -readonly [K in keyof SlotExpression]: SlotExpression[K] } = { ...constraints };
  const range = yamlText(source.range);
  if (range !== undefined) result.range = rangeOf(context, range, holdingOf(source, slot), where);
  const required = flagOf(source.required);
  if (required !== undefined) result.required = required;
  return result;
}

/**
 * A boolean expression over objects.
 *
 * @param className the schema name of the class whose slots the condition names; unknown within a `range_expression`
 */
export function classExpression(
  context: DefinitionContext,
  source: Definition,
  className: string | undefined,
): ClassExpression {
  const branches = (key: string): ClassExpression[] =>
    mappingsOf(source[key]).map((branch) => classExpression(context, branch, className));
  const slots = new Map<string, SlotExpression>();
  for (const [schemaName, condition] of namedOf(source.slot_conditions)) {
    const slot = resolveSlotUsage(context, schemaName, className);
    const where = `The condition on ${schemaName}${className === undefined ? '' : ` of the class ${className}`}`;
    slots.set(slot.name, slotExpression(context, condition, where, slot.source));
  }
  return {
    isA: isARange(context, source, className),
    slots,
    anyOf: branches('any_of'),
    allOf: branches('all_of'),
    exactlyOneOf: branches('exactly_one_of'),
    noneOf: branches('none_of'),
  };
}

/** Defines the condition of an `is_a`, which names a class, a type or an enum. A name that the schema does not have is reported, and no condition. */
function isARange(
  context: DefinitionContext,
  source: Definition,
  className: string | undefined,
): SlotRange | undefined {
  const name = yamlText(source.is_a);
  if (name === undefined) return undefined;
  const { classes, enums, types } = context.loaded;
  const where = className === undefined ? 'range_expression' : `classes.${className}`;
  if ([classes, enums, types, BUILT_IN_TYPES].some((elements) => elements.has(name)))
    return rangeOf(context, name, { inlined: true, asList: undefined, multivalued: false }, where);
  const hint = context.faults.suggestions.didYouMean(name, () => [
    ...classes.keys(),
    ...enums.keys(),
    ...types.keys(),
  ]);
  context.warn(
    `${where}: the condition is_a ${name} is not enforced: the schema has no class, type or enum of this name.${hint}`,
  );
  return undefined;
}

function isBound(value: YamlValue | undefined): value is string | number {
  return (
    value !== undefined &&
    value !== null &&
    !Array.isArray(value) &&
    !isMapping(value) &&
    typeof value !== 'boolean'
  );
}

/** Combines the conditions of a type with those of the type that it rests on: the tighter bounds, and the patterns of both. */
export function mergeConstraints(base: Constraints, own: Constraints): Constraints {
  const merged: { -readonly [K in keyof Constraints]: Constraints[K] } = { ...base, ...own };
  if (base.minimumValue !== undefined && own.minimumValue !== undefined)
    merged.minimumValue =
      (compareNumbers(base.minimumValue, own.minimumValue) ?? 0) > 0 ? base.minimumValue : own.minimumValue;
  if (base.maximumValue !== undefined && own.maximumValue !== undefined)
    merged.maximumValue =
      (compareNumbers(base.maximumValue, own.maximumValue) ?? 0) < 0 ? base.maximumValue : own.maximumValue;
  if (base.pattern !== undefined && own.pattern !== undefined && base.pattern !== own.pattern)
    merged.allOf = [...(merged.allOf ?? []), { pattern: base.pattern }];
  return merged;
}
