/**
 * Valid records of a class, made up by fast-check from the schema alone.
 *
 * What the ranges say is generated; what other constraints say (patterns, bounds, expressions) is left to the check of
 * the schema: a slot that it finds fault with is dropped, and a record that it still refuses is thrown away.
 */
import fc from 'fast-check';
import type { JsonObject, JsonValue } from '../src/json.ts';
import type { ClassDefinition, LinkmlSchema, SlotDefinition, SlotRange } from '../src/linkml.ts';

/** How deep inlined objects go; below, only what is required is generated. */
const DEPTH = 3;

/** So many misses in a row, and the class has no record that this file could find: an abstract class, say. */
const MAX_MISSES = 200;

/** Canonical records of a class, as the check of the schema returns them. @throws Error where none can be made */
export function arbitraryRecord(schema: LinkmlSchema, className: string): fc.Arbitrary<JsonObject> {
  const definition = schema.classes.get(className);
  if (!definition) throw new Error(`The schema has no class ${className}.`);
  let misses = 0;
  return objectOf(schema, definition, DEPTH)
    .map((record) => repaired(schema, className, record))
    .filter((record) => {
      misses = record === undefined ? misses + 1 : 0;
      if (misses > MAX_MISSES) throw new Error(`No valid record of the class ${className} could be made.`);
      return record !== undefined;
    });
}

/** The canonical form of a record, without the slots that made it invalid; undefined where that does not help. */
function repaired(schema: LinkmlSchema, className: string, record: JsonObject): JsonObject | undefined {
  let candidate = record;
  for (let round = 0; round < 4; round++) {
    const checked = schema.check(className, candidate);
    if (checked.valid) return checked.record;
    const faulty = new Set(checked.problems.map((problem) => String(problem.loc[0])));
    candidate = Object.fromEntries(Object.entries(candidate).filter(([key]) => !faulty.has(key)));
  }
  return undefined;
}

function objectOf(
  schema: LinkmlSchema,
  definition: ClassDefinition,
  depth: number,
): fc.Arbitrary<JsonObject> {
  const slots = [...definition.slots.values()].filter((slot) => !slot.designatesType);
  const needed = slots.filter((slot) => slot.required || slot.identifier || slot.key);
  const others = slots.filter((slot) => !needed.includes(slot));
  // Classes have dozens of slots, and objects in many of them: a few at a time keep the records small and different.
  const chosen = fc.subarray(others, { maxLength: Math.min(others.length, depth <= 0 ? 0 : 2 * depth) });
  return chosen.chain((some) =>
    fc.record(
      Object.fromEntries([...needed, ...some].map((slot) => [slot.name, slotValue(schema, slot, depth)])),
      {
        noNullPrototype: true,
      },
    ),
  );
}

function slotValue(schema: LinkmlSchema, slot: SlotDefinition, depth: number): fc.Arbitrary<JsonValue> {
  if (slot.identifier) return pid(schema);
  const range = slot.range;
  if (range.kind === 'class' && range.inlining !== 'reference') return inlined(schema, slot, range, depth);
  const one = scalar(schema, range, depth);
  return slot.multivalued ? fc.uniqueArray(one, { minLength: 1, maxLength: 3, selector: String }) : one;
}

type ClassRange = Extract<SlotRange, { kind: 'class' }>;

function inlined(
  schema: LinkmlSchema,
  slot: SlotDefinition,
  range: ClassRange,
  depth: number,
): fc.Arbitrary<JsonValue> {
  const definition = schema.classes.get(range.className);
  if (!definition) return fc.constant(null);
  const naming = definition.identifier ?? definition.key;
  const object = fc.constant(null).chain(() => objectOf(schema, definition, depth - 1));
  if (!slot.multivalued && range.inlining === 'object') return object;
  if (range.inlining === 'object' || !naming)
    return fc.array(object, { minLength: 1, maxLength: 2 }).map((list) => unique(list, naming?.name));
  return fc
    .array(object, { minLength: 1, maxLength: 2 })
    .map((list) => Object.fromEntries(list.map((entry) => [String(entry[naming.name]), entry])));
}

function unique(objects: readonly JsonObject[], naming: string | undefined): JsonObject[] {
  if (naming === undefined) return [...objects];
  return [...new Map(objects.map((object) => [String(object[naming]), object])).values()];
}

function scalar(schema: LinkmlSchema, range: SlotRange, depth: number): fc.Arbitrary<JsonValue> {
  switch (range.kind) {
    case 'type':
      return (BY_BASE[range.type.base] ?? anyText)(schema);
    case 'enum':
      return range.enum.values.size === 0 ? anyText() : fc.constantFrom(...range.enum.values.keys());
    case 'class':
      return pid(schema);
    case 'any':
      return fc.oneof(anyText(), fc.integer(), fc.boolean(), fc.array(fc.integer()));
    case 'array':
      return fc.array(fc.array(scalar(schema, range.of, depth)));
    case 'union':
      return fc.oneof(...range.alternatives.map((one) => memberOf(schema, one, depth)));
  }
}

function memberOf(schema: LinkmlSchema, range: SlotRange, depth: number): fc.Arbitrary<JsonValue> {
  const definition =
    range.kind === 'class' && range.inlining !== 'reference'
      ? schema.classes.get(range.className)
      : undefined;
  return definition ? objectOf(schema, definition, Math.min(depth - 1, 1)) : scalar(schema, range, depth);
}

const LETTERS = [...'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-'];

/** A few characters that may stand in a name, the first of them a letter. */
function word(): fc.Arbitrary<string> {
  return fc
    .tuple(fc.constantFrom(...LETTERS.slice(0, 52)), fc.array(fc.constantFrom(...LETTERS), { maxLength: 8 }))
    .map(([first, rest]) => first + rest.join(''));
}

function curie(schema: LinkmlSchema): fc.Arbitrary<string> {
  return fc
    .tuple(fc.constantFrom(...schema.prefixes.keys()), word())
    .map(([prefix, local]) => `${prefix}:${local}`);
}

function uri(): fc.Arbitrary<string> {
  return fc
    .array(word(), { minLength: 1, maxLength: 3 })
    .map((words) => `https://${words[0]?.toLowerCase()}.invalid/${words.slice(1).join('/')}`);
}

function pid(schema: LinkmlSchema): fc.Arbitrary<string> {
  return fc.oneof(curie(schema), uri());
}

/** Text with everything that may need an escape. UTF-8 has no lone surrogates, so documents have none. */
function anyText(): fc.Arbitrary<string> {
  return fc.oneof(
    { weight: 3, arbitrary: fc.string({ unit: 'grapheme', maxLength: 20 }) },
    {
      weight: 1,
      arbitrary: fc.string({
        unit: fc.constantFrom('"', '\\', '\n', '\r', '\t', "'", '<', '@', '^', '.', ' ', 'a'),
        maxLength: 12,
      }),
    },
  );
}

const PARTS = {
  noInvalidDate: true,
  min: new Date('1900-01-01T00:00:00Z'),
  max: new Date('2100-01-01T00:00:00Z'),
} as const;

function date(): fc.Arbitrary<string> {
  return fc.date(PARTS).map((value) => value.toISOString().slice(0, 10));
}

function datetime(): fc.Arbitrary<string> {
  return fc.date(PARTS).map((value) => `${value.toISOString().slice(0, 19)}Z`);
}

/** Values of the built-in types, in the form that a check leaves as it is. */
const BY_BASE: Record<string, (schema: LinkmlSchema) => fc.Arbitrary<JsonValue>> = {
  string: anyText,
  integer: () => fc.integer(),
  float: () => fc.double({ noNaN: true, noDefaultInfinity: true }).filter((value) => !Object.is(value, -0)),
  double: () => fc.double({ noNaN: true, noDefaultInfinity: true }).filter((value) => !Object.is(value, -0)),
  decimal: () =>
    fc.tuple(fc.integer(), fc.integer({ min: 1, max: 9 })).map(([whole, tenths]) => `${whole}.${tenths}`),
  boolean: () => fc.boolean(),
  date,
  datetime,
  time: () => datetime().map((value) => value.slice(11, 19)),
  date_or_datetime: () => fc.oneof(date(), datetime()),
  uri,
  uriorcurie: pid,
  curie,
  ncname: word,
  objectidentifier: uri,
  nodeidentifier: uri,
  jsonpointer: () => word().map((name) => `/${name}`),
  jsonpath: () => word().map((name) => `$.${name}`),
  sparqlpath: word,
};
