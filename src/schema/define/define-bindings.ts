/** `bindings`: a slot of the objects in a slot, or the value itself, is bound to the values of an enum. */
import { type Definition, mappingsOf, yamlText } from '../load/definitions.ts';
import type { Constraints, EnumDefinition, SlotExpression, SlotRange } from '../model.ts';
import { type DefinitionContext, spokenOf } from './definition-context.ts';

/** Levels of obligation at which other values are allowed. */
const ADVICE = new Set(['RECOMMENDED', 'OPTIONAL', 'EXAMPLE']);

/** Constraints with those of the bindings; a binding that cannot be enforced is reported. */
export function withBindings(
  context: DefinitionContext,
  source: Definition,
  range: SlotRange,
  where: string,
  constraints: Constraints,
): Constraints {
  const bound = mappingsOf(source.bindings)
    .map((binding) => bindingOf(context, binding, range, where))
    .filter((one) => one !== undefined);
  return bound.length === 0
    ? constraints
    : { ...constraints, allOf: [...(constraints.allOf ?? []), ...bound] };
}

function bindingOf(
  context: DefinitionContext,
  binding: Definition,
  range: SlotRange,
  where: string,
): SlotExpression | undefined {
  if (ADVICE.has(yamlText(binding.obligation_level) ?? '')) return undefined;
  const name = yamlText(binding.range);
  const found = name === undefined ? undefined : context.enums.get(name);
  const path = yamlText(binding.binds_value_of);
  const reason = !found
    ? `the schema has no enum ${name}`
    : found.open
      ? `the values of ${name} are not listed in the schema`
      : path?.includes('.')
        ? `the path ${path} has several steps`
        : undefined;
  if (reason !== undefined) {
    context.warn(`${where}: the binding to ${name} is not enforced: ${reason}.`);
    return undefined;
  }
  const values: SlotExpression = { equalsStringIn: valueSpellings(found!, context) };
  if (path === undefined || range.kind !== 'class' || range.inlining === 'reference') return values;
  const slot = spokenOf(context, path, undefined).name;
  const slots = new Map([[slot, values]]);
  return { rangeExpression: { isA: undefined, slots, anyOf: [], allOf: [], exactlyOneOf: [], noneOf: [] } };
}

/** The values of an enum as they can be written: text, and meaning as CURIE and IRI. */
function valueSpellings({ values }: EnumDefinition, { prefixes }: DefinitionContext): string[] {
  const all = [...values.values()].flatMap(({ text, meaning }) =>
    meaning === undefined ? [text] : [text, meaning, prefixes.compact(meaning)],
  );
  return [...new Set(all)];
}
