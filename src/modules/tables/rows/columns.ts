/** The columns of a class: its slots, those of single inlined objects as `slot.inner`. */

import { comparable } from '#linkml/look-alikes.ts';
import { titleSlotsOf } from '../../../core/records/title.ts';
import type { ClassDefinition, Schema, SlotDefinition, SlotRange } from '../../../core/schema/schema.ts';

/** One column of a table of records. */
export type Column = {
  /** The names of the slots from the record to the value; keys of mappings too. */
  readonly path: readonly string[];
  /** How the value is written; undefined for a path into data that the schema does not describe. */
  readonly value: Value;
  readonly required: boolean;
  readonly title: string | undefined;
  readonly description: string | undefined;
  readonly constraints: SlotDefinition['constraints'];
};

/** The content of a cell. */
export type Value = { readonly range: SlotRange; readonly multivalued: boolean };

/** How deep objects are spread over columns; what is deeper is JSON in one cell. */
const DEEPEST = 3;

/**
 * The columns of a template and of an export: the identifier, titles and what is required come first. The class itself is
 * not a column: the table is of one class.
 */
export function columnsOf(schema: Schema, className: string): Column[] {
  const definition = schema.classes.get(className);
  return definition ? spread(schema, definition, [], true, [className]) : [];
}

function spread(
  schema: Schema,
  definition: ClassDefinition,
  path: readonly string[],
  required: boolean,
  around: readonly string[],
): Column[] {
  const slots = [...definition.slots.values()].filter((slot) => !slot.designatesType);
  const titles = titleSlotsOf(definition);
  const rank = ({ name, identifier, required: needed }: SlotDefinition) =>
    identifier ? 0 : titles.includes(name) ? 1 : needed ? 2 : 3;
  slots.sort((a, b) => rank(a) - rank(b));
  return slots.flatMap((slot) => {
    const inner = singleObject(schema, slot);
    const at = [...path, slot.name];
    const needed = required && slot.required;
    if (inner && at.length < DEEPEST && !around.includes(inner.name)) {
      return spread(schema, inner, at, needed, [...around, inner.name]);
    }
    return [columnOf(slot, at, needed)];
  });
}

function columnOf(slot: SlotDefinition, path: readonly string[], required: boolean): Column {
  const { range, multivalued, title, description, constraints } = slot;
  return { path, value: { range, multivalued }, required, title, description, constraints };
}

/** The class of a slot that has one object of exactly one class. */
function singleObject(schema: Schema, { range, multivalued }: SlotDefinition): ClassDefinition | undefined {
  if (multivalued || range.kind !== 'class' || range.inlining !== 'object') return undefined;
  const definition = schema.classes.get(range.className);
  if (!definition || definition.isAny || definition.slots.size === 0) return undefined;
  return schema.descendants(range.className).length === 1 && !definition.abstract ? definition : undefined;
}

const ANYTHING: Value = { range: { kind: 'any' }, multivalued: false };

/**
 * The column that a header names: the path of slots, with `_` or blanks, or the title of a slot, in any case; `*` behind it
 * (required) is skipped. Undefined if the class has no such slot.
 */
export function columnNamed(schema: Schema, className: string, header: string): Column | undefined {
  const name = nameIn(header);
  const definition = schema.classes.get(className);
  if (!definition || name.length > LONGEST_NAME) return undefined;
  const path = name.split('.').map((part) => part.trim());
  return walk(schema, definition, path) ?? byTitle(definition, name);
}

/** The slots of columns whose headers are other words, by the header as {@link nameIn} has it. */
export type HeaderMap = Readonly<Record<string, string>>;

/**
 * Reads headers and slots such as `Vorname=given_name`.
 *
 * @param refusal the error for another text
 */
export function headerMapOf(pairs: readonly string[], refusal: (pair: string) => Error): HeaderMap {
  return Object.fromEntries(
    pairs.map((pair) => {
      const at = pair.lastIndexOf('=');
      if (at <= 0) throw refusal(pair);
      return [nameIn(pair.slice(0, at)), pair.slice(at + 1).trim()];
    }),
  );
}
/** For messages. */
export const HEADER_PAIR = 'a header and a slot, such as Vorname=given_name';

/** A path of slots, with the key of a mapping, is shorter. */
const LONGEST_NAME = 1000;

/** A header without blanks around it and the `*` of required columns. */
export function nameIn(header: string): string {
  const text = comparable(header).trim();
  return text.endsWith('*') ? text.slice(0, -1).trimEnd() : text;
}

function walk(schema: Schema, definition: ClassDefinition, path: readonly string[]): Column | undefined {
  let at: ClassDefinition | undefined = definition;
  const found: string[] = [];
  let required = true;
  for (const [index, part] of path.entries()) {
    const slot: SlotDefinition | undefined = at && slotNamed(at, part);
    if (!slot) return undefined;
    found.push(slot.name);
    required = required && slot.required;
    const rest = path.slice(index + 1);
    if (rest.length === 0) return columnOf(slot, found, required);
    if (slot.range.kind === 'any') return { ...columnOf(slot, [...found, ...rest], false), value: ANYTHING };
    if (slot.range.kind !== 'class' || slot.range.inlining === 'reference') return undefined;
    const inner = schema.classes.get(slot.range.className);
    if (slot.multivalued) {
      // A key of a mapping: `annotations.source`. Keys may contain dots.
      const keyed = slot.range.inlining === 'dict' || slot.range.inlining === 'simple-dict';
      if (!keyed) return undefined;
      return { ...columnOf(slot, [...found, rest.join('.')], false), value: ANYTHING };
    }
    at = inner;
  }
  return undefined;
}

function slotNamed(definition: ClassDefinition, name: string): SlotDefinition | undefined {
  const exact = definition.slots.get(name);
  if (exact) return exact;
  const similar = [...definition.slots.values()].filter((slot) => folded(slot.name) === folded(name));
  return similar.length === 1 ? similar[0] : undefined;
}

/** Names without case, blanks, hyphens and underscores, which people write in their own way: `E-mail` is `email`. */
function folded(name: string): string {
  return comparable(name)
    .toLowerCase()
    .replaceAll(/[\s_-]+/g, '');
}

function byTitle(definition: ClassDefinition, title: string): Column | undefined {
  const slots = [...definition.slots.values()].filter((slot) => folded(slot.title ?? '') === folded(title));
  const [slot] = slots;
  return slot && slots.length === 1 ? columnOf(slot, [slot.name], slot.required) : undefined;
}

/** The header of a column: its path, with `*` if a value is required. */
export function headerOf({ path, required }: Column): string {
  return `${path.join('.')}${required ? '*' : ''}`;
}
