/** Times, numbers and sizes in the language of the user. */
import { language } from '../texts/texts.ts';

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

/** A calendar date, which has no time zone. */
export function calendarDate(text: string): string {
  const date = /^\d{4}-\d\d-\d\d$/.test(text) ? dateOf(`${text}T00:00:00Z`) : undefined;
  if (!date) return text;
  return format(date, { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' });
}

export function count(value: number): string {
  return value.toLocaleString(tag());
}

/**
 * A number as it was written, `100000.50`, in the language of the user: `100.000,50`. It is never rounded, and whole numbers of
 * four digits may be years.
 */
export function numberText(text: string): string {
  const match = /^(-?)(\d+)(?:\.(\d+))?$/.exec(text);
  if (!match?.[2]) return text;
  const [, sign, whole, fraction] = match;
  const parts = new Intl.NumberFormat(tag()).formatToParts(-12345.5);
  const mark = (type: string) => parts.find((one) => one.type === type)?.value ?? '';
  const isYear = whole.length < 5 && fraction === undefined;
  const grouped = isYear ? whole : whole.replace(/\B(?=(\d{3})+$)/g, mark('group'));
  return `${sign}${grouped}${fraction === undefined ? '' : `${mark('decimal')}${fraction}`}`;
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
