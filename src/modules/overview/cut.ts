/** Cuts the values of a slot into ranges: numbers in round steps, dates by months, years or decades. */
import { below } from '../../core/doubles.ts';
import type { ValueRange } from '../../core/records/value-search.ts';
import type { ComparedValue } from '../../core/storage/search/indexed-values.ts';

/** Ranges of numbers at most, about. */
const MOST_RANGES = 20;
/** Numbers that differ less, in relation to their size, are one range, and so are those that are hardly numbers. */
const LEAST_SPREAD = 1e-9;
const LEAST_SIZE = 1e-290;
/** Years that are shown by months, and by single years. */
const BY_MONTHS = 2;
const BY_YEARS = 40;
/** Dates before and behind are in the first and the last range. */
const MOST_DECADES = 60;

/** Ranges without gaps: the first has all smaller values, too, and the last all greater ones. */
function open(ranges: readonly Required<ValueRange>[]): ValueRange[] {
  return ranges.map(({ from, to }, at) => ({
    ...(at > 0 && { from }),
    ...(at < ranges.length - 1 && { to }),
  }));
}

/** @param isWhole whether all values are whole numbers, so a range can end at one */
export function cutNumbers(
  isWhole: boolean,
): (least: ComparedValue, greatest: ComparedValue) => ValueRange[] {
  return ({ number: least }, { number: greatest }) => {
    if (least === undefined || greatest === undefined) return [];
    const size = Math.max(Math.abs(least), Math.abs(greatest));
    if (greatest - least <= LEAST_SPREAD * size || size < LEAST_SIZE) return [{}];
    const step = Math.max(roundStep((greatest - least) / MOST_RANGES), isWhole ? 1 : 0);
    const first = Math.floor(least / step);
    const last = Math.floor(greatest / step);
    const edge = (at: number) => Number((at * step).toPrecision(12));
    return open(
      Array.from({ length: last - first + 1 }, (_, at) => ({
        from: String(edge(first + at)),
        to: String(isWhole ? edge(first + at + 1) - 1 : below(edge(first + at + 1))),
      })),
    );
  };
}

/** The least of 1, 2, 5 and their multiples by powers of ten that is not less. */
function roundStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(least));
  return Number(([1, 2, 5, 10].find((one) => one * power >= least * (1 - 1e-9))! * power).toPrecision(12));
}

export function cutDates(least: ComparedValue, greatest: ComparedValue): ValueRange[] {
  const [from, to] = [monthOf(least.text), monthOf(greatest.text)];
  if (from === undefined || to === undefined || from > to) return [];
  const years = yearOf(to) - yearOf(from) + 1;
  if (years <= BY_MONTHS)
    return open(
      Array.from({ length: to - from + 1 }, (_, at) => ({ from: nameOf(from + at), to: nameOf(from + at) })),
    );
  const size = years <= BY_YEARS ? 1 : 10;
  const first = Math.floor(yearOf(from) / size);
  const ranges = Math.min(MOST_DECADES, Math.floor(yearOf(to) / size) - first + 1);
  return open(
    Array.from({ length: ranges }, (_, at) => ({
      from: yearName((first + at) * size),
      to: yearName((first + at + 1) * size - 1),
    })),
  );
}

const yearOf = (month: number) => Math.floor(month / 12);
const yearName = (year: number) => String(year).padStart(4, '0');
const nameOf = (month: number) => `${yearName(yearOf(month))}-${String((month % 12) + 1).padStart(2, '0')}`;

/** The months since the year 0 of a date, whose month may be left out. */
function monthOf(text: string): number | undefined {
  const [, year, month = '01'] = /^(\d{4})(?:-(\d\d))?(?![\d])/.exec(text) ?? [];
  return year === undefined ? undefined : 12 * Number(year) + Number(month) - 1;
}
