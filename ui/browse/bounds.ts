/** The ends of ranges of numbers and dates, as people type them. */
import { below, edgeAbove } from '../../src/core/doubles.ts';
import { isDate, isNumeric } from '../shared/scalar.tsx';
import type { Slot } from '../shared/schema.ts';
import { dateText, numberText, storedDate, storedNumber } from '../shared/time.ts';
import type { Condition } from './filters.ts';
import { tb } from './texts.ts';

/** A year, a month or a day, which may have a time. */
const DATE = /^\d{4}(-\d\d(-\d\d([T ].*)?)?)?$/;

/**
 * What is typed as the service compares it; undefined if it is not a number, or not a date. The upper end of a range of numbers may
 * exclude one: `< 2`.
 */
export function storedBound(typed: string, { range }: Slot, condition: Condition): string | undefined {
  if (isNumeric(range)) {
    const [, edge] = condition === 'to' ? (/^\s*<(.*)$/.exec(typed) ?? []) : [];
    const number = storedNumber(edge ?? typed);
    return edge === undefined || number === undefined ? number : String(below(Number(number)));
  }
  if (!isDate(range)) return typed;
  const date = storedDate(typed);
  return DATE.test(date) ? date : undefined;
}

/** What is stored as people type it. */
export function typedBound(stored: string, { range }: Slot): string {
  const edge = edgeOf(stored, range);
  if (edge !== undefined) return `< ${numberText(edge, false)}`;
  if (isNumeric(range)) return numberText(stored, false);
  return isDate(range) ? dateText(stored) : stored;
}

/** The number that the upper end of a range excludes, if it does. */
export function edgeOf(stored: string, range: Slot['range']): string | undefined {
  return isNumeric(range) ? edgeAbove(stored) : undefined;
}

/** How a date is typed, for an empty field. */
export function boundHint({ range }: Slot): string | undefined {
  return isDate(range) ? tb('dateHint') : undefined;
}

/** Why a typed text is not an end of a range. */
export function boundProblem({ range }: Slot): string {
  return tb(isNumeric(range) ? 'notNumber' : 'notDate');
}
