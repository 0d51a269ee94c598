/**
 * A class as JSON Schema 2020-12: a projection of the same induced slots that the check is compiled from.
 *
 * It describes canonical records, which is what is stored and answered. A check accepts more (it converts `"5"` to 5
 * where an integer is expected) and, in the points listed in `docs/linkml.md`, JSON Schema can say less.
 */
import { canonicalJson, type JsonObject, type JsonValue } from '../json.ts';
import type { Definitions } from './define/define.ts';
import type {
  ArrayShape,
  ClassDefinition,
  ClassExpression,
  Constraints,
  SlotDefinition,
  SlotExpression,
  SlotRange,
  TypeDefinition,
} from './model.ts';

type Classes = Pick<Definitions, 'classes' | 'descendants'>;

/** What a projection needs: the classes, and the address below which the schemas of classes are found. */
type Projection = Classes & { readonly definitions: string };

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
  for (const { preconditions, postconditions, elseconditions, bidirectional } of rules) {
    const before = projectExpression(projection, preconditions, 'premise') ?? {};
    const after = projectExpression(projection, postconditions);
    const otherwise = projectExpression(projection, elseconditions);
    // biome-ignore lint/suspicious/noThenProperty: JSON Schema calls it so.
    if (after || otherwise) all.push(defined({ if: before, then: after, else: otherwise }));
    const conclusion = bidirectional ? projectExpression(projection, postconditions, 'premise') : undefined;
    // biome-ignore lint/suspicious/noThenProperty: JSON Schema calls it so.
    if (conclusion) all.push({ if: conclusion, then: before });
  }
  return all.length > 0 ? { allOf: all } : {};
}

/**
 * Conditions on the slots of an object; undefined where there are none.
 *
 * @param role a premise holds only where its slots have values; what follows from it demands no value by itself
 */
function projectExpression(
  projection: Projection,
  expression: ClassExpression | undefined,
  role: 'premise' | 'conclusion' = 'conclusion',
): JsonObject | undefined {
  if (!expression) return undefined;
  const properties: JsonObject = {};
  const required: string[] = [];
  for (const [name, condition] of expression.slots) {
    const absent = condition.valuePresence === 'ABSENT' || condition.maximumCardinality === 0;
    properties[name] = absent ? false : anyShape(projectConstraints(projection, condition));
    const demanded = condition.required === true || condition.valuePresence === 'PRESENT';
    if (demanded || (role === 'premise' && !absent)) required.push(name);
  }
  const branches = (list: readonly ClassExpression[]): JsonValue[] | undefined =>
    list.length > 0 ? list.map((branch) => projectExpression(projection, branch, role) ?? {}) : undefined;
  const none = branches(expression.noneOf);
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

function projectSlot(projection: Projection, owner: ClassDefinition, slot: SlotDefinition): JsonObject {
  const text = { title: slot.title, description: slot.description, default: slot.default };
  // A class accepts its own name alone: an inlined object of a class below is one of that class's own branch.
  if (slot.designatesType) return defined({ ...text, ...projectDesignator(projection, owner, slot) });
  const one = projectValue(projection, slot.range, slot.constraints);
  if (!slot.multivalued) return defined({ ...text, ...single(projection, slot, one) });
  const { minimumCardinality, maximumCardinality } = slot.constraints;
  const least = Math.max(minimumCardinality ?? 0, slot.required ? 1 : 0) || undefined;
  if (isMapping(slot.range)) {
    const bounds = { minProperties: least, maxProperties: maximumCardinality };
    return defined({ ...text, ...projectRange(projection, slot.range), ...bounds });
  }
  const uniqueItems = slot.uniqueElements ? true : undefined;
  return defined({
    ...text,
    type: 'array',
    items: one,
    minItems: least,
    maxItems: maximumCardinality,
    uniqueItems,
  });
}

function projectValue(projection: Projection, range: SlotRange, constraints: Constraints): JsonObject {
  if (range.kind === 'array') return arrayOf(projectValue(projection, range.of, constraints), range.shape);
  return both(projectRange(projection, range), projectConstraints(projection, constraints));
}

/** Lists in lists, one schema for each number of dimensions. Where that has no end, only that there is a list. */
function arrayOf(value: JsonObject, { dimensions: { least = 1, most }, sizes }: ArrayShape): JsonObject {
  if (most === undefined) return { type: 'array' };
  const nested = (depth: number, level = 0): JsonObject =>
    level === depth
      ? value
      : defined({
          type: 'array',
          items: nested(depth, level + 1),
          minItems: sizes[level]?.least,
          maxItems: sizes[level]?.most,
        });
  const depths = Array.from({ length: Math.max(most - least, 0) + 1 }, (_, index) => least + index);
  return depths.length === 1 ? nested(least) : { anyOf: depths.map((depth) => nested(depth)) };
}

function projectDesignator(
  { classes }: Projection,
  owner: ClassDefinition,
  slot: SlotDefinition,
): JsonObject {
  const own = { type: 'string', const: owner.designation! };
  if (!slot.multivalued) return own;
  const names = owner.ancestors
    .map((name) => classes.get(name)?.designation)
    .filter((name) => name !== undefined);
  return { type: 'array', items: { enum: [...new Set(names)] }, contains: own };
}

/** A slot for one object may stand as a mapping with one entry, where its class has a key and the slot says so. */
function single(projection: Projection, slot: SlotDefinition, one: JsonObject): JsonObject {
  if (!isMapping(slot.range)) return one;
  return { ...projectRange(projection, slot.range), minProperties: 1, maxProperties: 1 };
}

function isMapping(range: SlotRange): boolean {
  return range.kind === 'class' && (range.inlining === 'dict' || range.inlining === 'simple-dict');
}

function projectRange(projection: Projection, range: SlotRange): JsonObject {
  switch (range.kind) {
    case 'any':
      return {};
    case 'array':
      return arrayOf(projectRange(projection, range.of), range.shape);
    case 'type':
      return projectType(projection, range.type);
    case 'enum':
      return range.enum.open ? { type: 'string' } : { type: 'string', enum: [...range.enum.values.keys()] };
    case 'union':
      return { anyOf: range.alternatives.map((alternative) => projectRange(projection, alternative)) };
    case 'class':
      return projectClassRange(projection, range.className, range.inlining);
  }
}

/** No value fits: an abstract class without a designator that could name one below it. */
const NOTHING: JsonObject = { not: {} };

function projectClassRange(projection: Projection, className: string, inlining: string): JsonObject {
  const { classes, descendants, definitions } = projection;
  if (inlining === 'reference') {
    const identifier = classes.get(className)?.identifier;
    return identifier ? projectRange(projection, identifier.range) : { type: 'string' };
  }
  const definition = classes.get(className);
  // Only where objects say what they are, one of a class below can stand for one of the class.
  const allowed = definition?.typeDesignator ? descendants(className) : [className];
  const references = allowed
    .filter((name) => !classes.get(name)?.abstract)
    .map((name) => ({ $ref: definitions + name }));
  const [only, ...others] = references;
  const object = only && others.length > 0 ? { anyOf: references } : (only ?? NOTHING);
  if (inlining === 'object') return object;
  if (inlining === 'dict') return { type: 'object', additionalProperties: object };
  const [value] = [...(definition?.slots.values() ?? [])].filter((slot) => !slot.identifier && !slot.key);
  if (!definition || !value) return { type: 'object', additionalProperties: object };
  const short = projectSlot(projection, definition, value);
  return { type: 'object', additionalProperties: { anyOf: [short, object] } };
}

/** The JSON form of the canonical values of each built-in type; those that are not here are texts. */
const JSON_FORMS: Readonly<Record<string, JsonObject>> = {
  integer: { type: 'integer' },
  boolean: { type: 'boolean' },
  float: { type: 'number' },
  double: { type: 'number' },
  decimal: { type: 'string', pattern: '^[-+]?(\\d+\\.?\\d*|\\.\\d+)([eE][-+]?\\d+)?$' },
  date: { type: 'string', format: 'date' },
  datetime: { type: 'string', pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}' },
  curie: { type: 'string', pattern: '^[!-~]*:[!-~]*$' },
  uriorcurie: { type: 'string', pattern: '^[!-~]*$' },
  uri: { type: 'string', pattern: '^[!-~]*$' },
  ncname: { type: 'string', pattern: '^[^\\s:]*$' },
};

function projectType(projection: Projection, type: TypeDefinition): JsonObject {
  if (type.unionOf.length > 0) {
    return { anyOf: type.unionOf.map((member) => projectType(projection, member)) };
  }
  const form = JSON_FORMS[type.base] ?? { type: 'string' };
  const constraints = projectConstraints(projection, type.constraints);
  // The check takes an empty text for a value of every text type, whatever its pattern.
  const { pattern } = constraints;
  return both(form, pattern === undefined ? constraints : { ...constraints, pattern: `${pattern}|^$` });
}

/** What one value must satisfy beyond its range, in as far as JSON Schema can say it. */
function projectConstraints(projection: Projection, constraints: SlotExpression | Constraints): JsonObject {
  const { anyOf, allOf, exactlyOneOf, noneOf, equalsString, equalsNumber, equalsStringIn } = constraints;
  const range =
    'range' in constraints && constraints.range ? projectRange(projection, constraints.range) : {};
  const branches = (list: readonly SlotExpression[] | undefined): JsonValue[] | undefined =>
    list?.length ? list.map((branch) => projectConstraints(projection, branch)) : undefined;
  const none = branches(noneOf);
  const own = defined({
    pattern: projectPattern(constraints.pattern),
    minimum: numberOf(constraints.minimumValue),
    maximum: numberOf(constraints.maximumValue),
    const: equalsString ?? numberOf(equalsNumber),
    enum: equalsStringIn && [...equalsStringIn],
    anyOf: branches(anyOf),
    allOf: branches(allOf),
    oneOf: branches(exactlyOneOf),
    not: none ? { anyOf: none } : undefined,
  });
  return both(range, own);
}

/** A bound on numbers; bounds on dates can't be said. */
function numberOf(value: JsonValue | undefined): number | undefined {
  if (value === undefined || value === null || typeof value === 'string') return undefined;
  const number = Number(value);
  return Number.isFinite(number) ? number : undefined;
}

/** The pattern, anchored at its start as LinkML's are; left out where it is no regular expression of ECMAScript. */
function projectPattern(pattern: string | undefined): string | undefined {
  if (pattern === undefined) return undefined;
  const anchored = pattern.startsWith('^') && !pattern.includes('|') ? pattern : `^(?:${pattern})`;
  try {
    new RegExp(anchored, 'u');
    return anchored;
  } catch {
    return undefined;
  }
}

/** Both at once: one object where they say different things, `allOf` where they use the same words. */
function both(first: JsonObject, second: JsonObject): JsonObject {
  const clash = Object.keys(second).some((word) => Object.hasOwn(first, word)) || '$ref' in first;
  if (!clash || Object.keys(second).length === 0) return { ...first, ...second };
  return { allOf: [first, second] };
}

function defined(object: Readonly<Record<string, JsonValue | undefined>>): JsonObject {
  return Object.fromEntries(
    Object.entries(object).filter((entry): entry is [string, JsonValue] => entry[1] !== undefined),
  );
}
