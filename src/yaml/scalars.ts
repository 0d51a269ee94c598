/**
 * What a scalar without quotes stands for in YAML 1.1, as PyYAML understands it: the one table for writing (which texts
 * need quotes) and for reading (which are not texts).
 */
import { type JsonValue, Numeral } from '../json.ts';

type Rule = { readonly tag: string; readonly pattern: RegExp; value(text: string): JsonValue };

/** The first rule that matches wins; what matches none is a text. */
const RULES: readonly Rule[] = [
  {
    tag: 'bool',
    pattern: /^(?:[Yy]es|YES|[Nn]o|NO|[Tt]rue|TRUE|[Ff]alse|FALSE|[Oo]n|ON|[Oo]ff|OFF)$/,
    value: (text) => /^(?:y|t|on)/i.test(text),
  },
  {
    tag: 'float',
    pattern:
      /^(?:[-+]?\d[\d_]*\.[\d_]*(?:[eE][-+]\d+)?|\.\d[\d_]*(?:[eE][-+]\d+)?|[-+]?\d[\d_]*(?::[0-5]?\d)+\.[\d_]*|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$/,
    value: readFloat,
  },
  {
    tag: 'int',
    pattern: /^[-+]?(?:0b[01_]+|0[0-7_]+|0|[1-9][\d_]*|0x[\da-fA-F_]+|[1-9][\d_]*(?::[0-5]?\d)+)$/,
    value: readInteger,
  },
  { tag: 'merge', pattern: /^<<$/, value: (text) => text },
  { tag: 'null', pattern: /^(?:~|[Nn]ull|NULL|)$/, value: () => null },
  {
    // JSON has no dates: a record holds them as the text that they were written as.
    tag: 'timestamp',
    pattern:
      /^\d{4}-(?:\d\d-\d\d|\d\d?-\d\d?(?:[Tt]|[ \t]+)\d\d?:\d\d:\d\d(?:\.\d*)?(?:[ \t]*(?:Z|[-+]\d\d?(?::\d\d)?))?)$/,
    value: (text) => text,
  },
  { tag: 'value', pattern: /^=$/, value: (text) => text },
];

/** The characters with which anything but a text can begin. */
const SUSPECT = /^[-+0-9.yYnNtTfFoO~<=]|^$/;

/** Whether a scalar without quotes would be read as something other than a text. */
export function needsQuotes(text: string): boolean {
  return SUSPECT.test(text) && RULES.some((rule) => rule.pattern.test(text));
}

/** The value of a scalar without quotes. */
export function readPlain(text: string): JsonValue {
  const rule = SUSPECT.test(text) ? RULES.find((candidate) => candidate.pattern.test(text)) : undefined;
  return rule ? rule.value(text) : text;
}

function readInteger(text: string): JsonValue {
  const negative = text.startsWith('-');
  const digits = text.replace(/^[-+]/, '').replaceAll('_', '');
  const magnitude = digits.includes(':') ? sexagesimal(digits) : BigInt(octal(digits));
  const value = negative ? -magnitude : magnitude;
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : new Numeral(String(value));
}

/** A leading 0 means octal in YAML 1.1. */
function octal(digits: string): string {
  return /^0\d/.test(digits) ? `0o${digits.slice(1)}` : digits;
}

function sexagesimal(digits: string): bigint {
  return digits.split(':').reduce((sum, part) => sum * 60n + BigInt(part), 0n);
}

/** A float stays one: 5.0 keeps its fraction. JSON has no infinities: they are left as texts. */
function readFloat(text: string): JsonValue {
  if (/inf|nan/i.test(text)) return text;
  const plain = text.replaceAll('_', '');
  const number = plain.includes(':') ? sexagesimalFloat(plain) : Number(plain);
  const source = pythonFloat(number).replace('.0e', 'e');
  return String(number) === source ? number : new Numeral(source);
}

function sexagesimalFloat(text: string): number {
  const sign = text.startsWith('-') ? -1 : 1;
  return (
    sign *
    text
      .replace(/^[-+]/, '')
      .split(':')
      .reduce((sum, part) => sum * 60 + Number(part), 0)
  );
}

/** The text of a JSON number: integers digit by digit, all else as the float that it is. */
export function numberText(value: number | Numeral): string {
  const source = value instanceof Numeral ? value.source : String(value);
  if (/^-?\d+$/.test(source)) return source === '-0' ? '0' : source;
  return pythonFloat(Number(source));
}

/** A float in the shortest digits that read back as it, with an exponent from 1e16 on and below 1e-4, as Python prints it. */
function pythonFloat(value: number): string {
  if (Object.is(value, -0)) return '-0.0';
  if (!Number.isFinite(value)) return value > 0 ? '.inf' : '-.inf';
  const [mantissa = '0', exponentText = '0'] = value.toExponential().split('e');
  const exponent = Number(exponentText);
  if (value !== 0 && (exponent < -4 || exponent >= 16)) {
    const sign = exponent < 0 ? '-' : '+';
    const digits = String(Math.abs(exponent)).padStart(2, '0');
    return `${mantissa.includes('.') ? mantissa : `${mantissa}.0`}e${sign}${digits}`;
  }
  const fixed = String(value);
  return fixed.includes('.') ? fixed : `${fixed}.0`;
}
