/** The numbers of spreadsheet programs: their texts, and the dates that they stand for. */
import { DAY } from '../../../core/durations.ts';

/** Sums have noise behind 15 digits, which spreadsheet programs hide. A number that has more digits on purpose ends in none of these zeros. */
const MOST_DIGITS = 15;
const MOST_SHORT_DIGITS = 12;

/** The shortest text of a number, without the noise of sums: 0.1 + 0.2 is `0.3`. */
export function numberText(number: number): string {
  if (Number.isSafeInteger(number)) return String(number);
  const rounded = Number(number.toPrecision(MOST_DIGITS));
  const isShort = Number(number.toPrecision(MOST_SHORT_DIGITS)) === rounded;
  return String(isShort ? rounded : number);
}

export const MIDNIGHT = '00:00:00';
/** 9999-12-31, by both epochs of a workbook. */
const LAST_DAY = { from1900: 2_958_466, from1904: 2_957_004 };
/** Lotus 1-2-3 took 1900 for a leap year, and Excel shows this day. */
const NO_DAY = 60;

/**
 * The date and the time of a day number, to the millisecond: noise and what a double cannot have is below it.
 *
 * @returns no date below a day: a time alone; undefined for a day that does not exist
 */
export function momentOf(
  days: number,
  from1904: boolean,
): { readonly date?: string; readonly clock: string } | undefined {
  const milliseconds = Math.round(days * DAY);
  const last = from1904 ? LAST_DAY.from1904 : LAST_DAY.from1900;
  if (!(milliseconds >= 0 && milliseconds < last * DAY)) return undefined;
  const day = Math.floor(milliseconds / DAY);
  if (!from1904 && day === NO_DAY) return undefined;
  const epoch = from1904 ? Date.UTC(1904, 0, 1) : Date.UTC(1899, 11, day < NO_DAY ? 31 : 30);
  const [date = '', clock = ''] = new Date(epoch + milliseconds)
    .toISOString()
    .replace(/(?:\.000)?Z$/, '')
    .split('T');
  return day === 0 && !(from1904 && milliseconds === 0) ? { clock } : { date, clock };
}

/** The text of a day number of a spreadsheet program, as `dates: excel` reads it; undefined for a day that does not exist. */
export function dayText(days: number, from1904 = false): string | undefined {
  const { date, clock = '' } = momentOf(days, from1904) ?? {};
  if (date === undefined) return clock === '' || clock === MIDNIGHT ? undefined : clock;
  return clock === MIDNIGHT ? date : `${date}T${clock}`;
}
