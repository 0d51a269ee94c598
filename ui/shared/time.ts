/** Times, numbers and sizes in the language of the user. */
import { language } from '../texts/texts.ts';
import { isDay } from './days.ts';

/** `19 Nov, 09:12`; today only the time. */
export function shortTime(iso: string | null | undefined): string {
  const date = dateOf(iso);
  if (!date) return '';
  const now = new Date();
  if (date.toDateString() === now.toDateString()) return format(date, { hour: '2-digit', minute: '2-digit' });
  const year = date.getFullYear() === now.getFullYear() ? {} : { year: 'numeric' as const };
  return format(date, { day: 'numeric', month: 'short', ...year, hour: '2-digit', minute: '2-digit' });
}

/** `19 Nov 2026, 09:12`. */
export function fullTime(iso: string | null | undefined): string {
  const date = dateOf(iso);
  if (!date) return '';
  return format(date, {
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
  });
}

/** `09:12:05`. */
export function clockTime(date: Date): string {
  return format(date, { hour: '2-digit', minute: '2-digit', second: '2-digit' });
}

/** A calendar date, which has no time zone: `24 September 2026`. */
export function calendarDate(text: string): string {
  return dayIn(text, 'long');
}

/** `24 Sept 2026`, in German `24.9.2026`: in a cell of a table, a longer one would lose its year. */
export function shortDate(text: string): string {
  return dayIn(text, language.value === 'de' ? 'numeric' : 'short');
}

function dayIn(text: string, month: 'long' | 'short' | 'numeric'): string {
  const date = isDay(text) ? dateOf(`${text}T00:00:00Z`) : undefined;
  if (!date) return text;
  return format(date, { day: 'numeric', month, year: 'numeric', timeZone: 'UTC' });
}

export function count(value: number): string {
  return value.toLocaleString(tag());
}

/**
 * A number as it was written, `100000.50`, in the language of the user: `100.000,50`. It is never rounded, and whole numbers of
 * four digits may be years.
 *
 * @param grouped whether thousands are set apart, as numbers are read, not typed
 */
export function numberText(text: string, grouped = true): string {
  const match = /^(-?)(\d+)(?:\.(\d+))?$/.exec(text);
  if (!match?.[2]) return text;
  const [, sign, whole, fraction] = match;
  const { group, decimal } = numberMarks();
  const isYear = whole.length < 5 && fraction === undefined;
  const shown = isYear || !grouped ? whole : whole.replace(/\B(?=(\d{3})+$)/g, group);
  return `${sign}${shown}${fraction === undefined ? '' : `${decimal}${fraction}`}`;
}

/**
 * A number that was typed, as it is stored: in German `1.234,5`, `0,5` and `0.5`, in English `1,234.5`, `0.5` and `0,5`. Where
 * both differ, as in `1.234`, the language decides. Undefined for what is not a number.
 */
export function storedNumber(text: string): string | undefined {
  const typed = text
    .trim()
    .replace(/[\s'’]/g, '')
    .replace(/^\u2212/, '-')
    .replace(/^\+/, '');
  const { group, decimal } = numberMarks();
  for (const [thousands, point] of [[group, decimal], [], [decimal, group]] as const) {
    const whole = thousands === undefined ? '\\d*' : `\\d{1,3}(?:\\${thousands}\\d{3})+`;
    const mark = point === undefined ? '[.,]' : `\\${point}`;
    const form = new RegExp(`^(-?)(${whole})(?:${mark}(\\d+))?([eE][+-]?\\d+)?$`);
    const [, sign, digits = '', fraction, exponent = ''] = form.exec(typed) ?? [];
    if (sign === undefined || (digits === '' && fraction === undefined)) continue;
    const number = `${sign}${digits.replace(/\D/g, '') || '0'}${fraction === undefined ? '' : `.${fraction}`}${exponent}`;
    return /^-?(0|[1-9])/.test(number) && !/^-?0\d/.test(number) ? number : undefined;
  }
  return undefined;
}

/** A date that was typed, as it is stored: `23.11.2026` in German is `2026-11-23`. Other texts stay. */
export function storedDate(text: string): string {
  const [, day, month, year] = /^(\d{1,2})\.\s*(\d{1,2})\.\s*(\d{4})$/.exec(text.trim()) ?? [];
  return year === undefined ? text : `${year}-${month!.padStart(2, '0')}-${day!.padStart(2, '0')}`;
}

/** A stored date as it is typed: in German `23.11.2026`, else as it is stored. */
export function dateText(text: string): string {
  return language.value === 'de' ? shortDate(text) : text;
}

function numberMarks(): { readonly group: string; readonly decimal: string } {
  return language.value === 'de' ? { group: '.', decimal: ',' } : { group: ',', decimal: '.' };
}

const UNITS = ['B', 'kB', 'MB', 'GB', 'TB'];

export function size(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 1000 && unit < UNITS.length - 1) {
    value /= 1000;
    unit++;
  }
  return `${value.toLocaleString(tag(), { maximumFractionDigits: value < 10 && unit > 0 ? 1 : 0 })} ${UNITS[unit]}`;
}

function format(date: Date, options: Intl.DateTimeFormatOptions): string {
  return new Intl.DateTimeFormat(tag(), { hour12: false, ...options }).format(date);
}

function tag(): string {
  return language.value === 'de' ? 'de-DE' : 'en-GB';
}

function dateOf(iso: string | null | undefined): Date | undefined {
  const date = iso ? new Date(iso) : undefined;
  return date && !Number.isNaN(date.getTime()) ? date : undefined;
}
