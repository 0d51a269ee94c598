/**
 * An example of each class for the API description: the identifier, what is required, and the first few texts. An
 * example that the schema does not accept (a pattern, a rule) is not shown.
 */

import { canonicalJson, isJsonObject, type JsonObject, type JsonValue } from '#linkml/json.ts';
import type { RecordFormat } from '../../formats/record-format.ts';
import type { ClassDefinition, Schema, SlotDefinition, SlotRange } from '../../schema/schema.ts';

type Example = {
  readonly json: JsonObject;
  /** The document in a format; undefined if it cannot be written. */
  in(format: RecordFormat): string | undefined;
};

/** How deep objects are nested in examples. */
const DEPTH = 3;
/** Optional texts that an example shows besides what is required. */
const OPTIONAL_TEXTS = 2;

/** LinkML base type → value. Others are texts. */
const SAMPLES: Readonly<Record<string, (schema: Schema, slot: SlotDefinition) => JsonValue>> = {
  boolean: () => true,
  integer: () => 1,
  nonNegativeInteger: () => 1,
  float: () => 1.5,
  double: () => 1.5,
  decimal: () => 1.5,
  date: () => '2026-01-31',
  datetime: () => '2026-01-31T12:00:00Z',
  time: () => '12:00:00',
  uri: (_, { name }) => `https://example.org/${name}`,
  uriorcurie: identifierFor,
  curie: identifierFor,
  ncname: (_, { name }) => name,
  string: (_, slot) => slot.title ?? slot.name.replaceAll('_', ' '),
};

/** The example of a class; undefined where none is found that the schema accepts. */
export function exampleOf(schema: Schema, className: string): Example | undefined {
  const definition = schema.classes.get(className);
  if (!definition) return undefined;
  for (const texts of [OPTIONAL_TEXTS, 0]) {
    const value = objectOf(schema, definition, DEPTH, texts);
    const checked = isJsonObject(value) ? schema.check(className, value) : undefined;
    if (checked?.valid)
      return {
        json: value as JsonObject,
        in: (format) => documentOf(format, schema, className, checked.record),
      };
  }
  return undefined;
}

function documentOf(
  format: RecordFormat,
  schema: Schema,
  className: string,
  record: JsonObject,
): string | undefined {
  try {
    return format.serialize(canonicalJson(record), className, schema);
  } catch {
    return undefined;
  }
}

/** @param texts how many optional texts it has */
function objectOf(
  schema: Schema,
  definition: ClassDefinition,
  depth: number,
  texts: number,
): JsonValue | undefined {
  let wantedTexts = texts;
  const members: [string, JsonValue][] = [];
  // The identifier first, as people write records.
  const slots = [...definition.slots.values()].sort((a, b) => Number(b.identifier) - Number(a.identifier));
  for (const slot of slots) {
    if (slot.designatesType) continue;
    const isRequired = slot.required || slot.identifier || slot.key;
    const optionalText = !isRequired && isText(slot.range) && wantedTexts-- > 0;
    if (!isRequired && !optionalText) continue;
    const value = slot.identifier
      ? identifierFor(schema, slot, definition.name)
      : sampleOf(schema, slot, depth);
    if (value !== undefined) members.push([slot.name, value]);
  }
  return Object.fromEntries(members);
}

function sampleOf(schema: Schema, slot: SlotDefinition, depth: number): JsonValue | undefined {
  const { range, multivalued } = slot;
  const value = single(schema, slot, range, depth);
  if (value === undefined || !multivalued) return value;
  if (range.kind !== 'class' || range.inlining !== 'dict' || !isJsonObject(value)) return [value];
  const inner = schema.classes.get(range.className);
  const key = (inner?.identifier ?? inner?.key)?.name;
  return key === undefined ? [value] : { [String(value[key])]: value };
}

function single(
  schema: Schema,
  slot: SlotDefinition,
  range: SlotRange,
  depth: number,
): JsonValue | undefined {
  switch (range.kind) {
    case 'type':
      return (SAMPLES[range.type.base] ?? SAMPLES.string)?.(schema, slot);
    case 'enum':
      return [...range.enum.values.keys()][0];
    case 'class': {
      if (range.inlining === 'reference') return identifierFor(schema, slot, range.className);
      const inner = schema.classes.get(range.className);
      return inner && depth > 0 ? objectOf(schema, inner, depth - 1, 0) : undefined;
    }
    case 'union':
      return range.alternatives[0] && single(schema, slot, range.alternatives[0], depth);
    case 'any':
    case 'array':
      return undefined;
  }
}

function identifierFor(schema: Schema, { name }: SlotDefinition, className = name): string {
  const local = `example-${className.toLowerCase().replace(/\W/g, '-')}`;
  return schema.prefixes.has(schema.defaultPrefix)
    ? `${schema.defaultPrefix}:${local}`
    : `https://example.org/${local}`;
}

function isText(range: SlotRange): boolean {
  return range.kind === 'type' && range.type.base === 'string';
}
