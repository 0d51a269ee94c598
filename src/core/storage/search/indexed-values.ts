/**
 * The values of records as filters, sorts and facets compare them, in the index of values (`value-index.ts`) and beside it: one
 * definition, so both find the same.
 */

import { hash } from 'node:crypto';
import { fold, scalarsIn } from '#linkml/folding.ts';
import { compareCodePoints, isJsonObject, type JsonObject, type JsonValue, Numeral } from '#linkml/json.ts';
import { withoutType } from '../../schema-type.ts';

/** A value of a slot, at any depth below it. */
export type IndexedValue = {
  readonly slot: string;
  /** Folded, see {@link indexedText}. */
  readonly text: string;
  /** The number that it is; undefined for others. */
  readonly number: number | undefined;
  /** Whether records are sorted by it. */
  readonly isFirst: boolean;
};

/** What {@link IndexedValue} is compared by: numbers as numbers and before others, those by code point. */
export type ComparedValue = Pick<IndexedValue, 'text' | 'number'>;

/** In characters. */
const LONGEST = 100;
/** A longer value is in the index as its beginning and this many characters of its digest: equal ones stay equal. */
const DIGEST = 22;

/** A folded text as the index has it. */
export function indexedText(folded: string): string {
  // No database stores NUL here, as in the text index.
  const text = folded.replaceAll('\0', '\n').toWellFormed();
  if (!isCut(text)) return text;
  const beginning = [...text.slice(0, 2 * LONGEST)].slice(0, LONGEST).join('');
  return beginning.toWellFormed() + hash('sha256', text, 'base64url').slice(0, DIGEST);
}

/** Whether the index has only the beginning of a value. Databases count code points, too. */
export function isCut(text: string): boolean {
  return text.length > LONGEST && (text.length > 2 * LONGEST || [...text].length > LONGEST);
}

export function comparedValue(value: string): ComparedValue {
  return comparedText(indexedText(fold(value)));
}

/** @param text of the index, see {@link indexedText} */
export function comparedText(text: string): ComparedValue {
  return { text, number: numberIn(text) };
}

/** Larger ones are compared as texts: indexes need a number behind all others. */
export const MOST_NUMBER = 1e300;

function numberIn(text: string): number | undefined {
  const number = text.trim() === '' ? Number.NaN : Number(text);
  // Minus zero is zero.
  return Math.abs(number) < MOST_NUMBER ? number + 0 : undefined;
}

/** The order of sorts: numbers before others. */
export function compareValues(a: ComparedValue, b: ComparedValue): number {
  if (a.number === undefined || b.number === undefined)
    return (
      Number(a.number === undefined) - Number(b.number === undefined) || compareCodePoints(a.text, b.text)
    );
  return a.number - b.number || compareCodePoints(a.text, b.text);
}

/** The values of a record, each once for each slot. Its class is not among them: another schema changes how it is written. */
export function indexedValues(record: JsonObject): IndexedValue[] {
  return Object.keys(withoutType(record)).flatMap((slot) => valuesOfSlot(record, slot));
}

/** Those of one slot. */
export function valuesOfSlot(record: JsonObject, slot: string): IndexedValue[] {
  const value = Object.hasOwn(record, slot) ? (record[slot] ?? null) : null;
  const first = firstIn(value);
  const found = new Map<string, IndexedValue>();
  for (const one of scalarsIn(value)) {
    const isFirst = one === first;
    const compared = comparedValue(one);
    if (isFirst || !found.has(compared.text)) found.set(compared.text, { slot, ...compared, isFirst });
  }
  return [...found.values()];
}

/** Whether a slot has a value. Long ones are not folded for it. */
export function isFilled(record: JsonObject, slot: string): boolean {
  return Object.hasOwn(record, slot) && scalarsIn(record[slot] ?? null).length > 0;
}

/** The value of a slot that records are sorted by; undefined if it has none, or an object. */
function firstIn(value: JsonValue): string | undefined {
  let one: JsonValue | undefined = value;
  while (Array.isArray(one)) one = one[0];
  if (one === undefined || one === null || isJsonObject(one)) return undefined;
  return one instanceof Numeral ? one.source : String(one);
}

/** A condition on a slot: one of its values is as the test says, compared with one of some. */
export type ValueCondition = {
  readonly slot: string;
  readonly test: SlotTest;
  /** Of `is`, in all spellings. */
  readonly values: readonly string[];
};

/**
 * A value (`is`), one with a string in it (`contains`), one that is not before (`from`) or not after (`to`) another, or any value at
 * all (`filled`, for `true`) or none (for `false`).
 */
export const SLOT_TESTS = ['is', 'contains', 'from', 'to', 'filled'] as const;
export type SlotTest = (typeof SLOT_TESTS)[number];

/** A record has to satisfy one condition of each group. */
export type ConditionGroups = readonly (readonly ValueCondition[])[];

/** Whether a record satisfies conditions. */
export function matcherOf(groups: ConditionGroups): (record: JsonObject) => boolean {
  const tests = groups.map((group) => group.map(testOf));
  return (record) => {
    const known = new Map<string, readonly IndexedValue[]>();
    const valuesOf = (slot: string) => {
      const values = known.get(slot) ?? valuesOfSlot(record, slot);
      known.set(slot, values);
      return values;
    };
    return tests.every((group) => group.some((isMet) => isMet(valuesOf, record)));
  };
}

/** Whether a value satisfies all of some conditions on its slot: `from`, `to` or, for any value, `filled`. */
export function valueTestOf(conditions: readonly ValueCondition[]): (value: IndexedValue) => boolean {
  const tests = conditions.map(testOf);
  return (one) => tests.every((isMet) => isMet(() => [one], {}));
}

/** Whether a record has one value that satisfies all of some conditions on one slot, as {@link valueTestOf} has them. */
export function valueMatcherOf(conditions: readonly ValueCondition[]): (record: JsonObject) => boolean {
  const isMet = valueTestOf(conditions);
  return (record) => valuesOfSlot(record, conditions[0]!.slot).some(isMet);
}

type Test = (valuesOf: (slot: string) => readonly IndexedValue[], record: JsonObject) => boolean;

function testOf({ slot, test, values }: ValueCondition): Test {
  const some = values.map(comparedValue);
  switch (test) {
    case 'is': {
      const wanted = new Set(some.map(({ text }) => text));
      return (valuesOf) => valuesOf(slot).some(({ text }) => wanted.has(text));
    }
    case 'contains': {
      const parts = values.map((value) => fold(value));
      return (_, record) =>
        scalarsIn(Object.hasOwn(record, slot) ? (record[slot] ?? null) : null)
          .map(fold)
          .some((text) => parts.some((part) => text.includes(part)));
    }
    case 'from':
      return (valuesOf) => valuesOf(slot).some((one) => some.some((bound) => compareWith(one, bound) >= 0));
    case 'to':
      return (valuesOf) =>
        valuesOf(slot).some((one) =>
          some.some(
            (bound) =>
              compareWith(one, bound) <= 0 || periodsIn(bound).some((next) => one.text.startsWith(next)),
          ),
        );
    case 'filled':
      return (valuesOf) => values.some((value) => valuesOf(slot).length > 0 === (value === 'true'));
  }
}

/** Numbers are compared with a number as numbers, all else as texts, so dates and times are in their order. */
function compareWith(one: ComparedValue, bound: ComparedValue): number {
  if (bound.number !== undefined && one.number !== undefined) return one.number - bound.number;
  return compareCodePoints(one.text, bound.text);
}

/** The beginnings of the dates and times within a year, month or day: those up to 2024 include the days of 2024. */
export function periodsIn({ text }: ComparedValue): string[] {
  return /^\d{4}(-\d\d){0,2}$/.test(text) ? [`${text}-`, `${text}t`] : [];
}
