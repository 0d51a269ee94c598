/** Values that a steward enters for records that another schema refuses. */

import { anyValueFrom, type Json, type JsonObject, scalarText } from '../../../../ui/shared/json.ts';
import type { RehearsedRecord } from '../client.ts';

/** By pid and slot, what was typed. */
export type TypedValues = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** What a steward has decided about single records: values, and the pids of those that stay as they are. */
export type Corrections = { typed: Record<string, Record<string, string>>; left: string[] };

export const NO_CORRECTIONS: Corrections = { typed: {}, left: [] };

/** What is typed for a slot of a record; an empty text removes it. */
export type TypedValue = { readonly pid: string; readonly slot: string; readonly text: string };

/** Adds what was typed for slots of some records. */
export function withTexts(typed: Corrections['typed'], values: readonly TypedValue[]): Corrections['typed'] {
  const next = { ...typed };
  for (const { pid, slot, text } of values) {
    const { [slot]: _, ...slots } = next[pid] ?? {};
    if (text !== '') slots[slot] = text;
    if (Object.keys(slots).length > 0) next[pid] = slots;
    else delete next[pid];
  }
  return next;
}

type Wrong = {
  readonly slot: string | undefined;
  readonly messages: readonly string[];
  /** The value that the record would have in this slot. */
  readonly text: string;
};

type Problem = NonNullable<RehearsedRecord['problems']>[number];

/**
 * The problems of a record, those of one slot together. Problems of no slot cannot be corrected by a value.
 *
 * @param words what a problem of a slot is called
 */
export function wrongSlots(
  { problems = [], draft }: RehearsedRecord,
  words: (problem: Problem, slot: string) => string = ({ msg }) => msg,
): Wrong[] {
  const bySlot = new Map<string | undefined, string[]>();
  for (const problem of problems) {
    const { loc, msg } = problem;
    const path = loc[0] === 'body' ? loc.slice(1) : loc;
    const slot = draft && typeof path[0] === 'string' ? path[0] : undefined;
    const message = slot === undefined ? msg : words(problem, path.join(' › '));
    bySlot.set(slot, [...(bySlot.get(slot) ?? []), message]);
  }
  return [...bySlot].map(([slot, messages]) => {
    const value = slot === undefined ? undefined : (draft?.record as JsonObject | undefined)?.[slot];
    return { slot, messages, text: lineOf(value) };
  });
}

/** Between the values of a list, as in tables. */
const BAR = '|';

/** A value in one line. Objects are JSON, and so are lists of them and those with a value that has a bar. */
function lineOf(value: Json | undefined): string {
  if (value === null || typeof value !== 'object') return scalarText(value);
  const isLine = Array.isArray(value) && value.every((one) => !isLong(one) && !scalarText(one).includes(BAR));
  return isLine ? value.map(scalarText).join(` ${BAR} `) : JSON.stringify(value);
}

const isLong = (value: Json) => value !== null && typeof value === 'object';

/** What a line stands for: several values if there were several. What was text stays text; other values are read as JSON. */
function valueIn(line: string, before: Json | undefined): Json {
  const text = line.trim();
  if (/^["[{]/.test(text)) return anyValueFrom(text) ?? null;
  if (!Array.isArray(before)) return typeof before === 'string' ? line : (anyValueFrom(text) ?? null);
  const [first] = before;
  return text
    .split(BAR)
    .filter((one) => one.trim() !== '')
    .map((one) => valueIn(one.trim(), first));
}

/** The corrections as the service takes them. */
export function correctionsFrom(
  typed: TypedValues,
  items: readonly RehearsedRecord[],
): Record<string, JsonObject> {
  const found: Record<string, JsonObject> = {};
  for (const item of items) {
    // Words that were typed for another version may concern slots that have no problem in this one, and no field.
    const wrong = new Set(wrongSlots(item).map(({ slot }) => slot));
    const slots = Object.entries(typed[item.pid] ?? {}).filter(
      ([slot, text]) => text.trim() !== '' && wrong.has(slot),
    );
    if (slots.length === 0) continue;
    const before = item.draft?.record as JsonObject | undefined;
    found[item.pid] = Object.fromEntries(
      slots.map(([slot, text]): [string, Json] => [slot, valueIn(text, before?.[slot])]),
    );
  }
  return found;
}
