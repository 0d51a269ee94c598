/** What a number in a workbook is: its format decides, as the library of the formats reads it. */
import { SSF } from '@e965/xlsx';
import { MIDNIGHT, momentOf, numberText } from './numbers.ts';
import { CellFault, durationMessage, type Reading } from './table.ts';

/** What cells with a format are. */
type Meaning = {
  readonly kind: 'number' | 'date' | 'time' | 'datetime' | 'duration' | 'word';
  /** Whether the format shows more than the number: zeros, or separators between its digits. */
  readonly pads: boolean;
  /** How many digits it shows before a point, at least: the library has them before no point only. */
  readonly wholeDigits?: number;
};

/** Longer ones are not from a spreadsheet program. */
const LONGEST_FORMAT = 255;
const NUMBER: Meaning = { kind: 'number', pads: false };

const known = new Map<string, Meaning>();
const MOST_KNOWN = 10_000;

function meaningOf(format: string): Meaning {
  const found = known.get(format);
  if (found) return found;
  const meaning = format.length > LONGEST_FORMAT ? NUMBER : read(format);
  if (known.size >= MOST_KNOWN) known.clear();
  known.set(format, meaning);
  return meaning;
}

function read(format: string): Meaning {
  if (format === '' || format === 'General') return NUMBER;
  if (!isDate(format)) {
    // Negative numbers and zero may have sections of their own, which repeat the first one.
    const [shape = ''] = signs(format)
      .replaceAll(/\[[^\]]*\]/g, '')
      .split(';');
    if (!/[0#?]/.test(shape))
      return { kind: /"[^"]+"/.test(format) && !/[@G]/.test(shape) ? 'word' : 'number', pads: false };
    const digits = /[0#?][^;]*[0#?]|[0#?]/.exec(shape)?.[0] ?? '';
    const isPlain = /^#*[0?]?(?:\.#*)?$/.test(digits) || /[E%/]/.test(shape);
    return { kind: 'number', pads: !isPlain, wholeDigits: /^0+(?=\.)/.exec(digits)?.[0].length ?? 0 };
  }
  if (/\[(?:h+|m+|s+)\]/i.test(format)) return { kind: 'duration', pads: false };
  const letters = signs(format)
    .replaceAll(/\[[^\]]*\]|General|AM\/PM|A\/P|上午\/下午/gi, (found) => (found[0] === '[' ? '' : 'h'))
    .toLowerCase();
  const hasClock = /[hs]/.test(letters);
  const hasDay = /[yedbg]|a{3}/.test(letters) || (!hasClock && letters.includes('m'));
  return { kind: hasClock ? (hasDay ? 'datetime' : 'time') : 'date', pads: false };
}

/** The library takes signs that fill a cell for those of dates, and does not know names of days in East Asian versions. */
function isDate(format: string): boolean {
  const withoutFill = format.replaceAll(/("[^"]*"|[\\_].)|\*./gs, '$1');
  return SSF.is_date(withoutFill) || /a{3}/i.test(signs(withoutFill).replaceAll(/\[[^\]]*\]/g, ''));
}

/** A format without its literal texts, which may have letters of dates and digits. */
function signs(format: string): string {
  return format.replaceAll(/"[^"]*"|[\\_*]./gs, (found) => (/^\\[-. ()/]$/.test(found) ? found[1]! : ''));
}

/**
 * The text of a number with a format, and what it is for slots of other types.
 *
 * @throws CellFault for a duration, and for a date that does not exist
 */
export function readNumber(
  number: number,
  format: string,
  from1904: boolean,
): { readonly text: string; readonly isExact: boolean; readonly reading?: Reading } {
  const { kind, pads, wholeDigits } = meaningOf(format);
  if (kind === 'number' || kind === 'word') {
    const text = numberText(number);
    const reading =
      kind === 'word'
        ? { boolean: shownAs(number, format) }
        : pads
          ? shownDigits(number, text, format, wholeDigits)
          : undefined;
    return { text, isExact: true, ...(reading && { reading: { ...reading, format } }) };
  }
  if (kind === 'duration') throw new CellFault('cell_broken', durationMessage(shownAs(number, format)));
  const moment = momentOf(number, from1904);
  if (!moment) throw new CellFault('cell_broken', `The cell has a date that does not exist (${number}).`);
  const { date, clock } = moment;
  const isMidnight = clock === MIDNIGHT;
  if (date === undefined) {
    if (kind === 'date' && isMidnight)
      throw new CellFault('cell_broken', 'The cell has a date that does not exist (1900-01-00).');
    return { text: clock, isExact: false };
  }
  const whole = `${date}T${clock}`;
  const text = isMidnight ? date : whole;
  if (kind === 'date') return { text, isExact: false };
  return { text, isExact: false, reading: { time: clock, datetime: whole } };
}

/** What a cell shows, if that is the same number: for slots of text and of decimals. */
function shownDigits(number: number, text: string, format: string, wholeDigits = 0): Reading | undefined {
  const shown = shownAs(number, format);
  const digits = shown.replaceAll(/[^\d.]/g, '');
  // A format that rounds shows less than the cell has.
  if (digits === '' || Number(digits) !== Math.abs(Number(text))) return undefined;
  const whole = shown.replace(/\d+(?=\.)/, (found) => found.padStart(wholeDigits, '0'));
  return { text: whole, ...(/^-?\d+\.\d+$/.test(shown) && { decimal: shown }) };
}

function shownAs(number: number, format: string): string {
  try {
    // A language without a currency is one for the library.
    return String(SSF.format(format.replaceAll(/\[\$-[^\]]*\]/g, ''), number)).trim();
  } catch {
    return String(number);
  }
}
