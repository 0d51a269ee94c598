/**
 * Texts come from tables: `en.ts` has those of every view, and other languages are tables with the same keys. Groups of views that
 * are loaded on demand, and modules, have tables of both languages in their own `texts.ts`.
 */
import { signal } from '@preact/signals';
import { de } from './de.ts';
import { en } from './en.ts';
import type { Text } from './table.ts';

export type { Key, Table, Text } from './table.ts';

type Values = Readonly<Record<string, string | number>>;

const STORED = 'accession.language';

/** `en` or `de`: what was chosen, else what the browser prefers. */
export const language = signal(
  localStorage.getItem(STORED) ?? (navigator.language.startsWith('de') ? 'de' : 'en'),
);
document.documentElement.lang = language.value;

export function chooseLanguage(name: string): void {
  localStorage.setItem(STORED, name);
  document.documentElement.lang = name;
  language.value = name;
}

/** The text of a key with its placeholders filled in; `n` chooses the plural form. */
export const t = textsOf(en, de);

/** The texts of one part of the desk in both languages, as {@link t}. */
export function textsOf<K extends string>(
  english: Readonly<Record<K, Text>>,
  german: Readonly<Record<K, Text>>,
) {
  return (key: K, values: Values = {}): string => {
    const text = (language.value === 'de' ? german : english)[key];
    const form = typeof text === 'string' ? text : pluralOf(text, Number(values.n));
    return form.replace(/\{(\w+)\}(\.?)/g, (whole, name: string, stop: string) => {
      const value = values[name];
      const word = typeof value === 'number' ? value.toLocaleString(language.value) : value;
      // A name that ends with a full stop, such as "Maria D.", ends the sentence.
      return word === undefined ? whole : word.endsWith('.') ? word : word + stop;
    });
  };
}

/** The name of a class within a sentence: German nouns keep their capital letter, and so do names with another one, such as `DNA sample`. */
export function nounOf(name: string): string {
  return language.value === 'de' || /.\p{Lu}/u.test(name) ? name : name.toLowerCase();
}

/** Keys as they are called on keyboards; those that are not listed are called the same. */
const KEY_NAMES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  de: { Ctrl: 'Strg', Shift: 'Umschalt', Enter: 'Eingabe', Space: 'Leertaste', Home: 'Pos1', End: 'Ende' },
};

/** The keys of a shortcut in the language of the user: `Strg ↵`. */
export function keyNames(keys: string): string {
  const names = KEY_NAMES[language.value] ?? {};
  return keys.replace(/\w+/g, (key) => names[key] ?? key);
}

function pluralOf(text: Exclude<Text, string>, n: number): string {
  return new Intl.PluralRules(language.value).select(n) === 'one' ? text.one : text.other;
}
