/** Which other records a record refers to, read off by its schema. */
import { isJsonObject, type JsonObject, type JsonValue, pointerKeys, pointerSegment } from '../json.ts';
import type { Schema, SlotRange } from '../schema/schema.ts';
import type { Link } from '../storage/store.ts';

import { classOfObject } from './claim-values.ts';

export type { Link } from '../storage/store.ts';

/** Is given each reference. @param above the slots that lead to the object which has it */
type Found = (iri: string, slot: string, path: string, above: readonly string[]) => void;

/**
 * The references of a record: values of slots whose range is a class that is not inlined, at any depth, and the
 * placeholders of `relations`. A reference whose prefix is unknown resolves to nothing and is left out. Linear in the
 * size of the record.
 *
 * @param most that are returned
 */
export function linksOf(
  schema: Schema,
  className: string,
  record: JsonObject,
  most = Number.POSITIVE_INFINITY,
): Link[] {
  const links: Link[] = [];
  const own = typeof record.pid === 'string' ? schema.expand(record.pid) : undefined;
  const found: Found = (iri, slot, path) => {
    if (iri !== own && links.length < most) links.push({ iri, slot, path });
  };
  collectObject(schema, className, record, { path: '', above: [] }, found);
  return links;
}

/** A reference with the slots that lead to it, one in the other. */
export type Reference = Omit<Link, 'slot'> & { readonly slots: readonly string[] };

/** The references of a record, also those to itself. */
export function referencesOf(schema: Schema, className: string, record: JsonObject): Reference[] {
  const references: Reference[] = [];
  // Those of a list share their slots.
  let last: { readonly above: readonly string[]; readonly slots: readonly string[] } | undefined;
  const found: Found = (iri, slot, path, above) => {
    if (last?.above !== above || last.slots.at(-1) !== slot) last = { above, slots: [...above, slot] };
    references.push({ iri, path, slots: last.slots });
  };
  collectObject(schema, className, record, { path: '', above: [] }, found);
  return references;
}

type Place = { readonly path: string; readonly above: readonly string[] };

function collectObject(
  schema: Schema,
  className: string,
  object: JsonObject,
  { path, above }: Place,
  found: Found,
): void {
  const definition = schema.classes.get(className);
  if (!definition) return;
  for (const [name, value] of Object.entries(object)) {
    const slot = definition.slots.get(name);
    if (slot && value !== undefined && value !== null) {
      const place = { path: `${path}/${pointerSegment(name)}`, above };
      collectValue(schema, slot.range, slot.name, value, place, found);
    }
  }
}

function collectValue(
  schema: Schema,
  range: SlotRange,
  slot: string,
  value: JsonValue,
  { path, above }: Place,
  found: Found,
): void {
  if (range.kind === 'union') {
    for (const one of range.alternatives)
      if (suits(one, value)) collectValue(schema, one, slot, value, { path, above }, found);
    return;
  }
  if (range.kind !== 'class') return;
  if (Array.isArray(value)) {
    for (const [index, one] of value.entries())
      collectValue(schema, range, slot, one, { path: `${path}/${index}`, above }, found);
  } else if (typeof value === 'string') {
    const iri = schema.expandReference(value);
    if (iri !== undefined) found(iri, slot, path, above);
  } else if (isJsonObject(value)) {
    if (range.inlining === 'dict' || range.inlining === 'simple-dict') {
      for (const [key, one] of Object.entries(value)) {
        const place = { path: `${path}/${pointerSegment(key)}`, above };
        if (isJsonObject(one)) collectInlined(schema, range.className, one, slot, place, found);
      }
    } else {
      collectInlined(schema, range.className, value, slot, { path, above }, found);
    }
  }
}

/** An inlined object that has an identifier of records is a mention of that record, too. */
function collectInlined(
  schema: Schema,
  className: string,
  object: JsonObject,
  slot: string,
  { path, above }: Place,
  found: Found,
): void {
  const { pid } = object;
  const iri =
    typeof pid === 'string' && schema.recordClasses.includes(className) ? schema.expand(pid) : undefined;
  if (iri !== undefined) found(iri, slot, path, above);
  const place = { path, above: [...above, slot] };
  collectObject(schema, classOfObject(schema, className, object), object, place, found);
}

/** Whether a value may be of an alternative: references are strings, inlined objects are not. */
function suits(range: SlotRange, value: JsonValue): boolean {
  if (range.kind !== 'class') return false;
  return (range.inlining === 'reference') === (typeof value === 'string');
}

/** Puts a value in place of a reference. An object that is inlined already stays. @param path of the reference */
export function replaceReference(object: JsonObject, path: string, value: JsonValue): void {
  const keys = pointerKeys(path);
  let holder: JsonValue | undefined = object;
  for (const key of keys.slice(0, -1))
    holder = Array.isArray(holder) ? holder[Number(key)] : isJsonObject(holder) ? holder[key] : undefined;
  const last = keys.at(-1)!;
  if (Array.isArray(holder)) {
    if (typeof holder[Number(last)] === 'string') holder[Number(last)] = value;
  } else if (isJsonObject(holder) && typeof holder[last] === 'string') holder[last] = value;
}
