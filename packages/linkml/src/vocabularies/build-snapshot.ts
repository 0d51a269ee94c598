/** Makes a snapshot of terms that come in any order, with memory that is a small multiple of the snapshot. */
import { fold } from '../folding.ts';
import { codeOf } from '../terms/vocabulary.ts';
import {
  align,
  MAGIC,
  SECTIONS,
  type SectionName,
  type SnapshotAbout,
  type SnapshotHeader,
  type StoredTerm,
  wordsOf,
} from './snapshot-format.ts';

/** A term as a source describes it. */
export type SourceTerm = {
  readonly id: string;
  readonly label?: string | undefined;
  readonly synonyms?: readonly string[];
  readonly definition?: string | undefined;
  readonly obsolete?: boolean;
  readonly replacedBy?: readonly string[];
};

const encoder = new TextEncoder();

export class SnapshotBuilder {
  readonly #numbers = new Map<string, number>();
  readonly #ids: string[] = [];
  /** Where the text of each term is in `#texts`; equal offsets mean that the id is only mentioned. */
  readonly #starts: number[] = [];
  readonly #ends: number[] = [];
  readonly #texts = new Bytes();
  readonly #lengths: number[] = [];
  readonly #relations = new Map<string, number>();
  readonly #children = new Numbers();
  readonly #edges = new Numbers();
  readonly #words = new Map<string, number>();
  readonly #wordTerms = new Numbers();
  readonly #wordNumbers = new Numbers();

  terms = 0;

  /** Adds a term. If its id was added before, the first description stays. */
  add(term: SourceTerm): void {
    const number = this.#number(term.id);
    if (this.#ends[number]! > this.#starts[number]!) return;
    const { label, synonyms = [], definition, obsolete, replacedBy = [] } = term;
    const others = [...new Set(synonyms)].filter((synonym) => synonym !== label);
    const stored: StoredTerm = {
      ...(label !== undefined && { l: label }),
      ...(others.length > 0 && { s: others }),
      ...(definition !== undefined && { d: definition }),
      ...(obsolete && { o: true }),
      ...(replacedBy.length > 0 && { r: replacedBy }),
    };
    this.#starts[number] = this.#texts.length;
    this.#texts.push(JSON.stringify(stored));
    this.#ends[number] = this.#texts.length;
    this.#lengths[number] = Math.min(label?.length ?? 255, 255);
    const words = new Set([label ?? '', ...others].flatMap((text) => wordsOf(fold(text))));
    for (const word of words) {
      this.#wordTerms.push(number);
      this.#wordNumbers.push(numberIn(this.#words, word));
    }
    this.terms += 1;
  }

  /** Adds an edge that leads up. */
  link(child: string, relation: string, parent: string): void {
    this.#children.push(this.#number(child));
    this.#edges.push(numberIn(this.#relations, relation));
    this.#edges.push(this.#number(parent));
  }

  async finish(about: Omit<SnapshotAbout, 'digest' | 'taken'>): Promise<Uint8Array<ArrayBuffer>> {
    const ids = this.#ids;
    const order = Uint32Array.from(ids.keys()).sort((a, b) => (ids[a]! < ids[b]! ? -1 : 1));
    const rank = new Uint32Array(ids.length);
    for (const [place, number] of order.entries()) rank[number] = place;
    const relations = sortedNumbers(this.#relations);
    const names = this.#names(order);
    const sections: Record<SectionName, Uint8Array> = {
      ...names.sections,
      ...this.#textSections(order),
      ...this.#parentSections(rank, relations.places),
      ...this.#wordSections(rank),
    };
    const body = layOut(sections);
    const header: SnapshotHeader = {
      about: { ...about, taken: new Date().toISOString(), digest: '' },
      terms: this.terms,
      bases: names.bases,
      mainBase: names.mainBase,
      relations: relations.keys,
      sections: body.places,
    };
    const content = encoder.encode(JSON.stringify([header.bases, header.relations]));
    const digest = await sha256([content, body.bytes]);
    return join({ ...header, about: { ...header.about, digest } }, body.bytes);
  }

  #number(id: string): number {
    const number = numberIn(this.#numbers, id);
    if (number === this.#ids.length) {
      this.#ids.push(id);
      this.#starts.push(0);
      this.#ends.push(0);
      this.#lengths.push(255);
    }
    return number;
  }

  /** Ids, cut into a base that many share and a code. */
  #names(order: Uint32Array) {
    const baseNumbers = new Map<string, number>();
    const counts: number[] = [];
    const bases = new Uint32Array(order.length);
    const codes = new Bytes();
    const codeEnds = new Uint32Array(order.length);
    for (const [place, number] of order.entries()) {
      const id = this.#ids[number]!;
      const code = codeOf(id);
      const base = numberIn(baseNumbers, id.slice(0, id.length - code.length));
      bases[place] = base;
      counts[base] = (counts[base] ?? 0) + (this.#ends[number]! > this.#starts[number]! ? 1 : 0);
      codes.push(code);
      codeEnds[place] = codes.length;
    }
    const all = [...baseNumbers.keys()];
    const most = counts.reduce((best, count, base) => (count > (counts[best] ?? 0) ? base : best), 0);
    const sections = { bases: bytesOf(bases), codeEnds: bytesOf(codeEnds), codes: codes.all() };
    return { bases: all, mainBase: all[most] ?? '', sections };
  }

  #textSections(order: Uint32Array) {
    const texts = new Bytes();
    const ends = new Uint32Array(order.length);
    const lengths = new Uint8Array(order.length);
    const all = this.#texts.all();
    for (const [place, number] of order.entries()) {
      texts.add(all.subarray(this.#starts[number]!, this.#ends[number]!));
      ends[place] = texts.length;
      lengths[place] = this.#lengths[number]!;
    }
    return { texts: texts.all(), textEnds: bytesOf(ends), lengths };
  }

  #parentSections(rank: Uint32Array, relationPlaces: Uint32Array) {
    const children = this.#children.all();
    const edges = this.#edges.all();
    const { starts, ends: groups } = countedPlaces(children, (child) => rank[child]!, rank.length);
    // The relation and the parent of an edge as one number, so that native sorting applies.
    const keys = new Float64Array(children.length);
    for (const [edge, child] of children.entries())
      keys[starts[rank[child]!]!++] =
        relationPlaces[edges[2 * edge]!]! * rank.length + rank[edges[2 * edge + 1]!]!;
    const parents = new Numbers();
    const ends = new Uint32Array(rank.length);
    for (let child = 0; child < rank.length; child++) {
      const own = keys.subarray(child === 0 ? 0 : groups[child - 1]!, groups[child]!).sort();
      for (const [index, key] of own.entries()) {
        if (key === own[index - 1]) continue;
        parents.push(Math.floor(key / rank.length));
        parents.push(key % rank.length);
      }
      ends[child] = parents.length;
    }
    return { parents: bytesOf(parents.all()), parentEnds: bytesOf(ends) };
  }

  #wordSections(rank: Uint32Array) {
    const { keys, places } = sortedNumbers(this.#words);
    const words = new Bytes();
    const wordEnds = new Uint32Array(keys.length);
    for (const [place, word] of keys.entries()) {
      words.push(word);
      wordEnds[place] = words.length;
    }
    const numbers = this.#wordNumbers.all();
    const terms = this.#wordTerms.all();
    const { starts, ends } = countedPlaces(numbers, (number) => places[number]!, keys.length);
    const postings = new Uint32Array(numbers.length);
    for (const [index, number] of numbers.entries())
      postings[starts[places[number]!]!++] = rank[terms[index]!]!;
    for (let place = 0; place < keys.length; place++)
      postings.subarray(place === 0 ? 0 : ends[place - 1]!, ends[place]!).sort();
    return {
      words: words.all(),
      wordEnds: bytesOf(wordEnds),
      postings: bytesOf(postings),
      postingEnds: bytesOf(ends),
    };
  }
}

/** The number of a key; a new key gets the next. */
function numberIn(numbers: Map<string, number>, key: string): number {
  const known = numbers.get(key);
  if (known !== undefined) return known;
  numbers.set(key, numbers.size);
  return numbers.size - 1;
}

/** The keys in order, and for each number the place of its key. */
function sortedNumbers(numbers: ReadonlyMap<string, number>): { keys: string[]; places: Uint32Array } {
  const keys = [...numbers.keys()].sort();
  const places = new Uint32Array(keys.length);
  for (const [place, key] of keys.entries()) places[numbers.get(key)!] = place;
  return { keys, places };
}

/** Where the members of each group start and end if they are put one group behind another. */
function countedPlaces(
  members: Uint32Array,
  groupOf: (member: number) => number,
  groups: number,
): { starts: Uint32Array; ends: Uint32Array } {
  const starts = new Uint32Array(groups);
  const ends = new Uint32Array(groups);
  for (const member of members) ends[groupOf(member)]! += 1;
  for (let group = 0, sum = 0; group < groups; group++) {
    starts[group] = sum;
    sum += ends[group]!;
    ends[group] = sum;
  }
  return { starts, ends };
}

function bytesOf(numbers: Uint32Array): Uint8Array {
  return new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength);
}

function layOut(sections: Readonly<Record<SectionName, Uint8Array>>) {
  const places = {} as Record<SectionName, [number, number]>;
  let length = 0;
  for (const name of SECTIONS) {
    places[name] = [length, sections[name].length];
    length += align(sections[name].length);
  }
  const bytes = new Uint8Array(length);
  for (const name of SECTIONS) bytes.set(sections[name], places[name][0]);
  return { places, bytes };
}

function join(header: SnapshotHeader, body: Uint8Array): Uint8Array<ArrayBuffer> {
  const text = encoder.encode(JSON.stringify(header));
  const start = MAGIC.length + 4 + align(text.length);
  const bytes = new Uint8Array(start + body.length).fill(0x20, 0, start);
  bytes.set(encoder.encode(MAGIC));
  new DataView(bytes.buffer).setUint32(MAGIC.length, align(text.length), true);
  bytes.set(text, MAGIC.length + 4);
  bytes.set(body, start);
  return bytes;
}

async function sha256(parts: readonly Uint8Array[]): Promise<string> {
  const all = new Bytes();
  for (const part of parts) all.add(part);
  const hash = await globalThis.crypto.subtle.digest('SHA-256', all.all() as Uint8Array<ArrayBuffer>);
  return Array.from(new Uint8Array(hash), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Bytes that grow. */
class Bytes {
  #bytes = new Uint8Array(1 << 16);
  length = 0;

  push(text: string): void {
    // A character has at most three bytes for each UTF-16 unit.
    this.#reserve(3 * text.length);
    this.length += encoder.encodeInto(text, this.#bytes.subarray(this.length)).written;
  }

  add(bytes: Uint8Array): void {
    this.#reserve(bytes.length);
    this.#bytes.set(bytes, this.length);
    this.length += bytes.length;
  }

  all(): Uint8Array {
    return this.#bytes.subarray(0, this.length);
  }

  #reserve(more: number): void {
    if (this.length + more <= this.#bytes.length) return;
    const larger = new Uint8Array(Math.max(2 * this.#bytes.length, this.length + more));
    larger.set(this.#bytes);
    this.#bytes = larger;
  }
}

/** Numbers that grow. */
class Numbers {
  #numbers = new Uint32Array(1 << 14);
  length = 0;

  push(number: number): void {
    if (this.length === this.#numbers.length) {
      const larger = new Uint32Array(2 * this.#numbers.length);
      larger.set(this.#numbers);
      this.#numbers = larger;
    }
    this.#numbers[this.length] = number;
    this.length += 1;
  }

  all(): Uint32Array {
    return this.#numbers.subarray(0, this.length);
  }
}
