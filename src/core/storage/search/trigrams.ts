/**
 * Which trigrams a search asks FTS5 for. It walks the whole list of records of each trigram, so few and rare ones are asked
 * for: among a million records, the three rarest of an email take 0.9 ms and leave 18 records to read, and eight of them 13 ms
 * (`npm run bench -- --growth --only search`). PostgreSQL estimates that by itself.
 */
import { LRUCache } from 'lru-cache';
import { MEMORY } from '../../memory-bounds.ts';
import type { Dialect } from '../dialect.ts';
import type { Reader } from '../reader.ts';

/** Trigrams that are asked for. */
const SOUGHT = 3;
/** Records are counted up to this number, and if that leaves fewer rare ones, up to the next: counting those takes 5 ms. */
const COMMON = 20_000;
const VERY_COMMON = 100_000;
/** The memory of a number of records, about; numbers only have to be about right. */
const ENTRY_BYTES = 200;

/** Records that have a trigram, and the limit up to which they were counted. */
type TrigramCount = { readonly records: number; readonly most: number };

export class Trigrams {
  readonly #reader: Reader & { readonly dialect: Dialect };
  readonly #counts = new LRUCache<string, TrigramCount>({
    maxSize: MEMORY.trigrams.bytes,
    sizeCalculation: () => ENTRY_BYTES,
  });

  constructor(reader: Reader & { readonly dialect: Dialect }) {
    this.#reader = reader;
  }

  /** Selects trigrams that all texts with some strings have, and perhaps others. */
  async sought(strings: readonly string[]): Promise<readonly string[]> {
    if (this.#reader.dialect.name !== 'sqlite') return strings;
    const trigrams = trigramsOf(strings);
    let rarest = await this.#rarest(trigrams, COMMON);
    // Of common ones, the rarest still make a difference.
    if (rarest.some(([, records]) => records >= COMMON)) rarest = await this.#rarest(trigrams, VERY_COMMON);
    return rarest.map(([trigram]) => trigram);
  }

  async #rarest(trigrams: Iterable<string>, limit: number): Promise<[trigram: string, records: number][]> {
    const rarest: [trigram: string, records: number][] = [];
    for (const trigram of trigrams) {
      // One that is more common than these need not be counted to its end.
      const most = rarest.length < SOUGHT ? limit : rarest.at(-1)![1];
      rarest.push([trigram, await this.#countUpTo(most, trigram)]);
      rarest.sort(([, one], [, other]) => one - other).splice(SOUGHT);
    }
    return rarest;
  }

  /** Counts the records of all areas, up to a limit. */
  async #countUpTo(most: number, trigram: string): Promise<number> {
    const known = this.#counts.get(trigram);
    const isCounted = known && (known.records < known.most || known.most >= most);
    if (isCounted) return Math.min(known.records, most);
    const { sql, values } = this.#reader.dialect.textCandidates([trigram], 2);
    const [row] = await this.#reader.tuples<[number]>(
      `SELECT count(*) FROM (SELECT id FROM ${sql} x LIMIT CAST($1 AS BIGINT)) l`,
      [most, ...values],
    );
    const records = row![0];
    this.#counts.set(trigram, { records, most });
    return records;
  }
}

/** The trigrams of some strings, first those that do not overlap: of equally common ones, they leave out more. */
function trigramsOf(strings: readonly string[]): Set<string> {
  const found = new Set<string>();
  for (let first = 0; first < 3; first++)
    for (const string of strings) {
      const characters = [...string];
      for (let at = first; at + 3 <= characters.length; at += 3)
        found.add(characters.slice(at, at + 3).join(''));
    }
  return found;
}
