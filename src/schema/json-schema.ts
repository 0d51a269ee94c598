/**
 * A class as JSON Schema 2020-12: a projection of the same induced slots that the check is compiled from.
 *
 * It describes canonical records, which is what is stored and answered. A check accepts more (it converts `"5"` to 5
 * where an integer is expected) and, in the points listed in `docs/linkml.md`, JSON Schema can say less.
 */
import { canonicalJson, type JsonObject, type JsonValue } from '../json.ts';
import { demandsValue, type Missing } from './check/rules.ts';
import {
  type Classes,
  defined,
  type Projection,
  projectConstraints,
  projectSlot,
} from './json-schema-slots.ts';
import type { ClassDefinition, ClassExpression } from './model.ts';

/**
 * The JSON Schema of one class.
 *
 * @param definitions where the schemas of classes are found. Without it, they come along in `$defs`
 */
export function classJsonSchema(schema: Classes, className: string, definitions?: string): JsonObject {
  const projection = {
    classes: schema.classes,
    descendants: (name: string) => schema.descendants(name),
    definitions: definitions ?? '#/$defs/',
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

/** The names behind every `$ref` to `#/$defs/`. */
function* referencedClasses(value: JsonValue): Generator<string> {
  for (const [, name] of canonicalJson(value).matchAll(/"\$ref":"#\/\$defs\/([^"]+)"/g)) yield name as string;
}

function projectClass(projection: Projection, className: string): JsonObject {
  const definition = projection.classes.get(className);
  if (!definition || definition.isAny) return {};
  // The type designator comes first: a validator that goes by the order then leaves wrong branches at once.
  const slots = [...definition.slots.values()].sort(
    (a, b) => Number(b.designatesType) - Number(a.designatesType),
  );
  const required = slots
    .filter((slot) => slot.required || slot.identifier || slot.key)
    .map(({ name }) => name);
  return defined({
    title: definition.title ?? definition.name,
    description: definition.description,
    type: 'object',
    properties: Object.fromEntries(
      slots.map((slot) => [slot.name, projectSlot(projection, definition, slot)]),
    ),
    required: required.length > 0 ? required : undefined,
    additionalProperties: false,
    ...conditions(projection, definition),
  });
}

/** The boolean expressions and rules of a class, as one `allOf`. */
function conditions(projection: Projection, { expression, rules }: ClassDefinition): JsonObject {
  const all: JsonValue[] = [];
  const own = projectExpression(projection, expression);
  if (own) all.push(own);
  for (const { preconditions, postconditions, elseconditions, bidirectional, openWorld } of rules) {
    const concluded = openWorld ? 'open' : 'unfulfilled';
    const before = projectExpression(projection, preconditions, 'unfulfilled') ?? {};
    const after = projectExpression(projection, postconditions, concluded);
    const otherwise = projectExpression(projection, elseconditions, concluded);
    // biome-ignore lint/suspicious/noThenProperty: JSON Schema calls it so.
    if (after || otherwise) all.push(defined({ if: before, then: after, else: otherwise }));
    if (!bidirectional || !postconditions || !preconditions) continue;
    const premise = projectExpression(projection, postconditions, 'unfulfilled') ?? {};
    const conclusion = projectExpression(projection, preconditions, concluded) ?? {};
    // biome-ignore lint/suspicious/noThenProperty: JSON Schema calls it so.
    all.push({ if: premise, then: conclusion });
  }
  return all.length > 0 ? { allOf: all } : {};
}

/** Conditions on the slots of an object; undefined where there are none. */
function projectExpression(
  projection: Projection,
  expression: ClassExpression | undefined,
  missing: Missing = 'fulfilled',
): JsonObject | undefined {
  if (!expression) return undefined;
  const properties: JsonObject = {};
  const required: string[] = [];
  for (const [name, condition] of expression.slots) {
    const absent = condition.valuePresence === 'ABSENT' || condition.maximumCardinality === 0;
    properties[name] = absent ? false : anyShape(projectConstraints(projection, condition));
    if (demandsValue(condition, missing)) required.push(name);
  }
  const branches = (list: readonly ClassExpression[], branchMissing = missing): JsonValue[] | undefined =>
    list.length > 0
      ? list.map((branch) => projectExpression(projection, branch, branchMissing) ?? {})
      : undefined;
  const none = branches(expression.noneOf, 'unfulfilled');
  const projected = defined({
    properties: Object.keys(properties).length > 0 ? properties : undefined,
    required: required.length > 0 ? required : undefined,
    anyOf: branches(expression.anyOf),
    allOf: branches(expression.allOf),
    oneOf: branches(expression.exactlyOneOf),
    not: none ? { anyOf: none } : undefined,
  });
  return Object.keys(projected).length > 0 ? projected : undefined;
}

/** A condition on a slot holds for each of its values, however many there are. */
function anyShape(value: JsonObject): JsonObject {
  if (Object.keys(value).length === 0) return value;
  // biome-ignore lint/suspicious/noThenProperty: JSON Schema calls it so.
  return { if: { type: 'array' }, then: { items: value }, else: value };
}
