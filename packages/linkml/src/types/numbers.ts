/**
 * Numbers as the Python tools read and write them, without a lost digit.
 */
import { type JsonValue, Numeral } from '../json.ts';
import { pythonFloat } from '../yaml/scalars.ts';

/** A JSON number as its text; undefined for anything else. */
export function canonicalNumber(value: JsonValue): string | undefined {
  if (value instanceof Numeral) return value.source;
  return typeof value === 'number' ? String(value) : undefined;
}

/** A scalar as the text that it is compared and matched by. */
export function scalarText(value: JsonValue): string {
  return typeof value === 'string' ? value : (canonicalNumber(value) ?? String(value));
}

/** Whether a number's text is one of an integer: no fraction, no exponent. */
function isIntegerText(text: string): boolean {
  return /^-?\d+$/.test(text);
}

/** An integer text as the number that prints like it. */
function integerOf(text: string): number | Numeral {
  const value = Number(text);
  return Number.isSafeInteger(value) ? value + 0 : new Numeral(text);
}

/** Python refuses to read longer integers from text; no float or decimal needs more either. */
const LONGEST = 4300;
const INTEGER_STRING = /^[+-]?\d+(?:_\d+)*(?:\.0+)?$/;

/** `5`, `5.0`, `"5"`, `" 7 "`, `"+8"`, `"007"`, `"1_000"`, `"5.0"` and `true` are integers. */
export function toInteger(value: JsonValue): number | Numeral | undefined {
  if (typeof value === 'number' && Number.isSafeInteger(value)) return value + 0;
  if (typeof value === 'boolean') return value ? 1 : 0;
  if (typeof value === 'string') {
    const text = trimmed(value);
    if (text === undefined || !INTEGER_STRING.test(text)) return undefined;
    return integerOf(BigInt(text.replaceAll('_', '').replace(/\..*$/, '').replace(/^\+/, '')).toString());
  }
  const text = canonicalNumber(value);
  if (text === undefined) return undefined;
  if (isIntegerText(text)) return text.length > LONGEST ? undefined : integerOf(BigInt(text).toString());
  const float = Number(text);
  return Number.isInteger(float) && Math.abs(float) < 2 ** 63
    ? integerOf(BigInt(float).toString())
    : undefined;
}

/** Text without the blanks around it; undefined if it is too long for a number. */
function trimmed(text: string): string | undefined {
  const inner = text.length > 2 * LONGEST ? undefined : text.trim();
  return inner !== undefined && inner.length <= LONGEST ? inner : undefined;
}

const FLOAT_STRING =
  /^[+-]?(?:\d+(?:_\d+)*(?:\.(?:\d+(?:_\d+)*)?)?|\.\d+(?:_\d+)*)(?:[eE][+-]?\d+(?:_\d+)*)?$/;

/** The canonical form of a float: the number, in the text of Python's `repr`. Infinity and NaN have none in JSON. */
export function toFloat(value: JsonValue): number | Numeral | undefined {
  if (typeof value === 'number' && isPlain(value))
    return Number.isInteger(value) ? new Numeral(`${value}.0`) : value;
  const float = floatOf(value);
  if (float === undefined || !Number.isFinite(float)) return undefined;
  const text = pythonFloat(float);
  return text === String(float) && !Object.is(float, -0) ? float : new Numeral(text);
}

/** Whether Python prints a number with the digits of JavaScript and without an exponent: known for most without printing it. */
function isPlain(value: number): boolean {
  const size = Math.abs(value);
  return size >= 1e-4 && size < 1e16;
}

function floatOf(value: JsonValue): number | undefined {
  if (typeof value === 'number') return value;
  if (value instanceof Numeral) return Number(value.source);
  if (typeof value === 'boolean') return value ? 1 : 0;
  if (typeof value !== 'string') return undefined;
  const text = trimmed(value);
  return text !== undefined && FLOAT_STRING.test(text) ? Number(text.replaceAll('_', '')) : undefined;
}

const DECIMAL = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d+))?$/;

/** The canonical form of a decimal: its text as Python's `Decimal` writes it, so that no digit is lost. */
export function toDecimal(value: JsonValue): string | undefined {
  if (typeof value === 'string') return decimalText((trimmed(value) ?? '').replaceAll('_', ''));
  if (typeof value === 'number' && isPlain(value)) return String(value);
  const text = canonicalNumber(value);
  if (text === undefined) return undefined;
  return decimalText(isIntegerText(text) ? text : pythonFloat(Number(text)));
}

function decimalText(text: string): string | undefined {
  const parts = text.length > LONGEST ? null : DECIMAL.exec(text);
  if (!parts) return undefined;
  const [, sign = '', whole = '', fraction = '', exponentText = '0'] = parts;
  if ((whole === '' && fraction === '') || exponentText.length > 15) return undefined;
  const exponent = Number(exponentText) - fraction.length;
  const digits = (whole + fraction).replace(/^0+(?=\d)/, '');
  const adjusted = exponent + digits.length - 1;
  const minus = sign === '-' ? '-' : '';
  if (exponent <= 0 && adjusted >= -6) return minus + decimalDigits(digits, exponent);
  const coefficient = digits.length > 1 ? `${digits[0]}.${digits.slice(1)}` : digits;
  return `${minus}${coefficient}E${adjusted < 0 ? '-' : '+'}${Math.abs(adjusted)}`;
}

function decimalDigits(digits: string, exponent: number): string {
  if (exponent === 0) return digits;
  const padded = digits.padStart(1 - exponent, '0');
  return `${padded.slice(0, exponent)}.${padded.slice(exponent)}`;
}

export function isNumber(value: JsonValue): value is number | Numeral {
  return typeof value === 'number' || value instanceof Numeral;
}

/** Compares two numbers, given as JSON numbers or as text, exactly. */
export function compareNumbers(a: JsonValue, b: JsonValue): number | undefined {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  // Rounding keeps the order: the digits decide only between numbers that are equal as doubles.
  if (isNumber(a) && isNumber(b) && Number(a) !== Number(b)) return Number(a) < Number(b) ? -1 : 1;
  const left = decimalParts(a);
  const right = decimalParts(b);
  if (!left || !right) return undefined;
  if (Math.abs(left.exponent - right.exponent) > 5000) return Number(left.text) - Number(right.text);
  const shared = Math.min(left.exponent, right.exponent);
  const x = left.coefficient * 10n ** BigInt(left.exponent - shared);
  const y = right.coefficient * 10n ** BigInt(right.exponent - shared);
  return x < y ? -1 : x > y ? 1 : 0;
}

function decimalParts(value: JsonValue): { text: string; coefficient: bigint; exponent: number } | undefined {
  const text = typeof value === 'string' ? value : canonicalNumber(value);
  const parts = text === undefined || text.length > LONGEST ? null : DECIMAL.exec(text);
  if (!parts || text === undefined) return undefined;
  const [, sign = '', whole = '', fraction = '', exponentText = '0'] = parts;
  const exponent = Number(exponentText) - fraction.length;
  return { text, coefficient: BigInt(`${sign === '-' ? '-' : ''}${whole}${fraction}` || '0'), exponent };
}
