/** Conditions on values as ranges of the index of values, which has its rows in the order of slot, number, text and record. */

import { fold } from '#linkml/folding.ts';
import { compareCodePoints } from '#linkml/json.ts';
import type { Value } from '../dialect.ts';
import {
  type ComparedValue,
  comparedValue,
  indexedText,
  MOST_NUMBER,
  periodsIn,
  type ValueCondition,
} from './indexed-values.ts';

/** A position in the rows of a slot. */
export type ValueKey = readonly [number: number, text: string, record: number];

/** Rows of a slot behind a position, up to another one. */
export type Span = {
  readonly slot: number;
  readonly behind: ValueKey;
  readonly upTo: ValueKey;
  /** How many these are, if that is known. */
  readonly rows?: number;
  /** What else they have to satisfy. */
  readonly filters?: readonly Filter[];
};

/** A condition on `v`. @param parameter adds a value to the statement */
export type Filter = (parameter: (value: Value) => string) => string;

/** The numbers of a slot: of its rows with texts, and of those with numbers; undefined for none. */
export type SlotNumbers = {
  readonly text?: number;
  readonly number?: number;
  /** Whether records have had several values of the slot. */
  readonly several?: boolean;
};

/** A condition on `v`: the index has only the beginning of its value, see `isCut`. */
export const IS_CUT = 'length(v.value) > 100';

/** Behind all texts of the index: those are shorter. */
const LAST_TEXT = '\u{10FFFF}'.repeat(130);
const LAST = Number.MAX_SAFE_INTEGER;

/** All rows with numbers, or with texts. */
const NUMBERS = { behind: [-MOST_NUMBER, '', -1], upTo: [MOST_NUMBER, LAST_TEXT, LAST] } as const;
const TEXTS = { behind: [0, '', -1], upTo: [0, LAST_TEXT, LAST] } as const;

/** Every row of a slot, numbers first. */
export function wholeSlot({ text, number }: SlotNumbers): Span[] {
  return [
    ...(number === undefined ? [] : [{ slot: number, ...NUMBERS }]),
    ...(text === undefined ? [] : [{ slot: text, ...TEXTS }]),
  ];
}

/** The rows that satisfy a condition, for one of its values. Of `contains`, they include all values that the index has cut. */
export function spansOf(slots: SlotNumbers, { test, values }: ValueCondition): Span[] {
  if (test === 'filled') return wholeSlot(slots);
  return values.flatMap((value) => {
    const bound = comparedValue(value);
    if (test === 'contains') {
      const like = `%${indexedText(fold(value)).replace(/[\\%_]/g, '\\$&')}%`;
      const filter: Filter = (parameter) => `(v.value LIKE ${parameter(like)} ESCAPE '\\' OR ${IS_CUT})`;
      return wholeSlot(slots).map((span) => ({ ...span, filters: [filter] }));
    }
    if (test === 'is') return equalTo(slots, bound);
    return [...numbersFrom(slots, bound, test), ...textsFrom(slots, bound, test)];
  });
}

function equalTo(slots: SlotNumbers, { text, number }: ComparedValue): Span[] {
  const slot = number === undefined ? slots.text : slots.number;
  if (slot === undefined) return [];
  return [{ slot, behind: [number ?? 0, text, -1], upTo: [number ?? 0, text, LAST] }];
}

function numbersFrom({ number: slot }: SlotNumbers, bound: ComparedValue, test: 'from' | 'to'): Span[] {
  if (slot === undefined) return [];
  const { number, text } = bound;
  if (number === undefined) {
    // Numbers are compared with other values as texts, in whose order they are not.
    const filter: Filter = (parameter) => `v.value ${test === 'from' ? '>=' : '<='} ${parameter(text)}`;
    return [{ slot, ...NUMBERS, filters: [filter] }];
  }
  return [
    test === 'from'
      ? { slot, behind: [number, '', -1], upTo: NUMBERS.upTo }
      : { slot, behind: NUMBERS.behind, upTo: [number, LAST_TEXT, LAST] },
  ];
}

function textsFrom({ text: slot }: SlotNumbers, bound: ComparedValue, test: 'from' | 'to'): Span[] {
  if (slot === undefined) return [];
  const { text } = bound;
  if (test === 'from') return [{ slot, behind: [0, text, -1], upTo: TEXTS.upTo }];
  const periods = periodsIn(bound);
  const last = periods.at(-1);
  if (last === undefined) return [{ slot, behind: TEXTS.behind, upTo: [0, text, LAST] }];
  const isWithin: Filter = (parameter) =>
    `(v.value <= ${parameter(text)} OR substr(v.value, 1, ${last.length}) IN (${periods.map(parameter)}))`;
  return [{ slot, behind: TEXTS.behind, upTo: [0, last + LAST_TEXT, LAST], filters: [isWithin] }];
}

/**
 * The condition on `v` to be a row of a span, with the values of its statement. If all of these have one number, it is not compared with
 * others: PostgreSQL goes on behind a range of several columns until the first of them changes, which would be the end of the slot.
 */
export function isInSpan({ slot, behind, upTo }: Span): [sql: string, values: Value[]] {
  const [number, ...first] = behind;
  const [lastNumber, ...last] = upTo;
  if (number !== lastNumber)
    return [
      `v.slot = $1 AND (v.number, v.value, v.record) > ($2, $3, $4) AND (v.number, v.value, v.record) <= ($5, $6, $7)`,
      [slot, ...behind, ...upTo],
    ];
  return [
    `v.slot = $1 AND v.number = $2 AND (v.value, v.record) > ($3, $4) AND (v.value, v.record) <= ($5, $6)`,
    [slot, number, ...first, ...last],
  ];
}

/** The rows that are in one of some spans, and in one of others. */
export function overlaps(some: readonly Span[], others: readonly Span[]): Span[] {
  return some.flatMap((a) =>
    others.flatMap((b) => {
      if (a.slot !== b.slot) return [];
      const behind = compareKeys(a.behind, b.behind) > 0 ? a.behind : b.behind;
      const upTo = compareKeys(a.upTo, b.upTo) < 0 ? a.upTo : b.upTo;
      if (compareKeys(behind, upTo) >= 0) return [];
      return { slot: a.slot, behind, upTo, filters: [...(a.filters ?? []), ...(b.filters ?? [])] };
    }),
  );
}

function compareKeys(a: ValueKey, b: ValueKey): number {
  return a[0] - b[0] || compareCodePoints(a[1], b[1]) || a[2] - b[2];
}
