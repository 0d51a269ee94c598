/** A snapshot of a vocabulary, opened: nothing is parsed but the header, and what is looked up. */

import { LinkmlError } from '../errors.ts';
import { fold } from '../folding.ts';
import { LONGEST_NAME, nearest, type SuggestionBudget, suggestionBudget } from '../suggestions.ts';
import { codeOf, type Term, type TermLink, type Vocabulary } from '../terms/vocabulary.ts';
import { aboveTest, belowTest } from './reach.ts';
import {
  MAGIC,
  type SectionName,
  type SnapshotAbout,
  type SnapshotHeader,
  type StoredTerm,
  wordsOf,
} from './snapshot-format.ts';

const decoder = new TextDecoder();

/** Terms that one unfinished word may find: more than can be ranked. */
const MOST_FOUND = 5_000;
/** Terms of which one is chosen as the nearest. */
const MOST_GUESSES = 500;
/** Finding a number in a sorted list costs as much as passing over some of its numbers. */
const SEARCH_COST = 16;
/** Words that are compared with a misspelled one: those that are next to it in the order of words. */
const MOST_SPELLINGS = 500;
/** Words of a label that may be misspelled; more are prose. */
const MOST_WORDS = 8;
/** Reading a word or a term costs as much as comparing some letters. */
const [WORD_COST, TERM_COST] = [10, 100];

/** @throws LinkmlError `schema_invalid`: these bytes are not a snapshot */
export function openSnapshot(bytes: Uint8Array): Snapshot {
  return new Snapshot(bytes);
}

export class Snapshot implements Vocabulary {
  readonly about: SnapshotAbout;
  /** How many terms it has. */
  readonly size: number;
  /** The bytes that it was opened from. */
  readonly bytes: Uint8Array;
  readonly #header: SnapshotHeader;
  readonly #baseNumbers: ReadonlyMap<string, number>;
  readonly #bases: Uint32Array;
  readonly #codes: Strings;
  readonly #texts: Strings;
  readonly #words: Strings;
  readonly #parentEnds: Uint32Array;
  readonly #parents: Uint32Array;
  readonly #postingEnds: Uint32Array;
  readonly #postings: Uint32Array;
  /** The length of each label. */
  readonly lengths: Uint8Array;
  #children: { ends: Uint32Array; edges: Uint32Array } | undefined;

  constructor(given: Uint8Array) {
    // Numbers are read in place, at multiples of four bytes.
    const bytes = given.byteOffset % 4 === 0 ? given : given.slice();
    const start = MAGIC.length + 4;
    if (bytes.length < start || decoder.decode(bytes.subarray(0, MAGIC.length)) !== MAGIC)
      throw new LinkmlError('schema_invalid', 'The file is not a snapshot of a vocabulary.');
    const length = new DataView(bytes.buffer, bytes.byteOffset).getUint32(MAGIC.length, true);
    const header = JSON.parse(decoder.decode(bytes.subarray(start, start + length))) as SnapshotHeader;
    const section = (name: SectionName): Uint8Array => {
      const [offset, size] = header.sections[name];
      if (start + length + offset + size > bytes.length)
        throw new LinkmlError('schema_invalid', 'The snapshot of the vocabulary is not complete.');
      return bytes.subarray(start + length + offset, start + length + offset + size);
    };
    const numbers = (name: SectionName): Uint32Array => {
      const part = section(name);
      return new Uint32Array(part.buffer, part.byteOffset, part.length / 4);
    };
    this.bytes = bytes;
    this.about = header.about;
    this.size = header.terms;
    this.#header = header;
    this.#baseNumbers = new Map(header.bases.map((base, number) => [base, number]));
    this.#bases = numbers('bases');
    this.#codes = { bytes: section('codes'), ends: numbers('codeEnds') };
    this.#texts = { bytes: section('texts'), ends: numbers('textEnds') };
    this.#words = { bytes: section('words'), ends: numbers('wordEnds') };
    this.#parentEnds = numbers('parentEnds');
    this.#parents = numbers('parents');
    this.#postingEnds = numbers('postingEnds');
    this.#postings = numbers('postings');
    this.lengths = section('lengths');
  }

  get digest(): string {
    return this.about.digest;
  }

  get iris(): readonly string[] {
    return this.about.iris;
  }

  /** How many ids it has, with those that are only mentioned: numbers of terms are below. */
  get count(): number {
    return this.#bases.length;
  }

  term(id: string): Term | undefined {
    const number = this.numberOf(id);
    return number === undefined ? undefined : this.termAt(number);
  }

  mentions(id: string): boolean {
    return this.numberOf(id) !== undefined;
  }

  parents(id: string): readonly TermLink[] {
    const number = this.numberOf(id);
    return number === undefined ? [] : this.#links(number, this.#parentEnds, this.#parents);
  }

  /** The edges that lead down from a term. */
  children(id: string): readonly TermLink[] {
    const number = this.numberOf(id);
    if (number === undefined) return [];
    const { ends, edges } = this.#reversed();
    return this.#links(number, ends, edges);
  }

  /** Whether edges of some relations lead down from a term. */
  hasChildren(id: string, relations: ReadonlySet<string>): boolean {
    const number = this.numberOf(id);
    if (number === undefined) return false;
    const { ends, edges } = this.#reversed();
    for (let edge = startOf(ends, number); edge < ends[number]!; edge += 2)
      if (relations.has(this.#header.relations[edges[edge]!]!)) return true;
    return false;
  }

  labeled(label: string): readonly string[] {
    const found = this.withAll(wordsOf(fold(label)));
    return Array.from(found, (number) => this.termAt(number)!)
      .filter((term) => term.label === label)
      .map((term) => term.id);
  }

  coded(code: string): readonly string[] {
    return this.#header.bases.map((base) => base + code).filter((id) => this.mentions(id));
  }

  covers(id: string): boolean {
    const { mainBase } = this.#header;
    return mainBase !== '' && id.startsWith(mainBase) && id.length - mainBase.length === codeOf(id).length;
  }

  nearest(label: string, budget: SuggestionBudget = suggestionBudget()): Term | undefined {
    if (label.length > LONGEST_NAME) return undefined;
    const given = wordsOf(fold(label));
    if (given.length > MOST_WORDS) return undefined;
    const words = given
      .map((word) => this.#wordLike(word, budget))
      .filter((place) => place !== undefined)
      .sort((a, b) => this.#countOf(a) - this.#countOf(b))
      .slice(0, 3);
    const names = new Map<string, Term>();
    for (const place of words)
      for (const number of this.#postingsOf(place).subarray(0, MOST_GUESSES)) {
        budget.letters -= TERM_COST;
        if (budget.letters <= 0) return undefined;
        const term = this.termAt(number)!;
        if (!term.obsolete)
          for (const name of [...(term.label === undefined ? [] : [term.label]), ...term.synonyms])
            if (!names.has(name)) names.set(name, term);
      }
    const best = nearest(label, names.keys(), budget);
    return best === undefined ? undefined : names.get(best);
  }

  numberOf(id: string): number | undefined {
    const code = codeOf(id);
    if (!this.#baseNumbers.has(id.slice(0, id.length - code.length))) return undefined;
    const place = lowest(this.count, (number) => this.idAt(number) >= id);
    return place < this.count && this.idAt(place) === id ? place : undefined;
  }

  idAt(number: number): string {
    return this.#header.bases[this.#bases[number]!]! + stringAt(this.#codes, number);
  }

  /** The term with a number; undefined if its id is only mentioned. */
  termAt(number: number): Term | undefined {
    const text = stringAt(this.#texts, number);
    if (text === '') return undefined;
    const { l, s = [], d, o = false, r = [] } = JSON.parse(text) as StoredTerm;
    return { id: this.idAt(number), label: l, synonyms: s, definition: d, obsolete: o, replacedBy: r };
  }

  /** All terms, in the order of their ids. */
  *all(): Generator<Term> {
    for (let number = 0; number < this.count; number++) {
      const term = this.termAt(number);
      if (term) yield term;
    }
  }

  /** The numbers of the terms that have all these words; of the last one only the start, if it may be unfinished. */
  withAll(words: readonly string[], isUnfinished = false): Uint32Array {
    const lists = words.map((word, index) => {
      const isLast = isUnfinished && index === words.length - 1;
      return isLast ? this.#startingWith(word) : [this.#wordPlace(word)].filter((one) => one !== undefined);
    });
    if (lists.length === 0 || lists.some((list) => list.length === 0)) return new Uint32Array();
    const rarest = [...lists].sort((a, b) => this.#sum(a) - this.#sum(b));
    let found = this.#union(rarest[0]!);
    for (const list of rarest.slice(1)) {
      const [only] = list;
      if (list.length === 1) found = inBoth(found, this.#postingsOf(only!));
      else if (list.length > 20 || found.length > MOST_FOUND) {
        // Many words, or many terms, are looked up at once.
        const allowed = new Uint8Array(this.count);
        for (const place of list) for (const number of this.#postingsOf(place)) allowed[number] = 1;
        found = found.filter((number) => allowed[number] === 1);
      } else found = found.filter((number) => list.some((place) => has(this.#postingsOf(place), number)));
    }
    return found;
  }

  reach(
    ids: readonly string[],
    relations: ReadonlySet<string>,
    side: 'below' | 'above',
  ): (id: string) => boolean {
    const test = this.reachOfNumbers(ids, relations, side);
    return (id) => {
      const number = this.numberOf(id);
      return number !== undefined && test(number);
    };
  }

  /** Like `reach`, for the numbers of terms. */
  reachOfNumbers(
    ids: readonly string[],
    relations: ReadonlySet<string>,
    side: 'below' | 'above',
  ): (number: number) => boolean {
    const numbers = ids.flatMap((id) => this.numberOf(id) ?? []);
    const follows = this.#header.relations.map((relation) => relations.has(relation));
    const edges = { ends: this.#parentEnds, edges: this.#parents };
    return (side === 'below' ? belowTest : aboveTest)(edges, numbers, follows);
  }

  #links(number: number, ends: Uint32Array, edges: Uint32Array): TermLink[] {
    const links: TermLink[] = [];
    for (let edge = startOf(ends, number); edge < ends[number]!; edge += 2)
      links.push({ relation: this.#header.relations[edges[edge]!]!, id: this.idAt(edges[edge + 1]!) });
    return links;
  }

  /** The edges in the other direction, made when they are first needed. */
  #reversed(): { ends: Uint32Array; edges: Uint32Array } {
    if (this.#children) return this.#children;
    const ends = new Uint32Array(this.count);
    for (let edge = 0; edge < this.#parents.length; edge += 2) ends[this.#parents[edge + 1]!]! += 2;
    const next = new Uint32Array(this.count);
    for (let number = 0, sum = 0; number < this.count; number++) {
      next[number] = sum;
      sum += ends[number]!;
      ends[number] = sum;
    }
    const edges = new Uint32Array(this.#parents.length);
    for (let child = 0, edge = 0; child < this.count; child++)
      for (; edge < this.#parentEnds[child]!; edge += 2) {
        const parent = this.#parents[edge + 1]!;
        edges[next[parent]!] = this.#parents[edge]!;
        edges[next[parent]! + 1] = child;
        next[parent]! += 2;
      }
    this.#children = { ends, edges };
    return this.#children;
  }

  #postingsOf(place: number): Uint32Array {
    return this.#postings.subarray(startOf(this.#postingEnds, place), this.#postingEnds[place]);
  }

  #countOf(place: number): number {
    return this.#postingEnds[place]! - startOf(this.#postingEnds, place);
  }

  #sum(places: readonly number[]): number {
    return places.reduce((sum, place) => sum + this.#countOf(place), 0);
  }

  #union(places: readonly number[]): Uint32Array {
    const [only] = places;
    if (places.length === 1) return this.#postingsOf(only!);
    const marks = new Uint8Array(this.count);
    const found: number[] = [];
    for (const place of places) {
      if (found.length >= MOST_FOUND) break;
      for (const number of this.#postingsOf(place)) {
        if (marks[number] === 0) found.push(number);
        marks[number] = 1;
      }
    }
    return Uint32Array.from(found).sort();
  }

  #firstWord(atLeast: string): number {
    return lowest(this.#words.ends.length, (place) => stringAt(this.#words, place) >= atLeast);
  }

  #wordPlace(word: string): number | undefined {
    const place = this.#firstWord(word);
    return place < this.#words.ends.length && stringAt(this.#words, place) === word ? place : undefined;
  }

  #startingWith(start: string): number[] {
    const places: number[] = [];
    const end = this.#firstWord(`${start}\uffff`);
    for (let place = this.#firstWord(start); place < end; place++) places.push(place);
    return places;
  }

  /** The place of a word, or of one that is spelled nearly so and starts with the same letters. */
  #wordLike(word: string, budget: SuggestionBudget): number | undefined {
    const exact = this.#wordPlace(word);
    if (exact !== undefined || word.length < 4) return exact;
    const start = word.slice(0, 2);
    const [first, end] = [this.#firstWord(start), this.#firstWord(`${start}\uffff`)];
    const middle = this.#firstWord(word) - MOST_SPELLINGS / 2;
    const from = Math.max(first, Math.min(middle, end - MOST_SPELLINGS));
    const words = new Map<string, number>();
    for (let place = from; place < Math.min(end, from + MOST_SPELLINGS); place++) {
      budget.letters -= WORD_COST;
      if (budget.letters <= 0) return undefined;
      words.set(stringAt(this.#words, place), place);
    }
    const best = nearest(word, words.keys(), budget);
    return best === undefined ? undefined : words.get(best);
  }
}

/** Strings one behind another, with the end of each. */
type Strings = { readonly bytes: Uint8Array; readonly ends: Uint32Array };

function stringAt({ bytes, ends }: Strings, place: number): string {
  return decoder.decode(bytes.subarray(startOf(ends, place), ends[place]));
}

function startOf(ends: Uint32Array, place: number): number {
  return place === 0 ? 0 : ends[place - 1]!;
}

/** The lowest number from which on a test is true. */
function lowest(count: number, isReached: (number: number) => boolean): number {
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isReached(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** The numbers that are in both of two sorted lists. */
function inBoth(few: Uint32Array, many: Uint32Array): Uint32Array {
  if (few.length * SEARCH_COST < many.length) return few.filter((number) => has(many, number));
  const found = new Uint32Array(few.length);
  let count = 0;
  for (let i = 0, j = 0; i < few.length && j < many.length; ) {
    const [a, b] = [few[i]!, many[j]!];
    if (a === b) found[count++] = a;
    if (a <= b) i++;
    if (b <= a) j++;
  }
  return found.subarray(0, count);
}

function has(sorted: Uint32Array, number: number): boolean {
  const place = lowest(sorted.length, (index) => sorted[index]! >= number);
  return sorted[place] === number;
}
