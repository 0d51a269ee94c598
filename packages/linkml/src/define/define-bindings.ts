/** `bindings`: a slot of the objects in a slot, or the value itself, is bound to the values of an enum. */
import { type Definition, mappingsOf, textsOf, yamlText } from '../load/definitions.ts';
import type { Binding, Constraints, EnumDefinition, SlotExpression, SlotRange } from '../model.ts';
import { formOf, spellings } from './define-enums.ts';
import {
  type DefinitionContext,
  dataName,
  inducedSlots,
  namesOf,
  resolveSlotUsage,
} from './definition-context.ts';
import { looseName, snakeCase } from './names.ts';

/** Levels of obligation at which other values are allowed. */
const ADVICE = new Set(['RECOMMENDED', 'OPTIONAL', 'EXAMPLE']);

/** Properties of slots that have the label of an object. */
const LABELS: readonly string[] = [
  'http://www.w3.org/2000/01/rdf-schema#label',
  'http://www.w3.org/2004/02/skos/core#prefLabel',
  'http://schema.org/name',
  'https://schema.org/name',
  'http://www.geneontology.org/formats/oboInOwl#hasExactSynonym',
];
const LABEL_CURIES: readonly string[] = [
  'rdfs:label',
  'skos:prefLabel',
  'schema:name',
  'oboInOwl:hasExactSynonym',
];

/** Constraints with those of the bindings; a binding that cannot be enforced is reported. */
export function withBindings(
  context: DefinitionContext,
  source: Definition,
  range: SlotRange,
  where: string,
  constraints: Constraints,
): Constraints {
  const bindings: Binding[] = [];
  const listed: SlotExpression[] = [];
  for (const binding of mappingsOf(source.bindings)) {
    if (ADVICE.has(yamlText(binding.obligation_level) ?? '')) continue;
    const found = enumOfBinding(context, binding, where);
    if (!found) continue;
    const path = isPlain(range) ? [] : pathOf(context, binding);
    // JSON Schema and others can express these.
    const isListed = !found.open && (path.length === 0 || (path.length === 1 && range.kind === 'class'));
    if (isListed) listed.push(listedValues(context, found, path));
    const required = yamlText(binding.obligation_level) === 'REQUIRED';
    if (!isListed || required || Object.keys(context.terms).length > 0)
      bindings.push({
        path,
        enum: isListed ? undefined : withMeanings(context, found),
        required,
        labels: labelSlots(context, range, path),
      });
  }
  return {
    ...constraints,
    ...(listed.length > 0 && { allOf: [...(constraints.allOf ?? []), ...listed] }),
    ...(bindings.length > 0 && { bindings }),
  };
}

function enumOfBinding(
  context: DefinitionContext,
  binding: Definition,
  where: string,
): EnumDefinition | undefined {
  const name = yamlText(binding.range);
  const found = name === undefined ? undefined : context.enums.get(name);
  const isUnknown = found?.open && !found.terms;
  if (!found || isUnknown) {
    const reason = found
      ? `the values of ${name} are not listed in the schema`
      : `the schema has no enum ${name}`;
    const type = found && found.missing.length > 0 ? 'vocabulary_missing' : 'not_enforced';
    context.warn(`${where}: the binding to ${name} is not enforced: ${reason}.`, type, found?.missing);
  }
  const form = formOf(context, binding, `${where}: bindings`);
  return found && form !== undefined ? { ...found, form } : found;
}

/** Whether values have no slots: strings, numbers, and references. */
function isPlain(range: SlotRange): boolean {
  if (range.kind === 'array') return isPlain(range.of);
  return (
    range.kind === 'type' ||
    range.kind === 'enum' ||
    (range.kind === 'class' && range.inlining === 'reference')
  );
}

function pathOf(context: DefinitionContext, binding: Definition): string[] {
  const path = yamlText(binding.binds_value_of);
  if (path === undefined) return [];
  return path.split('.').map((step) => resolveSlotUsage(context, step, undefined).name);
}

/** The enum whose listed values can also be written as their meanings. */
function withMeanings(context: DefinitionContext, found: EnumDefinition): EnumDefinition {
  const all = [...found.values.values()].flatMap((value) =>
    spellings(value, context).map((text) => [text, value] as const),
  );
  return { ...found, values: new Map(all) };
}

function listedValues(
  context: DefinitionContext,
  { values }: EnumDefinition,
  [slot]: readonly string[],
): SlotExpression {
  const all = [...values.values()].flatMap((value) => spellings(value, context));
  const listed: SlotExpression = { equalsStringIn: [...new Set(all)] };
  if (slot === undefined) return listed;
  const slots = new Map([[slot, listed]]);
  return { rangeExpression: { isA: undefined, slots, anyOf: [], allOf: [], exactlyOneOf: [], noneOf: [] } };
}

/** The slots with the label of the object at the end of a path; `label` if no slot says that it is one. */
function labelSlots(context: DefinitionContext, range: SlotRange, path: readonly string[]): string[] {
  if (path.length === 0) return [];
  let classes = classesOf(context, range);
  for (const step of path.slice(0, -1)) {
    const inner = classes
      .flatMap((name) => inducedSlots(context, name))
      .filter((slot) => looseName(slot.schemaName) === looseName(step))
      .map((slot) => yamlText(slot.source.range));
    classes = inner.filter((name) => name !== undefined && context.loaded.classes.has(name)) as string[];
  }
  const slots = classes.flatMap((name) => inducedSlots(context, name));
  const labels = slots.filter(({ schemaName, source, file }) => {
    const { uri } = namesOf(context, yamlText(source.slot_uri), file, snakeCase(schemaName));
    return (
      LABELS.includes(uri) ||
      textsOf(source.implements).some((one) => LABEL_CURIES.includes(one) || LABELS.includes(one))
    );
  });
  return labels.length === 0
    ? ['label']
    : [...new Set(labels.map((slot) => dataName(slot.schemaName, slot.source)))];
}

/** The schema names of the classes of a range. */
function classesOf(context: DefinitionContext, range: SlotRange): string[] {
  if (range.kind === 'union')
    return range.alternatives.flatMap((alternative) => classesOf(context, alternative));
  if (range.kind !== 'class') return [];
  return [...context.classNames].filter(([, name]) => name === range.className).map(([name]) => name);
}
