/**
 * Pairs of curated records that may be about the same thing: with the same identifier or unique key, with the same title,
 * or, unless there are very many records, with a title that differs by one typo.
 *
 * The records are read three times instead of being kept: a million titles have some fifty million variants. The first
 * reading finds what occurs more than once, the second one which variants of the rest do, and only the third one keeps
 * anything.
 */

import type { CollectionStores } from '../../core/collections/stores.ts';
import { definedRecord } from '../../core/records/record.ts';
import { titleOf } from '../../core/records/title.ts';
import { LONG_BODY } from '../../core/work/pool.ts';
import { type YieldIfDue, yielder } from '../../core/yield.ts';
import {
  type IdentifyingKey,
  type IdentifyingSlots,
  identifyingKeys,
  identifyingText,
  titleWords,
  typoVariants,
  wordsWithRest,
} from './identify.ts';
import { Repeated } from './repeated.ts';

/** A record as pairs show it. */
type Known = {
  readonly pid: string;
  readonly iri: string;
  readonly className: string;
  readonly title: string | null;
  readonly keys: readonly IdentifyingKey[];
};

type Candidate = {
  readonly a: Known;
  readonly b: Known;
  /** The slots with the same value, or `title`. */
  readonly by: string;
  /** 1 for an identifier, less for titles. */
  readonly score: number;
};

const SAME_TITLE = 0.9;
const TYPO_IN_TITLE = 0.8;
/** A word of more titles than these is not a typo. */
const RARE = 2;
/** Of more records with the same value, each is paired with the first one only. */
const MOST_OF_ALL_PAIRS = 20;
/** The number of pairs that are kept, the surest first. */
const MOST_PAIRS = 10_000;
/** With more records, titles are not compared with typos: of a million, that takes two minutes of a processor and 1 GB. */
const MOST_WITH_TYPOS = 100_000;
/** Words of a title that may have a typo. */
const WORDS_OF_A_TITLE = 5;
/** Records between two looks at the clock. */
const RECORDS_PER_LOOK = 16;

type Curated = Pick<CollectionStores, 'schema' | 'curated'>;

export type FoundPairs = {
  /** The surest first, at most 10,000. */
  readonly candidates: readonly Candidate[];
  /** Whether titles were compared with typos. */
  readonly typos: boolean;
};

export async function findPairs(
  stores: Curated,
  slots: IdentifyingSlots,
  mostWithTypos = MOST_WITH_TYPOS,
): Promise<FoundPairs> {
  const { curated } = stores;
  const yieldIfDue = yielder();
  const records = () => titledRecords(stores, slots, yieldIfDue);
  const total = await curated.count({});
  const typos = total <= mostWithTypos;
  const withRest = (words: readonly string[]) => (typos ? wordsWithRest(words) : []);
  const values = new Repeated(total * (typos ? WORDS_OF_A_TITLE + 1 : 2));
  const frequency = new Map<string, number>();
  for await (const { known, words } of records()) {
    for (const { text } of sharedValues(known, words)) values.add(text);
    for (const [word, rest] of withRest(words)) {
      values.add(restText(known, rest));
      frequency.set(word, (frequency.get(word) ?? 0) + 1);
    }
  }
  const variants = new Repeated(typos ? total * WORDS_OF_A_TITLE : 0);
  const repeatedVariants = (known: Known, words: readonly string[]) =>
    withRest(words).flatMap(([word, rest]) => {
      const text = restText(known, rest);
      return values.has(text)
        ? typoVariants(word).map((variant) => [`${text}|${variant}`, word] as const)
        : [];
    });
  if (typos)
    for await (const { known, words } of records())
      for (const [text] of repeatedVariants(known, words)) variants.add(text);
  const pairs = new Pairs(frequency);
  for await (const { known, words } of records()) {
    for (const value of sharedValues(known, words)) if (values.has(value.text)) pairs.withValue(known, value);
    for (const [text, word] of repeatedVariants(known, words))
      if (variants.has(text)) pairs.withVariant(known, text, word);
  }
  return { candidates: pairs.surest(), typos };
}

type Titled = { readonly known: Known; readonly words: readonly string[] };

/** The records of the curated area without long ones, which others would wait for, in slices. */
async function* titledRecords(
  { schema, curated }: Curated,
  slots: IdentifyingSlots,
  yieldIfDue: YieldIfDue,
): AsyncGenerator<Titled> {
  let n = 0;
  for await (const { pid, iri, className, json } of curated.scan({})) {
    if (++n % RECORDS_PER_LOOK === 0) await yieldIfDue();
    if (json.length > LONG_BODY) continue;
    const object = definedRecord(schema, { className, json });
    const title = schema.classes.has(className) ? titleOf(schema, className, object) : null;
    const keys = identifyingKeys(schema, slots, className, object);
    yield { known: { pid, iri, className, title, keys }, words: titleWords(title) };
  }
}

/** The grounds on which two records may be the same, with their certainty. */
type SharedValue = Pick<Candidate, 'by' | 'score'> & { readonly text: string };

function* sharedValues({ className, keys }: Known, words: readonly string[]): Iterable<SharedValue> {
  for (const key of keys) yield { text: identifyingText(key), by: key.by, score: 1 };
  if (words.length > 0)
    yield { text: `title\n${className}\n${words.join(' ')}`, by: 'title', score: SAME_TITLE };
}

function restText({ className }: Known, rest: string): string {
  return `rest\n${className}\n${rest}`;
}

type WithWord = { readonly known: Known; readonly word: string };

class Pairs {
  readonly #frequency: ReadonlyMap<string, number>;
  readonly #byValue = new Map<string, Known[]>();
  readonly #byVariant = new Map<string, WithWord[]>();
  readonly #found = new Map<string, Candidate>();

  /** @param frequency in how many titles each word is */
  constructor(frequency: ReadonlyMap<string, number>) {
    this.#frequency = frequency;
  }

  withValue(known: Known, { text, by, score }: SharedValue): void {
    for (const other of joined(this.#byValue, text, known)) {
      if (score === 1 || !contradict(other, known)) this.#add({ a: other, b: known, by, score });
    }
  }

  withVariant(known: Known, text: string, word: string): void {
    for (const other of joined(this.#byVariant, text, { known, word })) {
      const isTypo = [word, other.word].some((one) => (this.#frequency.get(one) ?? 0) <= RARE);
      if (isTypo && word !== other.word && !contradict(other.known, known))
        this.#add({ a: other.known, b: known, by: 'title', score: TYPO_IN_TITLE });
    }
  }

  surest(): Candidate[] {
    const sorted = [...this.#found].sort(([x, a], [y, b]) => b.score - a.score || (x < y ? -1 : 1));
    return sorted.slice(0, MOST_PAIRS).map(([, candidate]) => candidate);
  }

  #add(candidate: Candidate): void {
    const { a, b, score } = candidate;
    if (a.iri === b.iri) return;
    const id = pairId(a.iri, b.iri);
    const before = this.#found.get(id);
    if (!before || before.score < score) this.#found.set(id, candidate);
  }
}

/** Adds an item to those with the same text. @returns the others that it is paired with */
function joined<T>(map: Map<string, T[]>, text: string, item: T): readonly T[] {
  const same = map.get(text);
  if (!same) {
    map.set(text, [item]);
    return [];
  }
  if (same.length >= MOST_OF_ALL_PAIRS) return same.slice(0, 1);
  same.push(item);
  return same.slice(0, -1);
}

/** Whether two records have different identifiers of one kind: then they are not the same, whatever their titles. */
function contradict(a: Known, b: Known): boolean {
  return a.keys.some(
    (one) =>
      b.keys.some((other) => other.by === one.by) &&
      !b.keys.some((other) => other.by === one.by && other.value === one.value),
  );
}

/** The name of a pair, in whatever order it is given. */
export function pairId(a: string, b: string): string {
  return a < b ? `${a}\n${b}` : `${b}\n${a}`;
}
