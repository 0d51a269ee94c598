/**
 * Problems of a record in the language of the user, and in the words of a form: a field needs neither the name of its slot
 * nor that of its class. A problem whose type has no words here is in those of the service.
 */
import type { ProblemReport } from '../../src/client/client.ts';
import { textsOf } from '../texts/texts.ts';
import { scalarText } from './json.ts';

const en = {
  bool: '“{found}” is neither yes nor no.',
  date: '“{found}” is not a date such as 2026-11-23.',
  datetime: '“{found}” is not a date with time such as 2026-11-23T14:30:00+01:00.',
  duplicate_key: '“{found}” is there twice.',
  enum: '“{found}” is none of the choices.',
  float: '“{found}” is not a number such as 12.5.',
  greater_than_equal: '“{found}” is too small.',
  int: '“{found}” is not a whole number.',
  less_than_equal: '“{found}” is too large.',
  list_elements_unique: 'The same value is there twice.',
  missing: 'A value is required.',
  pattern: '“{found}” does not have the form that is expected.',
  prefix_unknown: 'The prefix of “{found}” is not known here.',
  term_unknown: '“{found}” is not a term of the vocabulary.',
  time: '“{found}” is not a time such as 14:30:00.',
  uri: '“{found}” is not a complete URL such as https://example.org/.',
  uriorcurie: '“{found}” is neither a URL nor an identifier such as prefix:name.',
} as const;
type Words = keyof typeof en;

const de: Readonly<Record<Words, string>> = {
  bool: '„{found}“ ist weder ja noch nein.',
  date: '„{found}“ ist kein Datum wie 2026-11-23.',
  datetime: '„{found}“ ist kein Datum mit Uhrzeit wie 2026-11-23T14:30:00+01:00.',
  duplicate_key: '„{found}“ gibt es zweimal.',
  enum: '„{found}“ ist nicht unter den Möglichkeiten.',
  float: '„{found}“ ist keine Zahl wie 12,5.',
  greater_than_equal: '„{found}“ ist zu klein.',
  int: '„{found}“ ist keine ganze Zahl.',
  less_than_equal: '„{found}“ ist zu groß.',
  list_elements_unique: 'Denselben Wert gibt es zweimal.',
  missing: 'Ein Wert ist nötig.',
  pattern: '„{found}“ hat nicht die erwartete Form.',
  prefix_unknown: 'Das Präfix von „{found}“ ist hier nicht bekannt.',
  term_unknown: '„{found}“ ist kein Begriff des Vokabulars.',
  time: '„{found}“ ist keine Uhrzeit wie 14:30:00.',
  uri: '„{found}“ ist keine vollständige URL wie https://example.org/.',
  uriorcurie: '„{found}“ ist weder eine URL noch ein Bezeichner wie präfix:name.',
};

const words = textsOf(en, de);

const KINDS: Readonly<Record<string, Words>> = {
  decimal: 'float',
  double: 'float',
  integer: 'int',
  curie: 'uriorcurie',
};

/** Words for a problem at its field. */
export function problemWords({ type, msg, input }: Pick<ProblemReport, 'type' | 'msg' | 'input'>): string {
  const found = typeof input === 'object' ? '' : scalarText(input as string);
  const kind = type.replace(/_(parsing|type)$/, '');
  const key = KINDS[kind] ?? (kind in en ? (kind as Words) : undefined);
  if (key === undefined || (found === '' && words(key).includes('{found}'))) return withoutSlot(msg);
  return words(key, { found: found.length > 80 ? `${found.slice(0, 77)}…` : found });
}

/** `Budget: found 1, expected …` without its slot, which the label of the field has. */
function withoutSlot(msg: string): string {
  const text = /^[^:“"]{1,80}: (found .*)$/s.exec(msg)?.[1];
  return text ? text.charAt(0).toUpperCase() + text.slice(1) : msg;
}
