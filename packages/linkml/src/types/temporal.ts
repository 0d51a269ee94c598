/**
 * Dates and times as the Python tools read and write them: ISO 8601, and epoch numbers for dates and datetimes.
 */
import { type JsonValue, Numeral } from '../json.ts';

const DATE = /^(\d{4})-(\d{2})-(\d{2})$/;
const DATETIME =
  /^(\d{4})-(\d{2})-(\d{2})(?:[Tt _](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,30}))?)?)([Zz]|[+\-−]\d{2}:?\d{2})?$/;
const EPOCH = /^[+-]?\d+(?:\.\d*)?$/;
/** Epoch numbers beyond it are milliseconds. */
const MILLISECONDS_FROM = 20_000_000_000;
const DAY_SECONDS = 86_400;

type Moment = {
  readonly date: string;
  readonly time: string;
  readonly micros: string;
  readonly zone: string;
};

/** The canonical form of a date, `YYYY-MM-DD`. Also accepts a datetime at midnight and an epoch number of whole days. */
export function toDate(value: JsonValue): string | undefined {
  if (typeof value === 'string') {
    const parts = DATE.exec(value);
    if (parts) return isDay(parts[1]!, parts[2]!, parts[3]!) ? value : undefined;
  }
  const moment = momentOf(value);
  return moment && moment.time === '00:00:00' && moment.micros === '' ? moment.date : undefined;
}

/** The canonical form of a datetime: microseconds six digits or none, UTC as `Z`, other offsets as `+HH:MM`. */
export function toDatetime(value: JsonValue): string | undefined {
  const moment = momentOf(value);
  if (!moment) return undefined;
  return `${moment.date}T${moment.time}${moment.micros === '' ? '' : `.${moment.micros}`}${moment.zone}`;
}

/** A date or a datetime, verbatim. */
export function toDateOrDatetime(value: JsonValue): string | undefined {
  if (typeof value !== 'string' || EPOCH.test(value)) return undefined;
  return toDatetime(value) === undefined ? undefined : value;
}

/** Whether a value is a Unix timestamp to {@link toDate} and {@link toDatetime}: a number, or its digits in a string. */
export function isTimestamp(value: JsonValue): boolean {
  return typeof value === 'string'
    ? EPOCH.test(value)
    : typeof value === 'number' || value instanceof Numeral;
}

/** Whether {@link toDatetime} would drop digits of a second that are not zeros: it keeps microseconds. */
export function losesDigits(value: JsonValue): boolean {
  return typeof value === 'string' && /[1-9]/.test(DATETIME.exec(value)?.[7]?.slice(6) ?? '');
}

function momentOf(value: JsonValue): Moment | undefined {
  if (typeof value === 'number') return fromEpoch(value);
  if (value instanceof Numeral) return fromEpoch(Number(value.source));
  if (typeof value !== 'string') return undefined;
  if (EPOCH.test(value)) return fromEpoch(Number(value));
  const day = DATE.exec(value);
  if (day)
    return isDay(day[1]!, day[2]!, day[3]!)
      ? { date: value, time: '00:00:00', micros: '', zone: '' }
      : undefined;
  return fromText(value);
}

function fromText(text: string): Moment | undefined {
  const parts = DATETIME.exec(text);
  if (!parts) return undefined;
  const [, year = '', month = '', day = '', hour = '', minute = '', second = '00', fraction = '', zone = ''] =
    parts;
  if (!isDay(year, month, day) || Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59)
    return undefined;
  const offset = zoneOf(zone);
  if (offset === undefined) return undefined;
  const micros = fraction.slice(0, 6).padEnd(6, '0');
  return {
    date: `${year}-${month}-${day}`,
    time: `${hour}:${minute}:${second}`,
    micros: micros === '000000' ? '' : micros,
    zone: offset,
  };
}

function zoneOf(text: string): string | undefined {
  if (text === '') return '';
  if (text === 'Z' || text === 'z') return 'Z';
  const hours = text.slice(1, 3);
  const minutes = text.slice(3).replace(':', '');
  if (Number(hours) > 23 || Number(minutes) > 59) return undefined;
  if (hours === '00' && minutes === '00') return 'Z';
  return `${text[0] === '+' ? '+' : '-'}${hours}:${minutes}`;
}

function fromEpoch(epoch: number): Moment | undefined {
  if (!Number.isFinite(epoch)) return undefined;
  const seconds = Math.abs(epoch) > MILLISECONDS_FROM ? epoch / 1000 : epoch;
  const whole = Math.floor(seconds);
  const micros = Math.round((seconds - whole) * 1e6);
  const at = new Date(whole * 1000);
  if (Number.isNaN(at.getTime()) || at.getUTCFullYear() < 1 || at.getUTCFullYear() > 9999) return undefined;
  const text = at.toISOString();
  return {
    date: text.slice(0, 10),
    time: text.slice(11, 19),
    micros: micros === 0 ? '' : String(micros).padStart(6, '0'),
    zone: 'Z',
  };
}

function isDay(year: string, month: string, day: string): boolean {
  if (year === '0000') return false;
  const at = new Date(0);
  at.setUTCFullYear(Number(year), Number(month) - 1, Number(day));
  return (
    at.getTime() / 1000 / DAY_SECONDS === Math.floor(at.getTime() / 1000 / DAY_SECONDS) &&
    at.getUTCMonth() === Number(month) - 1 &&
    at.getUTCDate() === Number(day)
  );
}

const TIME =
  /^T?(\d{2})(?::(\d{2})(?::(\d{2})(?:[.,]\d+)?)?|(\d{2})(?:(\d{2})(?:[.,]\d+)?)?)?(Z|[+-]\d{2}(?::?\d{2}(?::?\d{2}(?:\.\d+)?)?)?)?$/;

/** A time of day in any form of ISO 8601, verbatim. */
export function toTime(value: JsonValue): string | undefined {
  if (typeof value !== 'string') return undefined;
  const parts = TIME.exec(value);
  if (!parts) return undefined;
  const [, hour = '', minute = parts[4] ?? '0', second = parts[5] ?? '0'] = parts;
  const zone = parts[6] ?? 'Z';
  const zoned = zone === 'Z' || Number(zone.slice(1, 3)) <= 23;
  return zoned && Number(hour) <= 23 && Number(minute) <= 59 && Number(second) <= 59 ? value : undefined;
}
