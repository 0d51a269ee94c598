/**
 * A class as JSON Schema 2020-12: a projection of the same induced slots that the check is compiled from.
 *
 * It describes canonical records, which are stored and returned. A check accepts more (it converts `"5"` to 5 if an
 * integer is expected) and, in the points listed in `docs/linkml.md`, JSON Schema can say less: a `$comment` then names
 * the element.
 */
import { canonicalJson, defined, type JsonObject, type JsonValue } from '../../json.ts';
import { projectExpression, projectRules } from './conditions.ts';
import { type Classes, NO_VALUE, type Projection, projectConstraints, projectSlot } from './slots.ts';

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
    return defined({
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
  return defined({
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
