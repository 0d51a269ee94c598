/**
 * Which trigrams a search asks FTS5 for. It walks the whole list of records of each trigram, so few and rare ones are asked
 * for: among 20,000 records, the three rarest of an email take 0.8 ms, and twelve of them 9 ms (`npm run bench`, searches).
 * PostgreSQL estimates that by itself.
 */
import { LRUCache } from 'lru-cache';
import type { Reader, Value } from './database.ts';
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

  /** The records of all areas that may have all of what is sought, up to a limit. */
  async candidates(sought: readonly string[], limit: number): Promise<number[]> {
    const { sql, values } = this.#upTo(sought, limit);
    return (await this.#reader.tuples<[number]>(sql, values)).map(([id]) => id);
  }

  #upTo(sought: readonly string[], limit: number): { readonly sql: string; readonly values: Value[] } {
    const { sql, values } = this.#reader.dialect.textCandidates(sought, 2);
    return { sql: `SELECT id FROM ${sql} x LIMIT CAST($1 AS INTEGER)`, values: [limit, ...values] };
  }

  async #count(trigram: string): Promise<number> {
    const known = this.#counts.get(trigram);
    if (known !== undefined) return known;
    const { sql, values } = this.#upTo([trigram], COMMON);
    const [row] = await this.#reader.tuples<[number]>(`SELECT count(*) FROM (${sql}) l`, values);
    const records = row![0];
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
