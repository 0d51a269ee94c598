/**
 * Problems of a record in the language of the user, and in the words of a form: a field needs neither the name of its slot
 * nor that of its class. A problem whose type has no words here is in those of the service, which are English.
 */
import type { ProblemType } from '#linkml/check/problem.ts';
import type { ProblemReport } from '../../src/client/client.ts';
import { language, textsOf } from '../texts/texts.ts';
import { scalarText } from './json.ts';
import { type Slot, slotTitle } from './schema.ts';

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

/** The type of a problem, of the types of LinkML by their name: `int` of `int_parsing` and `int_type`. */
type Stem<T> = T extends `${infer Kind}_${'parsing' | 'type'}` ? Kind : T;

/** Problems whose English words are those of the service: they name what was expected. */
const GERMAN: Readonly<Record<Exclude<Stem<ProblemType>, Words | 'decimal'>, string>> = {
  abstract_class: 'Von dieser Klasse gibt es keine Datensätze, nur von ihren Unterklassen.',
  all_members: 'Ein Wert der Liste erfüllt nicht, was von allen verlangt ist.',
  all_of: '„{found}“ erfüllt nicht alle Bedingungen.',
  any: '„{found}“ ist kein Wert, der sich speichern lässt.',
  any_of: '„{found}“ erfüllt keine der möglichen Bedingungen.',
  array_shape: 'Die Zahlen haben nicht die erwartete Anordnung in Zeilen und Spalten.',
  class_unknown: 'Die Klasse „{found}“ gibt es nicht.',
  date_or_datetime: '„{found}“ ist weder ein Datum wie 2026-11-23 noch ein Datum mit Uhrzeit.',
  dict: 'Erwartet werden Objekte mit Schlüsseln.',
  equals_expression: '„{found}“ ist nicht der Wert, der sich aus den anderen ergibt.',
  equals_number: '„{found}“ ist nicht die Zahl, die hier stehen muss.',
  exactly_one_of: '„{found}“ muss genau eine der Bedingungen erfüllen.',
  extra_forbidden: 'Diese Angabe gibt es in der Klasse nicht.',
  has_member: 'Kein Wert der Liste ist so, wie einer sein muss.',
  identifier_repeated: 'Der Bezeichner „{found}“ gehört schon zu einem anderen Objekt dieses Datensatzes.',
  is_a: 'Das Objekt ist nicht von der Klasse, die hier verlangt ist.',
  key_mismatch: '„{found}“ ist nicht der Schlüssel des Objekts.',
  label_mismatch: '„{found}“ ist nicht die Benennung dieses Begriffs.',
  list: 'Erwartet wird eine Liste von Werten.',
  literal_error: '„{found}“ ist nicht unter den erlaubten Werten.',
  no_prefix: '„{found}“ ist weder ein Bezeichner wie präfix:name noch eine URL.',
  none_of: '„{found}“ ist ausgeschlossen.',
  object: 'Erwartet wird ein Objekt mit eigenen Angaben.',
  pattern_too_long: 'Der Text ist zu lang, um seine Form zu prüfen.',
  reference: '„{found}“ ist kein Verweis auf einen Datensatz.',
  strict: '„{found}“ hat nicht die Art von Wert, die verlangt ist.',
  string: '„{found}“ ist kein Text.',
  string_unicode: 'Der Text hat ein halbes Zeichen, das sich nicht speichern lässt.',
  term_obsolete: 'Der Begriff „{found}“ ist veraltet.',
  term_outside: 'Der Begriff „{found}“ gehört nicht zu denen, die hier erlaubt sind.',
  too_complex: 'Zu viele Objekte stehen unter Bedingungen des Schemas.',
  too_deep: 'Die Angaben sind zu tief geschachtelt.',
  too_long: 'Das sind zu viele Werte.',
  too_many_problems: 'Es gibt mehr Fehler, als hier aufgezählt sind.',
  too_short: 'Das sind zu wenige Werte.',
  union: '„{found}“ ist keiner der möglichen Werte.',
  unique_key: 'Ein anderes Objekt hat dieselben Angaben, die es nur einmal geben darf.',
  value_presence: 'Ob hier ein Wert stehen darf, hängt von den anderen Angaben ab.',
  vocabulary_missing: 'Das Vokabular, aus dem „{found}“ kommen muss, ist noch nicht geladen.',
};

const KINDS: Readonly<Record<string, Words>> = {
  decimal: 'float',
  double: 'float',
  integer: 'int',
  string_too_short: 'missing',
};

/** Types of LinkML that are strings have one type of problem: what was expected distinguishes them. */
const STRINGS: readonly (readonly [expected: string, words: Words])[] = [
  ['expected a URI or CURIE', 'uriorcurie'],
  ['expected a CURIE', 'uriorcurie'],
  ['expected a URI', 'uri'],
];

function wordsOf(kind: string, msg: string): Words | undefined {
  if (kind === 'string') return STRINGS.find(([expected]) => msg.includes(expected))?.[1];
  return KINDS[kind] ?? (kind in en ? (kind as Words) : undefined);
}

type Worded = Pick<ProblemReport, 'type' | 'msg' | 'input'>;

/** Words for a problem at its field. @param german further types, of what checks more than records */
export function problemWords(
  { type, msg, input }: Worded,
  german: Readonly<Record<string, string>> = {},
): string {
  const whole = typeof input === 'object' ? '' : scalarText(input as string);
  const found = whole.length > 80 ? `${whole.slice(0, 77)}…` : whole;
  const kind = type.replace(/_(parsing|type)$/, '');
  const key = wordsOf(kind, msg);
  const text =
    key === undefined ? (german[type] ?? (GERMAN as Readonly<Record<string, string>>)[kind]) : undefined;
  if (key !== undefined && (found !== '' || !words(key).includes('{found}'))) return words(key, { found });
  if (language.value !== 'de' || text === undefined) return withoutSlot(msg);
  return found === '' ? text.replace('„{found}“', 'Der Wert') : text.replace('{found}', found);
}

/**
 * Words for a problem in a list, with the title of its slot as forms show it. The English ones of the service name what was
 * expected, too.
 *
 * @param slots of the class of the record
 */
export function problemLine(
  problem: Worded & Pick<ProblemReport, 'loc'>,
  slots: readonly Pick<Slot, 'name' | 'title'>[] = [],
): string {
  const found = language.value === 'de' ? problemWords(problem) : foundIn(problem.msg);
  if (found === undefined) return problem.msg;
  const where = titleAt(problem.loc, slots);
  return where === '' ? found : `${where}: ${found}`;
}

/** The slots on the way to a value, the first one by its title, others by their names in words; empty for the whole record. */
export function titleAt(loc: ProblemReport['loc'], slots: readonly Pick<Slot, 'name' | 'title'>[]): string {
  const [first, ...rest] = loc.filter(
    (part, at) => typeof part === 'string' && !(at === 0 && part === 'body'),
  );
  if (first === undefined) return '';
  const name = String(first);
  const known = slots.find((slot) => slot.name === name) ?? { name };
  return [slotTitle(known), ...rest.map((part) => slotTitle({ name: String(part) }))].join(' › ');
}

/** `Budget: found 1, expected …` without its slot, which the label of the field has; undefined if it does not name one so. */
function foundIn(msg: string): string | undefined {
  return /^[^:“"]{1,80}: (found .*)$/s.exec(msg)?.[1];
}

function withoutSlot(msg: string): string {
  const text = foundIn(msg);
  return text ? text.charAt(0).toUpperCase() + text.slice(1) : msg;
}
