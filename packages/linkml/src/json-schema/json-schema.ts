/**
 * A class as JSON Schema 2020-12: a projection of the same induced slots that the check is compiled from.
 *
 * It describes canonical records, which are stored and returned. A check accepts more (it converts `"5"` to 5 if an
 * integer is expected) and, in the points listed in `docs/linkml.md`, JSON Schema can say less: a `$comment` then names
 * the element.
 */

import { demandsValue, type Missing } from '../check/rules.ts';
import { canonicalJson, type JsonObject, type JsonValue, withoutUndefined } from '../json.ts';
import type { ClassDefinition, ClassExpression, SlotExpression, SlotRange } from '../model.ts';
import {
  type Classes,
  jsonTypeOf,
  NO_VALUE,
  type Projection,
  projectConstraints,
  projectRange,
  projectSlot,
} from './slots.ts';

/**
 * The JSON Schema of one class.
 *
 * @param definitions where the schemas of classes are found. Without it, they are included in `$defs`
 */
export function classJsonSchema(schema: Classes, className: string, definitions?: string): JsonObject {
  const projection: Projection = {
    classes: schema.classes,
    descendants: (name: string) => schema.descendants(name),
    definitions: definitions ?? '#/$defs/',
    objectCondition: (expression) => projectExpression(projection, expression, 'fulfilled', undefined),
  };
  const own = projectClass(projection, className);
  if (definitions !== undefined) return own;
  const $defs: JsonObject = {};
  const wanted = [...referencedClasses(own)];
  for (let name = wanted.pop(); name !== undefined; name = wanted.pop()) {
    if (Object.hasOwn($defs, name)) continue;
    const projected = projectClass(projection, name);
    $defs[name] = projected;
    wanted.push(...referencedClasses(projected));
  }
  const draft = { $schema: 'https://json-schema.org/draft/2020-12/schema' };
  return Object.keys($defs).length > 0 ? { ...draft, ...own, $defs } : { ...draft, ...own };
}

/** The names in every `$ref` to `#/$defs/`. */
function* referencedClasses(value: JsonValue): Generator<string> {
  for (const [, name] of canonicalJson(value).matchAll(/"\$ref":"#\/\$defs\/([^"]+)"/g)) yield name as string;
}

function projectClass(projection: Projection, className: string): JsonObject {
  const definition = projection.classes.get(className);
  if (!definition || definition.isAny) return {};
  const text = { title: definition.title ?? definition.name, description: definition.description };
  if (definition.abstract)
    return withoutUndefined({
      ...text,
      ...NO_VALUE,
      $comment: 'The class is abstract: it has no objects of its own.',
    });
  // The type designator comes first: a validator that goes by the order then leaves wrong branches at once.
  const slots = [...definition.slots.values()].sort(
    (a, b) => Number(b.designatesType) - Number(a.designatesType),
  );
  const required = slots
    .filter(
      (slot) => slot.required || slot.identifier || slot.key || slot.constraints.valuePresence === 'PRESENT',
    )
    .map(({ name }) => name);
  return withoutUndefined({
    ...text,
    type: 'object',
    properties: Object.fromEntries(
      slots.map((slot) => [slot.name, projectSlot(projection, definition, slot)]),
    ),
    required: required.length > 0 ? required : undefined,
    additionalProperties: definition.extraSlots.allowed
      ? definition.extraSlots.value
        ? projectConstraints(projection, definition.extraSlots.value, undefined)
        : true
      : false,
    ...projectRules(projection, definition),
  });
}

/** The boolean expressions and rules of a class, as one `allOf`. */
function projectRules(projection: Projection, definition: ClassDefinition): JsonObject {
  const all: JsonValue[] = [];
  const project = (expression: ClassExpression | undefined, missing: Missing = 'fulfilled') =>
    expression && projectExpression(projection, expression, missing, definition);
  const own = project(definition.expression);
  if (own && Object.keys(own).length > 0) all.push(own);
  for (const {
    preconditions,
    postconditions,
    elseconditions,
    bidirectional,
    openWorld,
  } of definition.rules) {
    const concluded = openWorld ? 'open' : 'unfulfilled';
    const before = project(preconditions, 'unfulfilled') ?? {};
    const after = project(postconditions, concluded);
    const otherwise = project(elseconditions, concluded);
    // biome-ignore lint/suspicious/noThenProperty: JSON Schema calls it so.
    if (after || otherwise) all.push(withoutUndefined({ if: before, then: after, else: otherwise }));
    if (!bidirectional || !postconditions || !preconditions) continue;
    const premise = project(postconditions, 'unfulfilled') ?? {};
    const conclusion = project(preconditions, concluded) ?? {};
    // biome-ignore lint/suspicious/noThenProperty: JSON Schema calls it so.
    all.push({ if: premise, then: conclusion });
  }
  return all.length > 0 ? { allOf: all } : {};
}

/**
 * An expression on an object.
 *
 * @param owner the class of the object, if it is known
 */
function projectExpression(
  projection: Projection,
  expression: ClassExpression,
  missing: Missing,
  owner: ClassDefinition | undefined,
): JsonObject {
  const properties: JsonObject = {};
  const required: string[] = [];
  for (const [name, condition] of expression.slots) {
    properties[name] = projectCondition(projection, condition, owner, name);
    if (demandsValue(condition, missing)) required.push(name);
  }
  const branches = (list: readonly ClassExpression[], branchMissing = missing): JsonValue[] | undefined =>
    list.length > 0
      ? list.map((branch) => projectExpression(projection, branch, branchMissing, owner))
      : undefined;
  const none = branches(expression.noneOf, 'unfulfilled');
  const isA = expression.isA && projectIsA(projection, expression.isA, owner);
  const all = [...(branches(expression.allOf) ?? []), ...(isA ? [isA] : [])];
  return withoutUndefined({
    type: expression.slots.size > 0 ? 'object' : undefined,
    properties: expression.slots.size > 0 ? properties : undefined,
    required: required.length > 0 ? required : undefined,
    anyOf: branches(expression.anyOf),
    allOf: all.length > 0 ? all : undefined,
    oneOf: branches(expression.exactlyOneOf),
    not: none ? { anyOf: none } : undefined,
  });
}

/** Whether objects of a class belong to another class follows from the class; for other objects, from their content. */
function projectIsA(
  projection: Projection,
  range: SlotRange,
  owner: ClassDefinition | undefined,
): JsonObject {
  if (range.kind === 'any') return {};
  if (owner) {
    const fits = range.kind === 'class' && owner.ancestors.includes(range.className);
    return fits ? {} : { not: {} };
  }
  const object = projectRange(projection, range);
  const isNamed = range.kind === 'class' && projection.classes.get(range.className)?.identifier;
  return isNamed
    ? { anyOf: [object, projectRange(projection, { ...range, inlining: 'reference' })] }
    : object;
}

/** A condition on a slot applies to each of its values. */
function projectCondition(
  projection: Projection,
  condition: SlotExpression,
  owner: ClassDefinition | undefined,
  name: string,
): JsonValue {
  const { minimumCardinality, maximumCardinality, valuePresence } = condition;
  if (valuePresence === 'ABSENT' || maximumCardinality === 0) return false;
  const slot = owner?.slots.get(name);
  const value = projectConstraints(projection, condition, jsonTypeOf(slot?.range));
  const bounds = withoutUndefined({
    minItems: minimumCardinality || undefined,
    maxItems: maximumCardinality,
  });
  const items = withoutUndefined({ items: Object.keys(value).length > 0 ? value : undefined, ...bounds });
  if (Object.keys(items).length === 0) return {};
  const list = { type: 'array', ...items };
  const isMapping =
    slot?.range.kind === 'class' && (slot.range.inlining === 'dict' || slot.range.inlining === 'simple-dict');
  if (slot && !slot.multivalued) return value;
  if (slot && !isMapping && slot.range.kind !== 'any' && slot.range.kind !== 'array') return list;
  // biome-ignore lint/suspicious/noThenProperty: JSON Schema calls it so.
  return { if: { type: 'array' }, then: list, else: value };
}
