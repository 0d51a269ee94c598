/**
 * Pairs of curated records that may be about the same thing: with the same identifier or unique key, or with the same title,
 * whatever its case, accents, punctuation and order of words.
 *
 * The records are read twice instead of being kept: the first reading finds what occurs more than once, and only the second one
 * keeps anything.
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

export type Candidate = {
  readonly a: Known;
  readonly b: Known;
  /** The slots with the same value, or `title`. */
  readonly by: string;
  /** 1 for an identifier, less for titles. */
  readonly score: number;
};

const SAME_TITLE = 0.9;
/** Of more records with the same value, each is paired with the first one only. */
const MOST_OF_ALL_PAIRS = 20;
/** The number of pairs that are kept, the surest first. */
const MOST_PAIRS = 10_000;
/** Values of a record that are compared, about: its title and an identifier. */
const VALUES_OF_A_RECORD = 2;
/** Records between two looks at the clock. */
const RECORDS_PER_LOOK = 16;

type Curated = Pick<CollectionStores, 'schema' | 'curated'>;

/** @returns the surest first, at most 10,000 */
export async function findPairs(stores: Curated, slots: IdentifyingSlots): Promise<Candidate[]> {
  const { curated } = stores;
  const yieldIfDue = yielder();
  const records = () => comparedRecords(stores, slots, yieldIfDue);
  const values = new Repeated((await curated.count({})) * VALUES_OF_A_RECORD);
  for await (const { compared } of records()) for (const { text } of compared) values.add(text);
  const pairs = new Pairs();
  for await (const { known, compared } of records())
    for (const value of compared) if (values.has(value.text)) pairs.add(known, value);
  return pairs.surest();
}

type Compared = { readonly known: Known; readonly compared: readonly SharedValue[] };

/** The records of the curated area without long ones, which others would wait for, in slices. */
async function* comparedRecords(
  { schema, curated }: Curated,
  slots: IdentifyingSlots,
  yieldIfDue: YieldIfDue,
): AsyncGenerator<Compared> {
  let n = 0;
  for await (const { pid, iri, className, json } of curated.scan({})) {
    if (++n % RECORDS_PER_LOOK === 0) await yieldIfDue();
    if (json.length > LONG_BODY) continue;
    const object = definedRecord(schema, { className, json });
    const title = schema.classes.has(className) ? titleOf(schema, className, object) : null;
    const keys = identifyingKeys(schema, slots, className, object);
    const known = { pid, iri, className, title, keys };
    yield { known, compared: valuesOf(known) };
  }
}

/** A value of a record that others may have, too: with the slots that it is from, and how sure it is that they are the same thing then. */
type SharedValue = Pick<Candidate, 'by' | 'score'> & { readonly text: string };

function valuesOf({ className, keys, title }: Known): SharedValue[] {
  const ofKeys = keys.map((key) => ({ text: identifyingText(key), by: key.by, score: 1 }));
  const words = titleWords(title).join(' ');
  if (words === '') return ofKeys;
  return [...ofKeys, { text: `title\n${className}\n${words}`, by: 'title', score: SAME_TITLE }];
}

class Pairs {
  readonly #byValue = new Map<string, Known[]>();
  readonly #found = new Map<string, Candidate>();

  /** Pairs a record with those before it that have the same value. */
  add(known: Known, { text, by, score }: SharedValue): void {
    for (const other of joined(this.#byValue, text, known)) {
      if (score === 1 || !contradict(other, known)) this.#note({ a: other, b: known, by, score });
    }
  }

  surest(): Candidate[] {
    const sorted = [...this.#found].sort(([x, a], [y, b]) => b.score - a.score || (x < y ? -1 : 1));
    return sorted.slice(0, MOST_PAIRS).map(([, candidate]) => candidate);
  }

  #note(candidate: Candidate): void {
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
