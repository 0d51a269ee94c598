/** Classes and their slots in the model. */
import {
  type Definition,
  flagOf,
  isMapping,
  mappingsOf,
  namedOf,
  textsOf,
  yamlText,
} from '../load/definitions.ts';
import type {
  ClassDefinition,
  ClassExpression,
  ClassRule,
  Constraints,
  ExtraSlots,
  SlotDefinition,
  SlotRange,
  UniqueKey,
} from '../model.ts';
import { withBindings } from './define-bindings.ts';
import { classExpression, constraintsOf, slotExpression } from './define-conditions.ts';
import { isAnyClass, slotRange } from './define-ranges.ts';
import {
  type DefinitionContext,
  dataName,
  inducedSlots,
  type Names,
  namesOf,
  resolveSlotUsage,
} from './definition-context.ts';
import { defaultValue } from './ifabsent.ts';
import type { InducedSlot } from './induce.ts';
import { camelCase, looseName, snakeCase } from './names.ts';

/** A class with everything it inherits. @throws LinkmlError `schema_invalid` */
export function defineClass(context: DefinitionContext, schemaName: string): ClassDefinition {
  const element = context.loaded.classes.get(schemaName)!;
  const { source, file } = element;
  const name = camelCase(schemaName);
  const names = namesOf(context, yamlText(source.class_uri), file, name);
  const slots = new Map<string, SlotDefinition>();
  for (const induced of inducedSlots(context, schemaName))
    context.faults.collect(() => {
      const slot = defineSlot(context, induced, schemaName, names);
      if (slots.has(slot.name))
        context.warn(
          `classes.${schemaName}: two slots have the name ${slot.name} in data; the more specific one is used.`,
          'contradiction',
        );
      else slots.set(slot.name, slot);
    });
  for (const name of namedOf(source.slot_usage).keys())
    if (!inducedSlots(context, schemaName).some((slot) => looseName(slot.schemaName) === looseName(name)))
      context.warn(`classes.${schemaName}.slot_usage.${name}: the class has no slot ${name}; ignored.`);
  const all = [...slots.values()];
  const typeDesignator = all.find((slot) => slot.designatesType);
  const ancestors = context.induction.classes.ancestors(schemaName);
  const sources = ancestors.map((ancestor) => context.loaded.classes.get(ancestor)!.source);
  const inherited = <T>(key: string, read: (definition: Definition) => T[]): T[] =>
    sources.filter((one) => one[key]).flatMap(read);
  const isA = yamlText(source.is_a);
  return {
    name,
    schemaName,
    ...names,
    nativeUri: namesOf(context, undefined, file, name).uri,
    title: yamlText(source.title),
    description: yamlText(source.description),
    aliases: textsOf(source.aliases),
    exactMappings: exactMappings(context, source),
    abstract: flagOf(source.abstract) ?? false,
    mixin: flagOf(source.mixin) ?? false,
    treeRoot: flagOf(source.tree_root) ?? false,
    isA: isA === undefined ? undefined : camelCase(isA),
    mixins: textsOf(source.mixins).map(camelCase),
    ancestors: ancestors.map((ancestor) => context.classNames.get(ancestor)!),
    slots,
    identifier: all.find((slot) => slot.identifier),
    key: all.find((slot) => slot.key),
    typeDesignator,
    designation: typeDesignator && designation(typeDesignator, schemaName, names),
    isAny: isAnyClass(context, element),
    extraSlots: extraSlots(context, sources, schemaName),
    uniqueKeys: inherited('unique_keys', (definition) => uniqueKeysOf(context, definition, schemaName)),
    rules: inherited('rules', (definition) =>
      mappingsOf(definition.rules).flatMap((rule) => rulesOf(context, rule, schemaName)),
    ),
    expression: inheritedExpression(context, ancestors, schemaName),
  };
}

function defineSlot(
  context: DefinitionContext,
  induced: InducedSlot,
  className: string,
  classNames: Names,
): SlotDefinition {
  const known = context.slots.get(induced);
  if (known) return known;
  const { source, file, schemaName } = induced;
  const where = `The slot ${schemaName} of the class ${className}`;
  const range = slotRange(context, source, where);
  const names = namesOf(context, yamlText(source.slot_uri), file, snakeCase(schemaName));
  const identifier = flagOf(source.identifier) ?? false;
  const key = flagOf(source.key) ?? false;
  const multivalued = flagOf(source.multivalued) ?? false;
  const filled = defaultValue(yamlText(source.ifabsent), {
    range,
    multivalued,
    slot: names,
    ofClass: classNames,
    defaultRange: context.defaultRange,
    warn: (reason) => context.warn(`slots.${schemaName}.ifabsent (class ${className}): ${reason}`),
  });
  const slot: SlotDefinition = {
    name: dataName(schemaName, source),
    schemaName,
    ...names,
    title: yamlText(source.title),
    description: yamlText(source.description),
    aliases: textsOf(source.aliases),
    exactMappings: exactMappings(context, source),
    orderedElements: flagOf(source.list_elements_ordered) ?? false,
    range,
    multivalued,
    required: (flagOf(source.required) ?? false) || identifier || key,
    recommended: flagOf(source.recommended) ?? false,
    identifier,
    key,
    designatesType: flagOf(source.designates_type) ?? false,
    isSimpleDictValue: annotationFlag(source, 'simple_dict_value'),
    uniqueElements: flagOf(source.list_elements_unique) ?? false,
    default: filled.value,
    constraints: withBindings(context, source, range, where, {
      ...subproperties(context, source, range, where),
      ...constraintsOf(context, source, where, source),
    }),
  };
  if (!filled.dependsOnClass) context.slots.set(induced, slot);
  return slot;
}

/**
 * `subproperty_of`: values are the names of the slot and of all that inherit from it, in the form of the range. A fixed
 * value of the slot's own says more.
 */
function subproperties(
  context: DefinitionContext,
  source: Definition,
  range: SlotRange,
  where: string,
): Constraints {
  const top = yamlText(source.subproperty_of);
  if (top === undefined || range.kind !== 'type') return {};
  if (!context.loaded.slots.has(top)) {
    context.warn(`${where}: subproperty_of is not enforced, because ${top} is not a slot of the schema.`);
    return {};
  }
  const values = context.induction.slots.descendants(top).map((name) => {
    const slot = context.loaded.slots.get(name)!;
    return nameAs(
      range.type.base,
      snakeCase(name),
      namesOf(context, yamlText(slot.source.slot_uri), slot.file, snakeCase(name)),
    );
  });
  return { equalsStringIn: values };
}

/** Whether an annotation, in its short or long form, is true. */
function annotationFlag(source: Definition, tag: string): boolean {
  return flagOf(namedOf(source.annotations, 'value', 'tag').get(tag)?.value) ?? false;
}

/** The IRIs of `exact_mappings`; a CURIE whose prefix is unknown stays as written, since mappings only describe. */
function exactMappings(context: DefinitionContext, source: Definition): string[] {
  return textsOf(source.exact_mappings).map((mapping) => context.prefixes.expand(mapping) ?? mapping);
}

/** How a value of a type names an element: by IRI, by CURIE or by its name. */
function nameAs(base: string, name: string, { uri, curie }: Names): string {
  if (base === 'uri') return uri;
  return base === 'uriorcurie' || base === 'curie' ? curie : name;
}

function uniqueKeysOf(context: DefinitionContext, source: Definition, className: string): UniqueKey[] {
  return [...namedOf(source.unique_keys, 'unique_key_slots', 'unique_key_name')].map(
    ([name, definition]) => ({
      name,
      slots: textsOf(definition.unique_key_slots).map(
        (slot) => resolveSlotUsage(context, slot, className).name,
      ),
      considerNullsInequal: flagOf(definition.consider_nulls_inequal) ?? false,
    }),
  );
}

function rulesOf(context: DefinitionContext, source: Definition, className: string): ClassRule[] {
  if (flagOf(source.deactivated)) return [];
  if (!isMapping(source.preconditions)) {
    const title = yamlText(source.title);
    context.warn(
      `classes.${className}.rules: the rule${title === undefined ? '' : ` "${title}"`} has no preconditions and therefore no effect.`,
    );
    return [];
  }
  const part = (key: string): ClassExpression | undefined =>
    isMapping(source[key]) ? classExpression(context, source[key], className) : undefined;
  return [
    {
      title: yamlText(source.title) ?? yamlText(source.description),
      preconditions: part('preconditions'),
      postconditions: part('postconditions'),
      elseconditions: part('elseconditions'),
      bidirectional: flagOf(source.bidirectional) ?? false,
      openWorld: flagOf(source.open_world) ?? false,
    },
  ];
}

/** The expressions of a class and of all above it, all of which hold. Their `is_a` is inheritance, and no condition. */
function inheritedExpression(
  context: DefinitionContext,
  ancestors: readonly string[],
  className: string,
): ClassExpression {
  const keys = ['any_of', 'all_of', 'exactly_one_of', 'none_of', 'slot_conditions'];
  const own = ancestors
    .map((ancestor) => context.loaded.classes.get(ancestor)!.source)
    .filter((source) => keys.some((key) => source[key]))
    .map((source) => ({ ...classExpression(context, source, className), isA: undefined }));
  return own.length === 1
    ? own[0]!
    : { isA: undefined, slots: new Map(), anyOf: [], allOf: own, exactlyOneOf: [], noneOf: [] };
}

/** `extra_slots`: whether objects may have keys that are not slots, and what their values must satisfy. */
function extraSlots(
  context: DefinitionContext,
  sources: readonly Definition[],
  className: string,
): ExtraSlots {
  const source = sources.map((one) => one.extra_slots).find(isMapping);
  if (!source) return { allowed: false, value: undefined };
  const condition = isMapping(source.range_expression) ? source.range_expression : undefined;
  return {
    allowed: flagOf(source.allowed) ?? condition !== undefined,
    value: condition && slotExpression(context, condition, `classes.${className}.extra_slots`, undefined),
  };
}

function designation(slot: SlotDefinition, schemaName: string, names: Names): string {
  return nameAs(slot.range.kind === 'type' ? slot.range.type.base : 'string', schemaName, names);
}
