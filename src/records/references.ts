/** The records that a record refers to. */
import { isJsonObject, type JsonObject, type JsonValue } from '../json.ts';
import type { Schema, SlotDefinition, SlotRange } from '../schema/schema.ts';
import { classOfObject } from './claim-classes.ts';
import { isPlaceholderOf } from './inlined.ts';
import type { CheckedRecord } from './record.ts';

/** The pids of references and of placeholders in `relations`, each once, as the record spells them. */
export function referencesOf(schema: Schema, { className, record }: CheckedRecord): string[] {
  const found = new Set<string>();
  collectObject(schema, className, record, found);
  return [...found];
}

function collectObject(schema: Schema, className: string, object: JsonObject, found: Set<string>): void {
  const slots = schema.classes.get(className)?.slots;
  for (const [name, value] of Object.entries(object)) {
    const slot = slots?.get(name);
    if (slot) collectSlot(schema, slot, value, found);
  }
}

function collectSlot(schema: Schema, slot: SlotDefinition, value: JsonValue, found: Set<string>): void {
  const range = inlinedRange(slot.range);
  if (range && isJsonObject(value) && slot.multivalued && range.inlining !== 'object') {
    for (const [key, inner] of Object.entries(value)) {
      if (slot.name === 'relations' && isPlaceholderOf(schema, key, inner)) found.add(key);
      else if (isJsonObject(inner)) collectValue(schema, slot.range, inner, found);
    }
    return;
  }
  for (const one of Array.isArray(value) ? value : [value]) collectValue(schema, slot.range, one, found);
}

function collectValue(schema: Schema, range: SlotRange, value: JsonValue, found: Set<string>): void {
  if (typeof value === 'string' && isReference(range)) found.add(value);
  const inlined = inlinedRange(range);
  if (!inlined || !isJsonObject(value)) return;
  collectObject(schema, classOfObject(schema, inlined.className, value), value, found);
}

function isReference(range: SlotRange): boolean {
  if (range.kind === 'union') return range.alternatives.some(isReference);
  return range.kind === 'class' && range.inlining === 'reference';
}

type ClassRange = Extract<SlotRange, { kind: 'class' }>;

function inlinedRange(range: SlotRange): ClassRange | undefined {
  if (range.kind === 'union') return range.alternatives.map(inlinedRange).find((one) => one !== undefined);
  return range.kind === 'class' && range.inlining !== 'reference' ? range : undefined;
}
