/** Which other records a record refers to, read off by its schema. */
import { isJsonObject, type JsonObject, type JsonValue, pointerSegment } from '../json.ts';
import type { Schema, SlotRange } from '../schema/schema.ts';
import type { Link } from '../storage/store.ts';

import { classOfObject } from './claim-classes.ts';

export type { Link } from '../storage/store.ts';

/**
 * The references of a record: values of slots whose range is a class that is not inlined, at any depth, and the
 * placeholders of `relations`. A reference whose prefix is unknown resolves to nothing and is left out. Linear in the
 * size of the record.
 */
export function linksOf(schema: Schema, className: string, record: JsonObject): Link[] {
  const links: Link[] = [];
  const own = typeof record.pid === 'string' ? schema.expand(record.pid) : undefined;
  collectObject(schema, className, record, '', links);
  return links.filter(({ iri }) => iri !== own);
}

function collectObject(
  schema: Schema,
  className: string,
  object: JsonObject,
  path: string,
  links: Link[],
): void {
  const definition = schema.classes.get(className);
  if (!definition) return;
  for (const [name, value] of Object.entries(object)) {
    const slot = definition.slots.get(name);
    if (slot && value !== undefined && value !== null) {
      collectValue(schema, slot.range, slot.name, value, `${path}/${pointerSegment(name)}`, links);
    }
  }
}

function collectValue(
  schema: Schema,
  range: SlotRange,
  slot: string,
  value: JsonValue,
  path: string,
  links: Link[],
): void {
  if (range.kind === 'union') {
    for (const one of range.alternatives)
      if (suits(one, value)) collectValue(schema, one, slot, value, path, links);
    return;
  }
  if (range.kind !== 'class') return;
  if (Array.isArray(value)) {
    for (const [index, one] of value.entries())
      collectValue(schema, range, slot, one, `${path}/${index}`, links);
  } else if (typeof value === 'string') {
    const iri = schema.expandReference(value);
    if (iri !== undefined) links.push({ iri, slot, path });
  } else if (isJsonObject(value)) {
    if (range.inlining === 'dict' || range.inlining === 'simple-dict') {
      for (const [key, one] of Object.entries(value)) {
        if (isJsonObject(one))
          collectInlined(schema, range.className, one, slot, `${path}/${pointerSegment(key)}`, links);
      }
    } else {
      collectInlined(schema, range.className, value, slot, path, links);
    }
  }
}

/** An inlined object that has an identifier of records is a mention of that record, too. */
function collectInlined(
  schema: Schema,
  className: string,
  object: JsonObject,
  slot: string,
  path: string,
  links: Link[],
): void {
  const { pid } = object;
  const iri =
    typeof pid === 'string' && schema.recordClasses.includes(className) ? schema.expand(pid) : undefined;
  if (iri !== undefined) links.push({ iri, slot, path });
  collectObject(schema, classOfObject(schema, className, object), object, path, links);
}

/** Whether a value may be of an alternative: references are strings, inlined objects are not. */
function suits(range: SlotRange, value: JsonValue): boolean {
  if (range.kind !== 'class') return false;
  return (range.inlining === 'reference') === (typeof value === 'string');
}
