/** Slots, ranges and constraints as JSON Schema. */
import type { Definitions } from '../define/define.ts';
import { classesInRange } from '../designation.ts';
import { type Groups, splitGroups } from '../expression-groups.ts';
import { type JsonObject, type JsonValue, Numeral, withoutUndefined } from '../json.ts';
import type {
  ArrayShape,
  ClassDefinition,
  ClassExpression,
  Constraints,
  SlotDefinition,
  SlotExpression,
  SlotRange,
  TypeDefinition,
} from '../model.ts';
import { UntranslatablePattern } from '../patterns/python-char-class.ts';
import { translate } from '../patterns/python-regex.ts';

export type Classes = Pick<Definitions, 'classes' | 'descendants'>;

/** The input of a projection: the classes, and the address below which the schemas of classes are found. */
export type Projection = Classes & {
  readonly definitions: string;
  /** An expression on objects whose class is not known. */
  objectCondition(expression: ClassExpression): JsonObject;
};

/** A slot of a class, as a member of its objects. */
export function projectSlot(
  projection: Projection,
  owner: ClassDefinition,
  slot: SlotDefinition,
): JsonObject {
  const text = { title: slot.title, description: slot.description, default: slot.default };
  // A class accepts its own name alone: an inlined object of a class below is one of that class's own branch.
  if (slot.designatesType)
    return withoutUndefined({ ...text, ...projectDesignator(projection, owner, slot) });
  const one = projectValue(projection, slot.range, slot.constraints);
  if (!slot.multivalued)
    return slot.constraints.valuePresence === 'ABSENT'
      ? withoutUndefined({ ...text, ...NO_VALUE })
      : withoutUndefined({ ...text, ...single(projection, slot, one) });
  const { minimumCardinality, maximumCardinality, hasMember, allMembers, valuePresence } = slot.constraints;
  if (valuePresence === 'ABSENT') return withoutUndefined({ ...text, ...NO_VALUE });
  const type = jsonTypeOf(slot.range);
  const member = hasMember && projectConstraints(projection, hasMember, type);
  const every = allMembers && projectConstraints(projection, allMembers, type);
  const least = Math.max(minimumCardinality ?? 0, slot.required ? 1 : 0) || undefined;
  const isMapping = isMappingRange(slot.range);
  const together = projectGroups(splitGroups(slot.constraints).together, (branch) =>
    projectMembers(projection, branch, type, isMapping),
  );
  if (isMapping) {
    const bounds = { minProperties: least, maxProperties: maximumCardinality };
    const mapping = projectRange(projection, slot.range);
    const all = every && { additionalProperties: every, type: 'object' };
    // A mapping has an entry that fits, unless all of its entries don't.
    const some = member && { not: { type: 'object', additionalProperties: { not: member } } };
    const conditions = [all, some].filter((one) => one !== undefined);
    const whole = {
      ...text,
      ...mapping,
      ...bounds,
      allOf: conditions.length > 0 ? conditions : undefined,
    };
    return both(withoutUndefined(whole), together);
  }
  const uniqueItems = slot.uniqueElements ? true : undefined;
  const list = withoutUndefined({
    ...text,
    type: 'array',
    items: every ? both(one, every) : one,
    contains: member,
    minItems: least,
    maxItems: maximumCardinality,
    uniqueItems,
  });
  return both(list, together);
}

/** A branch about all values of a slot: their number, and each of them. */
function projectMembers(
  projection: Projection,
  branch: SlotExpression,
  type: JsonType,
  isMapping: boolean,
): JsonObject {
  const { minimumCardinality: least, maximumCardinality: most } = branch;
  const value = projectConstraints(projection, branch, type);
  const each = Object.keys(value).length > 0 ? value : undefined;
  return isMapping
    ? withoutUndefined({ minProperties: least, maxProperties: most, additionalProperties: each })
    : withoutUndefined({ minItems: least, maxItems: most, items: each });
}

function projectValue(projection: Projection, range: SlotRange, constraints: Constraints): JsonObject {
  if (range.kind === 'array') return arrayOf(projectValue(projection, range.of, constraints), range.shape);
  return both(
    projectRange(projection, range),
    projectConstraints(projection, constraints, jsonTypeOf(range)),
  );
}

/** Lists in lists, one schema for each number of dimensions. Where that has no end, only that there is a list. */
function arrayOf(value: JsonObject, { dimensions: { least = 1, most }, sizes }: ArrayShape): JsonObject {
  if (most === undefined) return { type: 'array' };
  const nested = (depth: number, level = 0): JsonObject =>
    level === depth
      ? value
      : withoutUndefined({
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

/** A slot for one object may be a mapping with one entry if its class has a key and the slot allows it. */
function single(projection: Projection, slot: SlotDefinition, one: JsonObject): JsonObject {
  if (!isMappingRange(slot.range)) return one;
  return { ...projectRange(projection, slot.range), minProperties: 1, maxProperties: 1 };
}

function isMappingRange(range: SlotRange): boolean {
  return range.kind === 'class' && (range.inlining === 'dict' || range.inlining === 'simple-dict');
}

export function projectRange(projection: Projection, range: SlotRange): JsonObject {
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
export const NO_VALUE: JsonObject = { not: {} };

function projectClassRange(projection: Projection, className: string, inlining: string): JsonObject {
  const { classes, definitions } = projection;
  if (inlining === 'reference') {
    const identifier = classes.get(className)?.identifier;
    return identifier ? projectRange(projection, identifier.range) : { type: 'string' };
  }
  const references = classesInRange(projection, className).map(({ name }) => ({ $ref: definitions + name }));
  const [only, ...others] = references;
  const object = only && others.length > 0 ? { anyOf: references } : (only ?? NO_VALUE);
  if (inlining === 'object') return object;
  if (inlining === 'dict') return { type: 'object', additionalProperties: object };
  const definition = classes.get(className);
  const [value] = [...(definition?.slots.values() ?? [])].filter((slot) => !slot.identifier && !slot.key);
  if (!definition || !value) return { type: 'object', additionalProperties: object };
  const short = projectSlot(projection, definition, value);
  return { type: 'object', additionalProperties: { anyOf: [short, object] } };
}

/** ISO 8601, extended or basic, down to hours, with or without a zone. */
const TIME_OF_DAY =
  '^T?([01]\\d|2[0-3])(:[0-5]\\d(:[0-5]\\d([.,]\\d+)?)?|[0-5]\\d([0-5]\\d([.,]\\d+)?)?)?(Z|[+-]([01]\\d|2[0-3])(:?\\d{2}(:?\\d{2}(\\.\\d+)?)?)?)?$';

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
  time: { type: 'string', pattern: TIME_OF_DAY },
};

function projectType(projection: Projection, type: TypeDefinition): JsonObject {
  if (type.unionOf.length > 0) {
    return { anyOf: type.unionOf.map((member) => projectType(projection, member)) };
  }
  const form = JSON_FORMS[type.base] ?? { type: 'string' };
  const constraints = projectConstraints(projection, type.constraints, form.type as JsonType);
  // The check accepts an empty string as a value of every string type, whatever its constraints.
  const isOpen = form.type !== 'string' || Object.keys(constraints).length === 0;
  return isOpen ? both(form, constraints) : both(form, { anyOf: [constraints, { const: '' }] });
}

/** The JSON type that all values of a range have, if it is one. */
type JsonType = 'string' | 'integer' | 'number' | 'boolean' | 'object' | undefined;

/** The JSON type of a single value of a range; undefined if it can have several, or is not known. */
export function jsonTypeOf(range: SlotRange | undefined): JsonType {
  switch (range?.kind) {
    case 'type':
      return range.type.unionOf.length > 0
        ? undefined
        : ((JSON_FORMS[range.type.base]?.type as JsonType) ?? 'string');
    case 'enum':
      return 'string';
    case 'class':
      return range.inlining === 'reference' ? 'string' : 'object';
    default:
      return undefined;
  }
}

/**
 * The constraints on one value, as far as JSON Schema can say them; a `$comment` names what it cannot.
 *
 * @param type the JSON type of the values, if it is known
 */
export function projectConstraints(
  projection: Projection,
  constraints: SlotExpression | Constraints,
  type: JsonType,
): JsonObject {
  const own = 'range' in constraints ? constraints.range : undefined;
  const known = own ? jsonTypeOf(own) : type;
  if (own && !canMeet(known, type)) return NO_VALUE;
  const groups = projectGroups(splitGroups(constraints).each, (branch) =>
    projectConstraints(projection, branch, known),
  );
  const parts = [
    own ? projectRange(projection, own) : {},
    ...patternPart(constraints.pattern, known),
    ...boundsPart(constraints, known),
    ...fixedPart(constraints, known),
    groups,
    constraints.rangeExpression ? projection.objectCondition(constraints.rangeExpression) : {},
  ];
  return parts.reduce(both, {});
}

function projectGroups(
  { anyOf, allOf, exactlyOneOf, noneOf }: Groups,
  project: (branch: SlotExpression) => JsonObject,
): JsonObject {
  const branches = (list: readonly SlotExpression[] | undefined): JsonValue[] | undefined =>
    list?.length ? list.map(project) : undefined;
  const none = branches(noneOf);
  return withoutUndefined({
    anyOf: branches(anyOf),
    allOf: branches(allOf),
    oneOf: branches(exactlyOneOf),
    not: none ? { anyOf: none } : undefined,
  });
}

/** Whether a value can be of both types. */
function canMeet(one: JsonType, other: JsonType): boolean {
  const kind = (type: JsonType): JsonType => (type === 'integer' ? 'number' : type);
  return one === undefined || other === undefined || kind(one) === kind(other);
}

/** A pattern applies to strings alone. */
function patternPart(pattern: string | undefined, type: JsonType): JsonObject[] {
  if (pattern === undefined || (type !== undefined && type !== 'string')) return [];
  const translated = ecmaScriptPattern(pattern);
  if (translated === undefined)
    return [{ $comment: `The pattern ${pattern} has no form in ECMAScript; only the service checks it.` }];
  return [onlyFor('string', { pattern: translated }, type)];
}

/** Bounds apply to numbers. Those of dates, times and decimals, which are strings in JSON, cannot be said. */
function boundsPart({ minimumValue, maximumValue }: Constraints, type: JsonType): JsonObject[] {
  if (minimumValue === undefined && maximumValue === undefined) return [];
  const bounds = withoutUndefined({ minimum: numberValue(minimumValue), maximum: numberValue(maximumValue) });
  if (Object.keys(bounds).length === 0 || type === 'string')
    return [{ $comment: 'Bounds on strings (dates, decimals) are only checked by the service.' }];
  if (type === 'integer' || type === 'number') return [{ type, ...bounds }];
  return type === undefined ? [onlyFor('number', bounds, type)] : [];
}

function fixedPart(
  { equalsString, equalsStringIn, equalsNumber }: Constraints,
  type: JsonType,
): JsonObject[] {
  const allowed = equalsString === undefined ? equalsStringIn : [equalsString];
  const parts: JsonObject[] = [];
  if (allowed) {
    const values = allowed.flatMap((text) => valuesWritten(text, type));
    parts.push(values.length === 1 ? { const: values[0]! } : { enum: values });
  }
  const number = numberValue(equalsNumber);
  if (number !== undefined && type !== 'string') parts.push({ const: number });
  else if (equalsNumber !== undefined)
    parts.push({ $comment: 'The equality of decimal numbers is only checked by the service.' });
  return parts;
}

/** The values that are written like a string, which is how `equals_string` compares them. */
function valuesWritten(text: string, type: JsonType): JsonValue[] {
  if (type === 'string') return [text];
  const number = /^-?\d+(\.\d+)?$/.test(text) ? [Number(text)] : [];
  const boolean = /^(?:true|false)$/i.test(text) ? [text.toLowerCase() === 'true'] : [];
  if (type === 'boolean') return boolean.length > 0 ? boolean : [text];
  if (type === 'integer' || type === 'number') return number.length > 0 ? number : [text];
  return [text, ...number, ...boolean];
}

/** A condition on values of one JSON type; other values pass. */
function onlyFor(wanted: 'string' | 'number', condition: JsonObject, type: JsonType): JsonObject {
  const typed = { type: wanted, ...condition };
  return type === wanted ? typed : { anyOf: [typed, { not: { type: wanted } }] };
}

function numberValue(value: JsonValue | undefined): number | undefined {
  if (typeof value !== 'number' && !(value instanceof Numeral)) return undefined;
  const number = Number(value);
  return Number.isFinite(number) ? number : undefined;
}

/** Both schemas: merged if they have different keywords, else `allOf`. */
function both(first: JsonObject, second: JsonObject): JsonObject {
  if (Object.keys(first).length === 0) return second;
  const clash = Object.keys(second).some(
    (word) => Object.hasOwn(first, word) && first[word] !== second[word],
  );
  const isReference = '$ref' in first || '$ref' in second;
  if ((!clash && !isReference) || Object.keys(second).length === 0) return { ...first, ...second };
  return { allOf: [first, second] };
}

/** A Python pattern in ECMAScript; undefined if it has no form there. */
function ecmaScriptPattern(pattern: string): string | undefined {
  try {
    const { body, flags } = translate(pattern, 'javascript', isReferring(pattern) ? 'named' : 'plain');
    const whole = flags === '' ? body : `(?${flags}:${body})`;
    new RegExp(whole, 'u');
    return whole;
  } catch (error) {
    if (error instanceof UntranslatablePattern || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Whether groups may be referred to, so that they need their names. */
function isReferring(pattern: string): boolean {
  return /\\[1-9]|\(\?P=|\(\?>|[*+?}]\+/.test(pattern);
}
