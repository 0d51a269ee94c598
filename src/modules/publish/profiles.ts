/** Profiles: how the classes and slots of a schema become those of another vocabulary, by `class_uri`, `slot_uri` and `exact_mappings`. */
import { isJsonObject, type JsonObject, type JsonValue, Numeral } from '#linkml/json.ts';
import { titleOf } from '../../core/records/title.ts';
import type { Schema, SlotDefinition } from '../../core/schema/schema.ts';
import type { PublicationMetadata } from './publishing.ts';
import { VOCABULARIES, type Vocabulary, type VocabularyName } from './vocabularies.ts';

/** A record in the words of a vocabulary. */
type MappedRecord = {
  readonly class: string;
  /** Plain values by slot, in no order. */
  readonly values: ReadonlyMap<string, readonly JsonValue[]>;
  /** Whether it has all that the vocabulary requires: else the record cannot be published so. */
  readonly isExpressed: boolean;
};

/** Returns the published form of a reference; undefined leaves it out. */
type ResolveReference = (iri: string) => string | undefined;

/** How a class is expressed: its target, and each slot of the vocabulary with a slot of the class. */
type Plan = {
  readonly target: string;
  readonly slots: readonly (readonly [term: string, from: SlotDefinition])[];
};

/** By vocabulary and class. */
const plans = new WeakMap<Schema, Map<string, Plan>>();

/** A record in the words of a vocabulary. */
export function mapRecord(
  schema: Schema,
  name: VocabularyName,
  publishing: PublicationMetadata,
  { className, record }: { readonly className: string; readonly record: JsonObject },
  resolveReference?: ResolveReference,
): MappedRecord {
  const vocabulary: Vocabulary = VOCABULARIES[name];
  const plan = planFor(schema, name, className);
  const values = valuesBy(schema, plan, record, resolveReference);
  const title = titleOf(schema, className, record);
  if (!values.has(vocabulary.titleSlot) && title !== null) values.set(vocabulary.titleSlot, [title]);
  for (const [slot, key] of Object.entries(vocabulary.ofCollection)) {
    const value = publishing[key];
    if (!values.has(slot) && value !== undefined) values.set(slot, [value]);
  }
  const isExpressed = vocabulary.required.every((slot) => values.has(slot));
  return { class: plan.target, values, isExpressed };
}

function planFor(schema: Schema, name: VocabularyName, className: string): Plan {
  const known = plans.get(schema) ?? new Map<string, Plan>();
  plans.set(schema, known);
  const key = `${name} ${className}`;
  const plan = known.get(key) ?? planOf(schema, VOCABULARIES[name], className);
  known.set(key, plan);
  return plan;
}

function planOf(schema: Schema, vocabulary: Vocabulary, className: string): Plan {
  const definition = schema.classes.get(className);
  const iris = ({ uri, exactMappings }: { uri: string; exactMappings: readonly string[] }) => [
    uri,
    ...exactMappings.map((one) => schema.expand(one) ?? one),
  ];
  const [target = vocabulary.anyClass] = (definition?.ancestors ?? []).flatMap((name) => {
    const ancestor = schema.classes.get(name);
    return ancestor ? iris(ancestor).flatMap((iri) => vocabulary.classOf(iri) ?? []) : [];
  });
  const slots = [...(definition?.slots.values() ?? [])].flatMap((slot): [string, SlotDefinition][] => {
    const [term] = iris(slot).flatMap((iri) => vocabulary.slotOf(iri) ?? []);
    return term === undefined || slot.identifier || slot.designatesType ? [] : [[term, slot]];
  });
  return { target, slots };
}

function valuesBy(
  schema: Schema,
  { slots }: Plan,
  record: JsonObject,
  resolveReference: ResolveReference | undefined,
): Map<string, JsonValue[]> {
  const values = new Map<string, JsonValue[]>();
  for (const [term, slot] of slots) {
    const stored = record[slot.name];
    if (stored === undefined || stored === null) continue;
    const plain = valuesIn(slot, stored).flatMap((one) => plainOf(schema, slot, one, resolveReference) ?? []);
    if (plain.length > 0) values.set(term, [...(values.get(term) ?? []), ...plain]);
  }
  return values;
}

function valuesIn({ range }: SlotDefinition, value: JsonValue): readonly JsonValue[] {
  if (Array.isArray(value)) return value;
  const isMapping = range.kind === 'class' && /dict/.test(range.inlining) && isJsonObject(value);
  return isMapping ? Object.values(value) : [value];
}

/** A value without parts: of an object its title, of a reference what it is published as. */
function plainOf(
  schema: Schema,
  { range }: SlotDefinition,
  value: JsonValue,
  resolveReference: ResolveReference | undefined,
): JsonValue | undefined {
  if (value === null || Array.isArray(value)) return undefined;
  if (range.kind === 'class' && typeof value === 'string')
    return resolveReference?.(schema.expandReference(value) ?? value);
  if (isJsonObject(value))
    return range.kind === 'class' && resolveReference
      ? (titleOf(schema, range.className, value) ?? undefined)
      : undefined;
  const isIri = range.kind === 'type' && range.type.isIri && typeof value === 'string';
  return isIri ? (schema.expandReference(value) ?? value) : value;
}

export function textOfValue(value: JsonValue): string {
  return String(value instanceof Numeral ? value.source : value);
}
