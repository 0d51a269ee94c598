/** Numbers and dates as people write them who do not write `1000.50` and `2025-12-31`. */
import type { SlotRange } from '../../../core/schema/schema.ts';
import type { DATE_ORDERS } from '../commands/reading.ts';
import { dayText } from '../files/numbers.ts';
import { CellFault } from '../files/table.ts';

/** How the cells of a table write numbers and dates. */
export type CellLocale = {
  /** Whether `1.000,50` is 1000.5. */
  readonly decimalComma?: boolean | undefined;
  /** Whether other cells of the column have decimal commas, although they are not allowed. */
  readonly seesCommas?: boolean;
  /** Whether `3/4/2025` is in April (`dmy`) or in March (`mdy`), or whether dates are day numbers. */
  readonly dates?: DateOrder | undefined;
  /** Whether day numbers count from 1904. */
  readonly from1904?: boolean | undefined;
};

type DateOrder = (typeof DATE_ORDERS)[number];

const NUMBERS = new Set(['integer', 'nonNegativeInteger', 'float', 'double', 'decimal']);
const COMMA_NUMBER = /^[-+]?(?:[1-9]\d{0,2}(?:\.\d{3})+|\d+)(?:,\d+)?$/;
/** A number with one group of three digits behind a dot: of 1125 or of 1.125. */
const AMBIGUOUS = /^[-+]?[1-9]\d{0,2}\.\d{3}$/;
/** A number with groups of three digits: its whole part, their separator, and its fraction. */
const GROUPED = /^([-+]?[1-9]\d{0,2}([,.'’\s])\d{3}(?:\2\d{3})*)(?:(?!\2)[.,](\d+))?$/;
/** Days since 1900, with the time as a fraction. */
const DAY_NUMBER = /^\d{1,7}(?:\.\d+)?$/;
const LOCAL_DATE = /^(\d{1,2})([./-])(\d{1,2})\2(\d{4})(?:[T ](\d{1,2}:\d\d(?::\d\d)?))?$/;

/** Whether a cell has a number with a decimal comma. */
export function hasDecimalComma(text: string): boolean {
  return text.includes(',') && COMMA_NUMBER.test(text.trim());
}

/** A cell as the schema reads it. @throws CellFault for a number with two meanings, and for a date that does not exist */
export function withoutLocale(
  text: string,
  range: SlotRange,
  { decimalComma, seesCommas, dates, from1904 }: CellLocale,
): string {
  if (range.kind !== 'type') return text;
  const { base } = range.type;
  const trimmed = text.trim();
  if (seesCommas && !decimalComma && NUMBERS.has(base) && AMBIGUOUS.test(trimmed))
    throw new CellFault(
      'number_ambiguous',
      `The number is ${trimmed.replace('.', '')} or ${trimmed}: other cells of the column have decimal commas. Allow them.`,
    );
  if (decimalComma && NUMBERS.has(base) && COMMA_NUMBER.test(trimmed)) {
    if (AMBIGUOUS.test(trimmed))
      throw new CellFault(
        'number_ambiguous',
        `The number is ${trimmed.replace('.', '')} or ${trimmed.replace('.', ',')}: write it in one of these ways.`,
      );
    return trimmed.replaceAll('.', '').replace(',', '.').replace(/^\+/, '');
  }
  if (dates === undefined || !isDate(base)) return text;
  if (dates !== 'excel') return isoDate(trimmed, dates) ?? text;
  return DAY_NUMBER.test(trimmed) ? (dayText(Number(trimmed), from1904) ?? text) : text;
}

function isDate(base: string): boolean {
  return base === 'date' || base === 'datetime' || base === 'date_or_datetime';
}

/** Undefined for what is not such a date. */
function isoDate(text: string, order: Exclude<DateOrder, 'excel'>): string | undefined {
  const [, first = '', , second = '', year = '', time] = LOCAL_DATE.exec(text) ?? [];
  if (year === '') return undefined;
  const [day, month] = order === 'dmy' ? [first, second] : [second, first];
  if (Number(month) > 12)
    throw new CellFault(
      'date_order',
      `The month of "${text}" is ${month}: are dates written in another order?`,
    );
  const date = `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
  return time === undefined ? date : `${date}T${time.padStart(5, '0')}`;
}

/** Advises on a cell that the schema refuses; empty for cells without advice. */
export function hintFor(text: string, range: SlotRange, { dates }: CellLocale = {}): string {
  if (range.kind !== 'type') return '';
  const { base } = range.type;
  const trimmed = text.trim();
  if (isDate(base) && /^[1-9]\d{4}(?:\.\d+)?$/.test(trimmed))
    return ` It may be a date of a spreadsheet program: write ${dayText(Number(trimmed))}.`;
  if (isDate(base) && dates === undefined && LOCAL_DATE.test(trimmed))
    return ' Write dates like 2025-12-31, or name their order (dates: dmy or mdy).';
  if (isDate(base) && /^[12]\d{3}$/.test(trimmed)) return ` Write a whole date, such as ${trimmed}-01-31.`;
  const ungrouped = NUMBERS.has(base) ? ungroupedHint(trimmed, base) : undefined;
  if (ungrouped !== undefined) return ungrouped;
  if (NUMBERS.has(base) && hasDecimalComma(text))
    return ` Write ${trimmed.replaceAll('.', '').replace(',', '.')}, or allow decimal commas.`;
  return '';
}

/** Advises to leave out separators of thousands; a single comma may be a decimal one. Undefined for a number without them. */
function ungroupedHint(text: string, base: string): string | undefined {
  const [, whole, separator = '', fraction] = GROUPED.exec(text) ?? [];
  if (whole === undefined) return undefined;
  const groups = whole.split(separator).length - 1;
  // A single dot is a decimal point, and a comma behind dots a decimal comma.
  if (separator === '.' && (groups === 1 || fraction !== undefined)) return undefined;
  const plain =
    whole.replaceAll(separator, '').replace('+', '') + (fraction === undefined ? '' : `.${fraction}`);
  const isInteger = base === 'integer' || base === 'nonNegativeInteger';
  return separator === ',' && groups === 1 && fraction === undefined && !isInteger
    ? ` Write ${plain} if the comma separates thousands, else ${text.replace(',', '.')}, or allow decimal commas.`
    : ` Write ${plain}, without separators of thousands.`;
}
