/** Values as the cells of a workbook: numbers and dates are what programs add and sort, if an import reads them as they were. */
import { DAY } from '../../../core/durations.ts';
import type { Value } from '../rows/columns.ts';
import { dayText, numberText } from './numbers.ts';
import type { XlsxCell } from './xlsx-write.ts';

/** A cell of a slot, from the text that it has as text. */
export function typedCell(text: string, { range, multivalued }: Value): XlsxCell {
  return multivalued || range.kind !== 'type' ? text : cellOfType(text, range.type.base);
}

/** A cell with a value of a built-in type, from the text that it has as text. */
export function cellOfType(text: string, base: string): XlsxCell {
  if (text === '') return text;
  switch (base) {
    case 'integer':
    case 'nonNegativeInteger':
    case 'float':
    case 'double':
      return numberText(Number(text)) === text ? { number: text } : text;
    case 'decimal':
      return decimalCell(text) ?? text;
    case 'date':
    case 'datetime':
    case 'date_or_datetime':
      return momentCell(text) ?? text;
    default:
      return text;
  }
}

/** A decimal has the digits that its format shows. */
function decimalCell(text: string): XlsxCell | undefined {
  const found = /^-?(?:0|[1-9]\d*)(?:\.(\d+))?$/.exec(text);
  if (!found) return undefined;
  const number = numberText(Number(text));
  if (number === text) return { number };
  const digits = found[1]?.length ?? 0;
  const isKept =
    digits > 0 && text.replace(/\D/g, '').length <= MOST_DIGITS && Number(number).toFixed(digits) === text;
  return isKept ? { number, format: `0.${'0'.repeat(digits)}` } : undefined;
}

/** Digits that Excel keeps. */
const MOST_DIGITS = 15;
/** Dates and times without a zone, which cells do not have, to the millisecond. At midnight, a cell is a date. */
const MOMENT = /^\d{4}-\d\d-\d\d(?:(T\d\d:\d\d:\d\d)(\.\d{3})?)?$/;
const FIRST_DAY = Date.UTC(1899, 11, 30);

/** A day number whose text is the same. */
function momentCell(text: string): XlsxCell | undefined {
  const [found, clock, fraction] = MOMENT.exec(text) ?? [];
  if (found === undefined) return undefined;
  const days = (Date.parse(clock === undefined ? text : `${text}Z`) - FIRST_DAY) / DAY;
  const format = `yyyy\\-mm\\-dd${clock === undefined ? '' : ' hh:mm:ss'}${fraction === undefined ? '' : '.000'}`;
  return days > 60 && dayText(days) === text ? { number: String(days), format } : undefined;
}
