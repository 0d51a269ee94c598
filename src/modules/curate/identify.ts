/** Finds the identity of the thing that a record is about: normalized identifiers, unique keys, and its title with typos. */
import { fold } from '#linkml/folding.ts';
import type { JsonObject, JsonValue } from '#linkml/json.ts';
import type { Schema } from '../../core/schema/schema.ts';

/** By class: slots whose values name one real thing. */
export type IdentifyingSlots = Readonly<Record<string, readonly string[]>>;

/** A value by which two records are the same thing. */
export type IdentifyingKey = {
  /** The slot, or the slots of a unique key joined by `+`. */
  readonly by: string;
  /** Normalized. */
  readonly value: string;
  readonly unique: boolean;
};

type Normalizer = { readonly pattern: RegExp; readonly write: (match: RegExpExecArray) => string };

/** Identifiers whatever their spelling: as an IRI, a CURIE or plain. */
const NORMALIZERS: readonly Normalizer[] = [
  {
    pattern: /(?:^|orcid\.org\/|orcid:)(\d{4})-?(\d{4})-?(\d{4})-?(\d{3}[\dx])$/i,
    write: ([, a, b, c, d]) => `orcid:${a}-${b}-${c}-${d}`.toLowerCase(),
  },
  { pattern: /(?:ror\.org\/|ror:|^)(0[a-z0-9]{6}\d\d)$/i, write: ([, id]) => `ror:${id}`.toLowerCase() },
  {
    pattern: /(?:doi\.org\/|doi:\s*|^)(10\.\d{4,9}\/\S+)$/i,
    write: ([, id]) => `doi:${decodeURIComponentSafely(id ?? '')}`.toLowerCase(),
  },
  { pattern: /^(?:mailto:)?([^@\s]+@[^@\s]+)$/i, write: ([, mail]) => `mail:${mail}`.toLowerCase() },
];

function decodeURIComponentSafely(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Longer ones have no other spellings, in characters. */
const LONGEST_IDENTIFIER = 2000;

/** An identifier in one spelling. ORCID, ROR, DOI and mail addresses are known; others lose case and outer blanks. */
export function normalizeIdentifier(value: string): string {
  const trimmed = value.normalize('NFKC').trim();
  for (const { pattern, write } of trimmed.length > LONGEST_IDENTIFIER ? [] : NORMALIZERS) {
    const match = pattern.exec(trimmed);
    if (match) return write(match);
  }
  return trimmed.toLowerCase();
}

/** Whether records can have keys at all. */
export function hasIdentifiers(schema: Schema, slots: IdentifyingSlots): boolean {
  return [...schema.classes.keys()].some((className) => isIdentified(schema, slots, className));
}

/** Whether records of a class can have keys. */
export function isIdentified(schema: Schema, slots: IdentifyingSlots, className: string): boolean {
  const definition = schema.classes.get(className);
  if (!definition) return false;
  const { uniqueKeys, ancestors } = definition;
  return uniqueKeys.length > 0 || ancestors.some((name) => (slots[name]?.length ?? 0) > 0);
}

/** The keys of a record: those of the settings for its class and the classes above, and the unique keys of the schema. */
export function identifyingKeys(
  schema: Schema,
  slots: IdentifyingSlots,
  className: string,
  record: JsonObject,
): IdentifyingKey[] {
  const definition = schema.classes.get(className);
  if (!definition) return [];
  const keys: IdentifyingKey[] = [];
  const identifying = new Set(definition.ancestors.flatMap((name) => slots[name] ?? []));
  for (const slot of identifying) {
    for (const value of scalars(record[slot]))
      keys.push({ by: slot, value: normalizeIdentifier(value), unique: false });
  }
  for (const { slots: parts } of definition.uniqueKeys) {
    const values = parts.map((part) => scalars(record[part])[0]);
    if (values.some((value) => value === undefined)) continue;
    keys.push({ by: parts.join('+'), value: JSON.stringify([className, ...values]), unique: true });
  }
  return keys;
}

function scalars(value: JsonValue | undefined): string[] {
  return [value ?? []].flat().flatMap((one) => {
    if (typeof one === 'string') return one.trim() === '' ? [] : [one];
    return typeof one === 'number' ? [String(one)] : [];
  });
}

/** A key as one string. */
export function identifyingText({ by, value, unique }: IdentifyingKey): string {
  return `${unique ? `${by}\n` : ''}${value}`;
}

/** The words of a title in order of the alphabet, without case, accents and punctuation. */
export function titleWords(title: string | null): string[] {
  return title === null
    ? []
    : (fold(title)
        .match(/[\p{L}\p{N}]+/gu)
        ?.sort() ?? []);
}

/** The shortest word in which one letter may be wrong. */
const SHORTEST_WITH_TYPO = 4;
/** Longer titles are compared as they are. */
const MOST_WORDS_WITH_TYPO = 40;

/** Each word of a title that may have a typo, with the other words. Numbers have no typos. */
export function wordsWithRest(words: readonly string[]): [word: string, rest: string][] {
  if (words.length > MOST_WORDS_WITH_TYPO) return [];
  return words.flatMap((word, index): [string, string][] => {
    if (word.length < SHORTEST_WITH_TYPO || /\d/.test(word)) return [];
    return [[word, words.filter((_, other) => other !== index).join(' ')]];
  });
}

/**
 * Strings of which two words share one if they are the same but for one typo: a letter that is missing, added, replaced,
 * or swapped with its neighbor.
 */
export function typoVariants(word: string): string[] {
  return [
    ...new Set([word, ...Array.from(word, (_, index) => word.slice(0, index) + word.slice(index + 1))]),
  ];
}
