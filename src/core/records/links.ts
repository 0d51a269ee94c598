/** Which other records a record refers to, read off by its schema. */
import { isJsonObject, type JsonObject, type JsonValue, pointerSegment } from '#linkml/json.ts';
import { classOfObject } from '../schema/class-named.ts';
import type { Schema, SlotRange } from '../schema/schema.ts';
import type { Link } from '../storage/store.ts';

export type { Link } from '../storage/store.ts';

/** A value in a record: `holder[key]`. */
export type Place = {
  readonly holder: JsonObject | JsonValue[];
  readonly key: string | number;
  /** The class of the holder, whose slot the key is; undefined for a member of a list or mapping. */
  readonly of?: string;
  /** Whether the reference is the key of a mapping, and not the value. */
  readonly byKey?: true;
  /** Of the holder; undefined for the record. */
  readonly within: Place | undefined;
  /** The slots that lead to the object which has the value. */
  readonly above: readonly string[];
};

/** Is given each reference. */
type OnReference = (iri: string, slot: string, place: Place) => void;

/** As a JSON Pointer. */
export function pathOf({ within, key }: Place): string {
  const segment = typeof key === 'number' ? key : pointerSegment(key);
  return `${within ? pathOf(within) : ''}/${segment}`;
}

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
  const found: OnReference = (iri, slot, place) => {
    if (iri !== own && links.length < most) links.push({ iri, slot, path: pathOf(place) });
  };
  collectObject(schema, className, record, { within: undefined, above: [] }, found);
  return links;
}

/** A reference in a record that was parsed, with the slots that lead to it, one in the other. */
export type Reference = { readonly iri: string; readonly slots: readonly string[]; readonly place: Place };

/** The references of a record, also those to itself. */
export function referencesOf(schema: Schema, className: string, record: JsonObject): Reference[] {
  const references: Reference[] = [];
  // Those of a list share their slots.
  let last: { readonly above: readonly string[]; readonly slots: readonly string[] } | undefined;
  const found: OnReference = (iri, slot, place) => {
    const { above } = place;
    if (last?.above !== above || last.slots.at(-1) !== slot) last = { above, slots: [...above, slot] };
    references.push({ iri, slots: last.slots, place });
  };
  collectObject(schema, className, record, { within: undefined, above: [] }, found);
  return references;
}

/** Puts a value in place of a reference. An object that is inlined already stays. */
export function replaceReference({ place: { holder, key, byKey } }: Reference, value: JsonValue): void {
  const members = holder as Record<string | number, JsonValue>;
  if (typeof members[key] === 'string' && !byKey) members[key] = value;
}

function collectObject(
  schema: Schema,
  className: string,
  object: JsonObject,
  at: Pick<Place, 'within' | 'above'>,
  found: OnReference,
): void {
  const definition = schema.classes.get(className);
  if (!definition) return;
  for (const [name, value] of Object.entries(object)) {
    const slot = definition.slots.get(name);
    if (slot && value !== undefined && value !== null && mayRefer(slot.range))
      collectValue(
        schema,
        slot.range,
        slot.name,
        value,
        { ...at, holder: object, key: name, of: className },
        found,
      );
  }
}

function mayRefer({ kind }: SlotRange): boolean {
  return kind === 'class' || kind === 'union';
}

function collectValue(
  schema: Schema,
  range: SlotRange,
  slot: string,
  value: JsonValue,
  place: Place,
  found: OnReference,
): void {
  if (range.kind === 'union') {
    for (const one of range.alternatives)
      if (suits(one, value)) collectValue(schema, one, slot, value, place, found);
    return;
  }
  if (range.kind !== 'class') return;
  const { above } = place;
  if (Array.isArray(value)) {
    for (let key = 0; key < value.length; key++)
      collectValue(schema, range, slot, value[key]!, { holder: value, key, within: place, above }, found);
  } else if (typeof value === 'string') {
    const iri = schema.expandReference(value);
    if (iri !== undefined) found(iri, slot, place);
  } else if (isJsonObject(value)) {
    if (range.inlining === 'dict' || range.inlining === 'simple-dict') {
      for (const [key, one] of Object.entries(value)) {
        const member = { holder: value, key, within: place, above };
        if (isJsonObject(one)) collectInlined(schema, range.className, one, slot, member, found);
        else if (namesRecord(schema, range.className)) {
          const iri = schema.expandReference(key);
          if (iri !== undefined) found(iri, slot, { ...member, byKey: true });
        }
      }
    } else {
      collectInlined(schema, range.className, value, slot, place, found);
    }
  }
}

/** Whether the keys of a mapping of objects of a class name records. */
function namesRecord(schema: Schema, className: string): boolean {
  const handle = schema.classes.get(className)?.key;
  return schema.recordClasses.includes(className) || (handle !== undefined && mayRefer(handle.range));
}

/** An inlined object that has an identifier of records is a mention of that record, too. */
function collectInlined(
  schema: Schema,
  className: string,
  object: JsonObject,
  slot: string,
  place: Place,
  found: OnReference,
): void {
  const { pid } = object;
  const iri =
    typeof pid === 'string' && schema.recordClasses.includes(className) ? schema.expand(pid) : undefined;
  if (iri !== undefined) found(iri, slot, place);
  const at = { within: place, above: [...place.above, slot] };
  collectObject(schema, classOfObject(schema, className, object), object, at, found);
}

/** Whether a value may be of an alternative: references are strings, inlined objects are not. */
function suits(range: SlotRange, value: JsonValue): boolean {
  if (range.kind !== 'class') return false;
  return (range.inlining === 'reference') === (typeof value === 'string');
}
