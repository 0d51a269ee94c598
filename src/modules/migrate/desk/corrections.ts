/** Values that a steward enters for records that another schema refuses. */

import { isEqual, type Json, type JsonObject } from '../../../../ui/shared/json.ts';
import type { RehearsedRecord } from '../client.ts';

/** What a steward has decided about single records. */
export type Corrections = {
  /** Values by pid and slot; null removes a value. */
  values: Record<string, JsonObject>;
  /** The pids of those that stay as they are. */
  left: string[];
};

export const NO_CORRECTIONS: Corrections = { values: {}, left: [] };

/** A value for a slot of a record: null removes the one that it has, and undefined leaves that. */
export type Correction = {
  readonly pid: string;
  readonly slot: string;
  readonly value: Json | undefined;
};

/** Adds corrections to others. */
export function withCorrections(
  values: Corrections['values'],
  corrections: readonly Correction[],
): Corrections['values'] {
  const next = { ...values };
  for (const { pid, slot, value } of corrections) {
    const { [slot]: _, ...slots } = next[pid] ?? {};
    if (value !== undefined) slots[slot] = value;
    if (Object.keys(slots).length > 0) next[pid] = slots;
    else delete next[pid];
  }
  return next;
}

/** The record that corrections begin with; undefined if none can be made. */
export function draftOf({ draft }: RehearsedRecord): JsonObject | undefined {
  return draft?.record as JsonObject | undefined;
}

/** A record with its corrections. */
export function correctedRecord(item: RehearsedRecord, values: Corrections['values']): JsonObject {
  const all = Object.entries({ ...draftOf(item), ...values[item.pid] });
  return Object.fromEntries(all.filter(([, value]) => value !== null));
}

/** Whether a slot of a record has a correction. */
export function isCorrected(
  values: Corrections['values'],
  { pid }: Pick<RehearsedRecord, 'pid'>,
  slot: string,
): boolean {
  return Object.hasOwn(values[pid] ?? {}, slot);
}

/** The correction with which a slot of a record has a value; undefined for none. */
export function correctionTo(item: RehearsedRecord, slot: string, value: Json | undefined): Correction {
  const before = draftOf(item)?.[slot];
  const isAsBefore = isEqual(before ?? null, value ?? null);
  return { pid: item.pid, slot, value: isAsBefore ? undefined : (value ?? null) };
}

/** The corrections with which a record is another one, in place of those that it has. */
export function correctionsTo(
  item: RehearsedRecord,
  record: JsonObject,
  values: Corrections['values'],
): Correction[] {
  const slots = new Set([draftOf(item), values[item.pid], record].flatMap((one) => Object.keys(one ?? {})));
  return [...slots].map((slot) => correctionTo(item, slot, record[slot]));
}

/** A slot of a record that has problems or a correction. */
type WrongSlot = { readonly slot: string | undefined; readonly messages: readonly string[] };

type Problem = NonNullable<RehearsedRecord['problems']>[number];

/**
 * The problems of a record, those of one slot together. Problems of no slot are corrected in the form of the record.
 *
 * @param words what a problem of a slot is called
 */
export function wrongSlots(
  { problems = [], draft }: RehearsedRecord,
  words: (problem: Problem) => string,
): WrongSlot[] {
  const bySlot = new Map<string | undefined, string[]>();
  for (const problem of problems) {
    const { loc, msg } = problem;
    const path = loc[0] === 'body' ? loc.slice(1) : loc;
    const slot = draft && typeof path[0] === 'string' ? path[0] : undefined;
    const message = slot === undefined ? msg : words(problem);
    bySlot.set(slot, [...(bySlot.get(slot) ?? []), message]);
  }
  return [...bySlot].map(([slot, messages]) => ({ slot, messages }));
}

/** The corrections of records that can be corrected, as the service takes them. */
export function correctionsOf(
  values: Corrections['values'],
  items: readonly RehearsedRecord[],
): Record<string, JsonObject> {
  const pids = new Set(items.filter(draftOf).map(({ pid }) => pid));
  return Object.fromEntries(Object.entries(values).filter(([pid]) => pids.has(pid)));
}
