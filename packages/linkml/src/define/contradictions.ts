/**
 * Reports what the LinkML tools refuse in a schema, and what can never be satisfied. The schema is opened nevertheless:
 * the rest of it can be used.
 */
import { isAbsoluteIri } from '../curie.ts';
import { flagOf, namedOf, yamlText } from '../load/definitions.ts';
import type { Bounds, ClassDefinition, Constraints, SlotDefinition, SlotRange } from '../model.ts';
import { compareNumbers } from '../types/numbers.ts';
import { type DefinitionContext, inducedSlots } from './definition-context.ts';
import { camelCase } from './names.ts';

/** Warns about every contradiction of the schema. */
export async function reportContradictions(
  context: DefinitionContext,
  classes: ReadonlyMap<string, ClassDefinition>,
  yieldIfDue: () => Promise<void>,
): Promise<void> {
  for (const definition of classes.values()) {
    await yieldIfDue();
    const where = `classes.${definition.schemaName}`;
    identifiers(context, definition, where);
    for (const slot of definition.slots.values())
      arrays(context, slot, `${where}: the slot ${slot.schemaName}`);
    const usages = namedOf(context.loaded.classes.get(definition.schemaName)?.source.slot_usage);
    for (const [slot, usage] of usages)
      if (yamlText(usage.alias) !== undefined)
        context.warn(
          `${where}.slot_usage.${slot}: an alias is only allowed in the definition of a slot.`,
          'contradiction',
        );
  }
  for (const name of context.loaded.enums.keys())
    if (classes.has(camelCase(name)))
      context.warn(
        `enums.${name}: a class has the same name; ranges of this name refer to the class.`,
        'contradiction',
      );
  defaultPrefix(context);
}

function identifiers(context: DefinitionContext, definition: ClassDefinition, where: string): void {
  const slots = [...definition.slots.values()];
  for (const kind of ['identifier', 'key'] as const) {
    const [first, ...others] = slots.filter((slot) => slot[kind]);
    if (first && others.length > 0)
      context.warn(
        `${where}: several slots are the ${kind}: ${[first, ...others].map((slot) => slot.schemaName).join(', ')}; ${first.schemaName} is used.`,
        'contradiction',
      );
  }
  for (const { identifier, key, schemaName } of slots)
    if (identifier && key)
      context.warn(
        `${where}: the slot ${schemaName} is both identifier and key; it is used as the identifier.`,
        'contradiction',
      );
  for (const { schemaName, source } of inducedSlots(context, definition.schemaName)) {
    const naming = flagOf(source.identifier) ? 'identifier' : flagOf(source.key) ? 'key' : undefined;
    if (naming !== undefined && flagOf(source.required) === false)
      context.warn(
        `${where}: the slot ${schemaName} is the ${naming} and therefore required; required: false is ignored.`,
        'contradiction',
      );
  }
}

function arrays(context: DefinitionContext, { range }: SlotDefinition, where: string): void {
  if (range.kind !== 'array') return;
  const { dimensions, sizes }: Extract<SlotRange, { kind: 'array' }>['shape'] = range.shape;
  if ([dimensions, ...sizes].some(isEmptyRange))
    context.warn(
      `${where} has contradictory bounds on its array: no value can satisfy them.`,
      'contradiction',
    );
}

/** Warns about bounds of a slot, a type or a branch that exclude each other. */
export function reportEmptyBounds(context: DefinitionContext, where: string, constraints: Constraints): void {
  const { minimumValue = null, maximumValue = null } = constraints;
  const { minimumCardinality: least, maximumCardinality: most } = constraints;
  const warn = (bounds: string) =>
    context.warn(`${where} has contradictory bounds: no value can satisfy ${bounds}.`, 'contradiction');
  if ((compareNumbers(minimumValue, maximumValue) ?? 0) > 0)
    warn(`minimum_value ${minimumValue} and maximum_value ${maximumValue}`);
  if (isEmptyRange({ least, most })) warn(`minimum_cardinality ${least} and maximum_cardinality ${most}`);
}

function isEmptyRange({ least, most }: Bounds): boolean {
  return least !== undefined && most !== undefined && least > most;
}

function defaultPrefix({ loaded, prefixes, warn }: DefinitionContext): void {
  const name = yamlText(loaded.main.source.default_prefix);
  if (name === undefined || prefixes.map.has(name) || isAbsoluteIri(name) || /[/#:]/.test(name)) return;
  warn(`default_prefix: ${name} is not declared under prefixes; names without a URI start with '${name}'.`);
}
