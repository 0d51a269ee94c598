/**
 * Reads unquoted YAML scalars: YAML 1.1 as PyYAML's `safe_load` reads it, which differs from YAML 1.2 and from
 * the letter of YAML 1.1 (`y`, `1e3` and `0o17` are strings, `1:30` is ninety).
 */

import { type FixedText, fixedText } from '../errors.ts';
import { type JsonValue, Numeral } from '../json.ts';
import type { YamlOptions } from './options.ts';

/** The kinds of scalars other than strings: their pattern, and their value in JSON. */
const SCALAR_KINDS: readonly { readonly pattern: RegExp; readonly read: (text: string) => JsonValue }[] = [
  {
    pattern: /^(?:yes|Yes|YES|no|No|NO|true|True|TRUE|false|False|FALSE|on|On|ON|off|Off|OFF)$/,
    read: (text) => ['yes', 'true', 'on'].includes(text.toLowerCase()),
  },
  { pattern: /^(?:~|null|Null|NULL|)$/, read: () => null },
  {
    pattern:
      /^(?:[-+]?0b[01_]+|[-+]?0[0-7_]+|[-+]?(?:0|[1-9][0-9_]*)|[-+]?0x[0-9a-fA-F_]+|[-+]?[1-9][0-9_]*(?::[0-5]?[0-9])+)$/,
    read: readInteger,
  },
  {
    pattern:
      /^(?:[-+]?[0-9][0-9_]*\.[0-9_]*(?:[eE][-+][0-9]+)?|\.[0-9][0-9_]*(?:[eE][-+][0-9]+)?|[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+\.[0-9_]*|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$/,
    read: readFloat,
  },
  {
    pattern:
      /^(?:[0-9]{4}-[0-9]{2}-[0-9]{2}|[0-9]{4}-[0-9][0-9]?-[0-9][0-9]?(?:[Tt]|[ \t]+)[0-9][0-9]?:[0-9]{2}:[0-9]{2}(?:\.[0-9]*)?(?:[ \t]*(?:Z|[-+][0-9][0-9]?(?::[0-9]{2})?))?)$/,
    read: readTimestamp,
  },
];

/** The signs that a scalar of one of the {@link SCALAR_KINDS} can begin with, to let most texts pass at once. */
const FIRST_SIGN = /^[-+.0-9~=<yYnNtTfFoO]|^$/;

/** Whether a string would be read as a different value if it were not quoted. */
export function isAmbiguous(text: string): boolean {
  if (!FIRST_SIGN.test(text)) return false;
  return text === '=' || text === '<<' || SCALAR_KINDS.some(({ pattern }) => pattern.test(text));
}

/** The value of an unquoted scalar. Throws a plain Error for one that looks like a date and is none. */
function readPlainScalar(text: string): JsonValue {
  if (!FIRST_SIGN.test(text)) return text;
  const kind = SCALAR_KINDS.find(({ pattern }) => pattern.test(text));
  return kind ? kind.read(text) : text;
}

/** The boolean that a word is if it has no quotes: `no` and `OFF` are false, `y` and `n` are strings. */
export function unquotedBoolean(text: string): boolean | undefined {
  const [{ pattern, read }] = SCALAR_KINDS as [(typeof SCALAR_KINDS)[number]];
  return pattern.test(text) ? (read(text) as boolean) : undefined;
}

/** The time of day that is this number if it has no quotes: 10:30 is read as 630, and 10:30:00 as 37800. */
export function unquotedTime(number: number): string | undefined {
  if (!Number.isInteger(number)) return undefined;
  const two = (part: number) => String(Math.trunc(part)).padStart(2, '0');
  const times = [`${Math.trunc(number / 60)}:${two(number % 60)}`];
  times.push(`${Math.trunc(number / 3600)}:${two((number % 3600) / 60)}:${two(number % 60)}`);
  return times.find((text) => /^(?:[1-9]|1\d|2[0-3])(?::[0-5]\d){1,2}$/.test(text));
}

/** Whether an unquoted scalar is a date or a time. */
function looksLikeDate(text: string): boolean {
  return SCALAR_KINDS.at(-1)!.pattern.test(text);
}

function readInteger(text: string): JsonValue {
  const digits = text.replaceAll('_', '').replace(/^[-+]/, '');
  const negative = text.startsWith('-');
  let value: bigint;
  if (/^0[bx]/.test(digits)) value = BigInt(digits);
  else if (digits.includes(':'))
    value = digits.split(':').reduce((sum, part) => sum * 60n + BigInt(part), 0n);
  else if (/^0./.test(digits)) value = BigInt(`0o${digits.slice(1)}`);
  else value = BigInt(digits);
  return numberFrom(String(negative ? -value : value));
}

/** A scalar that has no value. */
export class ScalarError extends Error {
  /** The message without anything of the document. */
  readonly words: FixedText;

  constructor(words: FixedText, message: string = words) {
    super(message);
    this.words = words;
  }
}

/** @throws ScalarError for what JSON has no number for */
function readFloat(text: string): JsonValue {
  const digits = text.replaceAll('_', '').replace(/^[-+]/, '').toLowerCase();
  const sign = text.startsWith('-') ? -1 : 1;
  if (digits === '.inf' || digits === '.nan')
    throw new ScalarError(
      fixedText('found a number that JSON does not have'),
      `found the number ${text}, which JSON does not have`,
    );
  const value = digits.split(':').reduce((sum, part) => sum * 60 + Number(part), 0);
  if (Number.isNaN(value))
    throw new ScalarError(fixedText('found what is not a number'), `found ${text}, which is not a number`);
  // Beyond a double, the text is kept, so that what refuses the number can name it.
  if (value === Number.POSITIVE_INFINITY && !digits.includes(':'))
    return new Numeral(jsonNumber(sign, digits));
  if (value === Number.POSITIVE_INFINITY)
    throw new ScalarError(
      fixedText('found a number that JSON does not have'),
      `found the number ${text}, which JSON does not have`,
    );
  return numberFrom(pythonFloat(sign * value));
}

/** The digits of a number as JSON writes them: with some before and behind a point. */
function jsonNumber(sign: number, digits: string): string {
  const [, whole = '', fraction, exponent = ''] = /^(\d*)(?:\.(\d*))?(e[-+]?\d+)?$/.exec(digits) ?? [];
  const point = fraction === undefined ? '' : `.${fraction || '0'}`;
  return `${sign < 0 ? '-' : ''}${whole.replace(/^0+(?=\d)/, '') || '0'}${point}${exponent}`;
}

function numberFrom(source: string): JsonValue {
  return String(Number(source)) === source ? Number(source) : new Numeral(source);
}

/** The text of a JSON number: integers digit by digit, all else as the double that it is, with a point before an exponent. */
export function yamlNumber(value: number | Numeral): string {
  const source = value instanceof Numeral ? value.source : String(value);
  if (!/[.eE]/.test(source)) return source === '-0' ? '0' : source;
  const text = pythonFloat(Number(source));
  if (text.endsWith('inf')) return text.replace('inf', '.inf');
  return text.includes('e') && !text.includes('.') ? text.replace('e', '.0e') : text;
}

/** A double as Python's `repr` writes it: the shortest digits, with an exponent below 1e-4 and from 1e16 on. */
export function pythonFloat(value: number): string {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? 'nan' : value < 0 ? '-inf' : 'inf';
  if (value === 0) return Object.is(value, -0) ? '-0.0' : '0.0';
  const [mantissa = '', exponentText = '0'] = Math.abs(value).toExponential().split('e');
  const sign = value < 0 ? '-' : '';
  const exponent = Number(exponentText);
  const digits = mantissa.replace('.', '');
  if (exponent < -4 || exponent >= 16) {
    const power = `${exponent < 0 ? '-' : '+'}${String(Math.abs(exponent)).padStart(2, '0')}`;
    return `${sign}${mantissa}e${power}`;
  }
  if (exponent < 0) return `${sign}0.${'0'.repeat(-exponent - 1)}${digits}`;
  const whole = digits.slice(0, exponent + 1).padEnd(exponent + 1, '0');
  return `${sign}${whole}.${digits.slice(exponent + 1) || '0'}`;
}

/** Dates and times become strings as Python's `isoformat` writes them, as in the peer's answers. */
function readTimestamp(text: string): string {
  const match =
    /^(\d{4})-(\d\d?)-(\d\d?)(?:(?:[Tt]|[ \t]+)(\d\d?):(\d\d):(\d\d)(?:\.(\d*))?(?:[ \t]*(Z|([-+])(\d\d?)(?::(\d\d))?))?)?$/.exec(
      text,
    )!;
  const [, year, month, day, hour, minute, second, fraction, zone, zoneSign, zoneHour, zoneMinute] = match;
  const date = `${year}-${month!.padStart(2, '0')}-${day!.padStart(2, '0')}`;
  const known = new Date(`${date}T00:00:00Z`);
  if (Number.isNaN(known.getTime()) || known.toISOString().slice(0, 10) !== date || year === '0000') {
    throw new ScalarError(
      fixedText('found what looks like a date but is not a valid one'),
      `found ${text}, which looks like a date but is not a valid one`,
    );
  }
  if (hour === undefined) return date;
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) {
    throw new ScalarError(
      fixedText('found what looks like a time but is not a valid one'),
      `found ${text}, which looks like a time but is not a valid one`,
    );
  }
  const micros = (fraction ?? '').slice(0, 6).padEnd(6, '0');
  const time = `${hour.padStart(2, '0')}:${minute}:${second}${micros === '000000' ? '' : `.${micros}`}`;
  if (zone === undefined) return `${date}T${time}`;
  const offset = zone === 'Z' ? '+00:00' : `${zoneSign}${zoneHour!.padStart(2, '0')}:${zoneMinute ?? '00'}`;
  return `${date}T${time}${offset === '-00:00' ? '+00:00' : offset}`;
}

export const STANDARD = 'tag:yaml.org,2002:';

const SCALAR_TAGS: Readonly<Record<string, (value: JsonValue) => boolean>> = {
  [`${STANDARD}null`]: (value) => value === null,
  [`${STANDARD}bool`]: (value) => typeof value === 'boolean',
  [`${STANDARD}int`]: (value) => typeof value === 'number' || value instanceof Numeral,
  [`${STANDARD}float`]: (value) => typeof value === 'number' || value instanceof Numeral,
  [`${STANDARD}timestamp`]: (value) => typeof value === 'string',
};

/** The prefixes of tags, by their handle in a document. */
export class TagHandles {
  readonly #prefixes = new Map([
    ['!', '!'],
    ['!!', STANDARD],
  ]);

  define(handle: string, prefix: string): void {
    this.#prefixes.set(handle, prefix);
  }

  /** A tag in full. */
  resolve(tag: string): string {
    if (tag.startsWith('!<')) return tag.slice(2, -1);
    const [, handle = '!', suffix = ''] = /^(![\w-]*!|!)(.*)$/.exec(tag)!;
    if (suffix === '') return '!';
    try {
      return (this.#prefixes.get(handle) ?? handle) + decodeURIComponent(suffix);
    } catch {
      // An escape that is malformed. No tag that is supported has one, so it is refused as it is.
      return `${handle}${suffix}`;
    }
  }
}

/** The value of a scalar with or without a tag. @throws ScalarError if it does not fit, or is a date and those are refused */
export function taggedScalar(text: string, tag: string | undefined, dates: YamlOptions['dates']): JsonValue {
  if (tag === `${STANDARD}str`) return text;
  if (tag === `${STANDARD}binary`) return text.replaceAll(/\s/g, '');
  if (dates === 'refuse' && looksLikeDate(text))
    throw new ScalarError(fixedText('found a date; put it in quotes to make it a string'));
  const value = tag === `${STANDARD}float` ? readFloat(text) : readPlainScalar(text);
  if (tag !== undefined && tag !== '!' && !SCALAR_TAGS[tag]?.(value))
    throw new ScalarError(
      fixedText('the value does not fit its tag'),
      `the value does not fit its tag ${tag}`,
    );
  return value;
}
