/** Slots, ranges and constraints as JSON Schema: what `json-schema.ts` puts classes together from. */
import type { JsonObject, JsonValue } from '../json.ts';
import type { Definitions } from './define/define.ts';
import type {
  ArrayShape,
  ClassDefinition,
  Constraints,
  SlotDefinition,
  SlotExpression,
  SlotRange,
  TypeDefinition,
} from './model.ts';

export type Classes = Pick<Definitions, 'classes' | 'descendants'>;

/** What a projection needs: the classes, and the address below which the schemas of classes are found. */
export type Projection = Classes & { readonly definitions: string };

/** A slot of a class, as a member of its objects. */
export function projectSlot(
  projection: Projection,
  owner: ClassDefinition,
  slot: SlotDefinition,
): JsonObject {
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
export function projectConstraints(
  projection: Projection,
  constraints: SlotExpression | Constraints,
): JsonObject {
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

/** The pattern, which is searched for as in the check; left out where it is no regular expression of ECMAScript. */
function projectPattern(pattern: string | undefined): string | undefined {
  if (pattern === undefined) return undefined;
  try {
    new RegExp(pattern, 'u');
    return pattern;
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

/** The members that have a value. */
export function defined(object: Readonly<Record<string, JsonValue | undefined>>): JsonObject {
  return Object.fromEntries(
    Object.entries(object).filter((entry): entry is [string, JsonValue] => entry[1] !== undefined),
  );
}
