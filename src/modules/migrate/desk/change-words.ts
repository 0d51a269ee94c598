/** Changes of a schema, and of the records that follow it, in the language of the user. English words are those of the service. */
import { language } from '../../../../ui/texts/texts.ts';
import type { Rehearsal } from '../client.ts';

type Change = Rehearsal['changes'][number];
type Step = NonNullable<Rehearsal['items'][number]['steps']>[number];

const ELEMENTS: Readonly<Record<Change['element'], string>> = {
  class: 'Klasse',
  slot: 'Angabe',
  enum: 'Aufzählung',
  value: 'Wert',
  prefix: 'Präfix',
  vocabulary: 'Vokabular',
};

const KINDS: Readonly<Record<Exclude<Change['kind'], 'changed'>, string>> = {
  added: 'ist neu.',
  removed: 'gibt es nicht mehr.',
  renamed: 'heißt jetzt „{to}“.',
};

/** What an aspect is called, of which a former and a new value are named. */
const ASPECTS: Readonly<Record<NonNullable<Change['aspect']>, string>> = {
  abstract: 'es gibt keine Datensätze von ihr mehr, nur von ihren Unterklassen',
  equals_expression: 'der Ausdruck, der sie berechnet, ist ein anderer',
  equals_number: 'die Zahl, die hier stehen muss, ist eine andere',
  equals_string: 'der Text, der hier stehen muss, ist ein anderer',
  equals_string_in: 'die Texte, die hier stehen dürfen, sind andere',
  iri: 'IRI',
  maximum_cardinality: 'größte Zahl von Werten',
  maximum_value: 'größter Wert',
  minimum_cardinality: 'kleinste Zahl von Werten',
  minimum_value: 'kleinster Wert',
  multivalued: '',
  pattern: 'Muster',
  range: 'Art der Werte',
  required: '',
  terms: 'die Begriffe sind andere',
  uri: 'URI',
  value_presence: 'ob ein Wert stehen darf, ist anders geregelt',
};

export function changeWords(change: Change): string {
  if (language.value !== 'de') return change.message;
  const { element, kind, name, of, to = '', aspect } = change;
  const subject = `${ELEMENTS[element]} „${name}“${of === undefined ? '' : ` von „${of}“`}`;
  if (kind !== 'changed') return `${subject} ${KINDS[kind].replace('{to}', to)}`;
  return aspect === undefined
    ? `${subject} ist anders.`
    : `${subject}: ${aspectWords({ ...change, aspect })}.`;
}

function aspectWords({ aspect, before, after }: Change & Required<Pick<Change, 'aspect'>>): string {
  if (aspect === 'required') return after === 'true' ? 'jetzt nötig' : 'nicht mehr nötig';
  if (aspect === 'multivalued') return after === 'true' ? 'jetzt eine Liste' : 'jetzt ein einzelner Wert';
  const words = ASPECTS[aspect];
  if (before === undefined && after === undefined) return words;
  if (after === undefined) return `${words}: keine Vorgabe mehr (bisher ${before})`;
  return `${words}: ${after}${before === undefined ? '' : ` statt ${before}`}`;
}

export function stepWords({ kind, before, after, message }: Step): string {
  if (language.value !== 'de') return message;
  if (kind === 'single') return 'Aus der Liste mit einem Wert wird dieser Wert.';
  if (kind === 'list') return 'Aus dem Wert wird eine Liste mit einem Wert.';
  const what = kind === 'class' ? 'Klasse ' : kind === 'slot' ? 'Angabe ' : '';
  return `${what}${before} → ${after}`;
}
