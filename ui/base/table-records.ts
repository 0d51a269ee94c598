/** Rows of a table as records of a class. */
import { type Json, type JsonObject, numberFrom } from './json.ts';
import { type ClassDescription, type Slot, slotTitle } from './schema.ts';

/** Slots that a column can fill: single values and lists of them. */
export function fillable({ slots }: ClassDescription): Slot[] {
  return slots.filter(
    ({ range, designates_type }) =>
      !designates_type && !(range.kind === 'class' && range.inlined) && range.kind !== 'any',
  );
}

/** The slot that a column names, by name or title, whatever its spelling. */
export function slotFor(column: string, slots: readonly Slot[]): string {
  const plain = (text: string) => text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
  return (
    slots.find((slot) => plain(slot.name) === plain(column) || plain(slotTitle(slot)) === plain(column))
      ?.name ?? ''
  );
}

/** The record of a row; cells of lists hold several values, separated by `|`. */
export function recordOf(
  row: readonly string[],
  mapping: readonly string[],
  slots: readonly Slot[],
): JsonObject {
  const record: JsonObject = {};
  mapping.forEach((name, index) => {
    const slot = slots.find((one) => one.name === name);
    const cell = row[index]?.trim() ?? '';
    if (!slot || cell === '') return;
    record[name] = slot.multivalued
      ? cell
          .split('|')
          .map((part) => typedValue(part.trim(), slot))
          .filter((value) => value !== '')
      : typedValue(cell, slot);
  });
  return record;
}

function typedValue(text: string, { range }: Slot): Json {
  if (range.kind !== 'type') return text;
  if (/^bool$/i.test(range.base) && /^(true|false)$/i.test(text)) return text.toLowerCase() === 'true';
  const isNumber =
    ['int', 'float', 'double'].includes(range.base) && /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/.test(text);
  return isNumber ? numberFrom(text) : text;
}
