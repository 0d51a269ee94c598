/**
 * A record without the differences that Turtle cannot carry: the list at the end of `docs/turtle.md`, as code. What a
 * round trip through Turtle yields must be equal to this, and to nothing less.
 */
import { canonicalJson, isJsonObject, type JsonObject, type JsonValue } from '../src/json.ts';
import type { ClassDefinition, LinkmlSchema, SlotDefinition, SlotRange } from '../src/linkml.ts';

/** The record as it comes back from Turtle. */
export function asTurtleKeepsIt(record: JsonObject, className: string, schema: LinkmlSchema): JsonObject {
  const definition = schema.classes.get(className);
  if (!definition) throw new Error(`The schema has no class ${className}.`);
  return keptObject(record, definition, schema);
}

/** Whether an object with an identifier stands in two places, or inside itself: what is said of it then runs together. */
export function hasSharedObjects(record: JsonObject): boolean {
  const seen = new Set<string>();
  let isShared = false;
  const walk = (value: JsonValue): void => {
    if (Array.isArray(value)) value.forEach(walk);
    if (!isJsonObject(value)) return;
    const { pid } = value;
    if (typeof pid === 'string') {
      if (seen.has(pid)) isShared = true;
      seen.add(pid);
    }
    Object.values(value).forEach(walk);
  };
  walk(record);
  return isShared;
}

function keptObject(object: JsonObject, definition: ClassDefinition, schema: LinkmlSchema): JsonObject {
  const kept: JsonObject = {};
  for (const slot of definition.slots.values()) {
    const value = object[slot.name] ?? slot.default;
    if (value === undefined || value === null) continue;
    const left = slot.designatesType ? value : keptSlot(value, slot, schema);
    if (left !== undefined) kept[slot.name] = left;
  }
  return kept;
}

function keptSlot(value: JsonValue, slot: SlotDefinition, schema: LinkmlSchema): JsonValue | undefined {
  const { range } = slot;
  if (range.kind === 'class' && range.inlining !== 'reference')
    return keptInlined(value, slot, range, schema);
  if (range.kind === 'union' && isJsonObject(value) && Object.keys(value).length === 0) return undefined;
  if (!Array.isArray(value)) return keptScalar(value, range, slot.identifier, schema);
  if (!slot.multivalued) return value;
  const all = value.map((one) => keptScalar(one, range, false, schema));
  const distinct = new Map(all.map((one) => [canonicalJson(one), one]));
  return distinct.size === 0 ? undefined : [...distinct.values()];
}

type ClassRange = Extract<SlotRange, { kind: 'class' }>;

function keptInlined(
  value: JsonValue,
  slot: SlotDefinition,
  range: ClassRange,
  schema: LinkmlSchema,
): JsonValue | undefined {
  const definition = schema.classes.get(range.className);
  if (!definition) throw new Error(`The schema has no class ${range.className}.`);
  const keep = (one: JsonValue) =>
    isJsonObject(one) ? keptObject(one, classOf(one, definition, schema), schema) : one;
  if (Array.isArray(value)) return value.length === 0 ? undefined : value.map(keep);
  if (!isJsonObject(value) || isEmpty(value)) return undefined;
  if (range.inlining === 'object') {
    const kept = keep(value) as JsonObject;
    return isEmpty(kept) && !slot.multivalued ? undefined : kept;
  }
  const naming = definition.identifier ?? definition.key;
  const entries = Object.entries(value).map(([key, entry]) => {
    const object = keep(isJsonObject(entry) ? entry : longForm(key, entry, definition)) as JsonObject;
    return [String(object[naming?.name ?? ''] ?? key), object] as const;
  });
  return Object.fromEntries(entries);
}

function longForm(
  key: string,
  value: JsonValue,
  { slots, identifier, key: keySlot }: ClassDefinition,
): JsonObject {
  const naming = identifier ?? keySlot;
  const other = [...slots.values()].find((slot) => slot !== naming && !slot.designatesType);
  return { [naming?.name ?? '']: key, ...(value === null || !other ? {} : { [other.name]: value }) };
}

/** The class that a designator names: the last of those below the class that is expected, if any. */
function classOf(object: JsonObject, definition: ClassDefinition, schema: LinkmlSchema): ClassDefinition {
  const stated = [object[definition.typeDesignator?.name ?? '']].flat();
  const named = schema
    .descendants(definition.name)
    .map((name) => schema.classes.get(name)!)
    .filter((one) => one.designation !== undefined && stated.includes(one.designation));
  return named.at(-1) ?? definition;
}

function keptScalar(
  value: JsonValue,
  range: SlotRange,
  isIdentifier: boolean,
  schema: LinkmlSchema,
): JsonValue {
  if (typeof value !== 'string') return value;
  if (isIdentifier || isReference(range)) return asReference(value, schema);
  if (range.kind !== 'type') return value;
  const { base, isIri } = range.type;
  if (isIri) return asUri(value, schema);
  if (base === 'decimal') return asDecimal(value);
  return base === 'time' ? asTime(value) : value;
}

function isReference(range: SlotRange): boolean {
  return range.kind === 'union' ? range.alternatives.every(isReference) : range.kind === 'class';
}

function asReference(text: string, schema: LinkmlSchema): string {
  const iri = schema.expand(text);
  return iri === undefined ? text : schema.compact(iri);
}

/** In slots of a type, a text with two colons is no CURIE, and does not become one. */
function asUri(text: string, schema: LinkmlSchema): string {
  const colons = text.split(':').length - 1;
  if (colons !== 1 && !text.includes('://')) return text;
  const compact = asReference(text, schema);
  return compact.split(':').length > 2 ? (schema.expand(text) ?? text) : compact;
}

/** The shortest way to write a decimal number without an exponent. */
function asDecimal(text: string): string {
  const match = /^([+-]?)(\d*)\.?(\d*)(?:[eE]([+-]?\d+))?$/.exec(text);
  if (!match) return text;
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = match;
  const scale = fraction.length - Number(exponent);
  const digits =
    BigInt(whole + fraction)
      .toString()
      .padStart(scale + 1, '0') + '0'.repeat(Math.max(0, -scale));
  const point = digits.length - Math.max(0, scale);
  const behind = digits.slice(point).replace(/0+$/, '');
  return `${sign === '-' ? '-' : ''}${digits.slice(0, point)}${behind === '' ? '' : `.${behind}`}`;
}

function asTime(text: string): string {
  const match = /^(\d{2})(?::?(\d{2})(?::?(\d{2}))?)?(.*)$/.exec(text);
  return match ? `${match[1]}:${match[2] ?? '00'}:${match[3] ?? '00'}${match[4]}` : text;
}

function isEmpty(object: JsonObject): boolean {
  return Object.keys(object).length === 0;
}
