/**
 * Which trigrams a search asks FTS5 for. It walks the whole list of records of each trigram, so few and rare ones are asked
 * for: among 20,000 records, the three rarest of an email take 0.8 ms, and twelve of them 9 ms (`npm run bench`, searches).
 * PostgreSQL estimates that by itself.
 */
import { LRUCache } from 'lru-cache';
import type { Reader } from './database.ts';
import type { Dialect } from './dialect.ts';

/** Trigrams that are asked for. */
const SOUGHT = 3;
/** A trigram of more records is common. */
const COMMON = 20_000;
/** Trigrams whose numbers of records are kept; they only have to be about right. */
const KEPT = 20_000;

export class Trigrams {
  readonly #reader: Reader & { readonly dialect: Dialect };
  readonly #counts = new LRUCache<string, number>({ max: KEPT });

  constructor(reader: Reader & { readonly dialect: Dialect }) {
    this.#reader = reader;
  }

  /** Selects trigrams that all texts with some strings have, and perhaps others. */
  async sought(strings: readonly string[]): Promise<readonly string[]> {
    if (this.#reader.dialect.name !== 'sqlite') return strings;
    const counted: [trigram: string, records: number][] = [];
    for (const trigram of trigramsOf(strings)) counted.push([trigram, await this.#count(trigram)]);
    counted.sort(([, a], [, b]) => a - b);
    return counted.slice(0, SOUGHT).map(([trigram]) => trigram);
  }

  /** How many records of all areas the index has candidates for, counted no further than a limit. */
  async countUpTo(limit: number, sought: readonly string[]): Promise<number> {
    const { sql, values } = this.#reader.dialect.textCandidates(sought, 2);
    const [row] = await this.#reader.tuples<[number]>(
      `SELECT count(*) FROM (SELECT id FROM ${sql} x LIMIT CAST($1 AS INTEGER)) l`,
      [limit, ...values],
    );
    return Number(row![0]);
  }

  async #count(trigram: string): Promise<number> {
    const known = this.#counts.get(trigram);
    if (known !== undefined) return known;
    const records = await this.countUpTo(COMMON, [trigram]);
    this.#counts.set(trigram, records);
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
