/**
 * Which trigrams a search asks FTS5 for. It walks the whole list of records of each trigram, so few and rare ones are asked
 * for: among a million records, the three rarest of an email take 0.9 ms and leave 18 records to read, and eight of them 13 ms
 * (`npm run bench -- --growth --only search`). PostgreSQL estimates that by itself.
 */
import { LRUCache } from 'lru-cache';
import type { Reader, Value } from './database.ts';
import type { Dialect } from './dialect.ts';

/** Trigrams that are asked for. */
const SOUGHT = 3;
/** Records are counted up to this number: counting as many takes 5 ms. */
const COMMON = 100_000;
/** Trigrams whose numbers of records are kept; they only have to be about right. */
const KEPT = 20_000;

/** Records that have a trigram, and the limit up to which they were counted. */
type Counted = { readonly records: number; readonly most: number };

export class Trigrams {
  readonly #reader: Reader & { readonly dialect: Dialect };
  readonly #counts = new LRUCache<string, Counted>({ max: KEPT });

  constructor(reader: Reader & { readonly dialect: Dialect }) {
    this.#reader = reader;
  }

  /** Selects trigrams that all texts with some strings have, and perhaps others. */
  async sought(strings: readonly string[]): Promise<readonly string[]> {
    if (this.#reader.dialect.name !== 'sqlite') return strings;
    const rarest: [trigram: string, records: number][] = [];
    for (const trigram of trigramsOf(strings)) {
      // One that is more common than these need not be counted to its end.
      const most = rarest.length < SOUGHT ? COMMON : rarest.at(-1)![1];
      rarest.push([trigram, await this.#countUpTo(most, trigram)]);
      rarest.sort(([, one], [, other]) => one - other).splice(SOUGHT);
    }
    return rarest.map(([trigram]) => trigram);
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

  async #countUpTo(most: number, trigram: string): Promise<number> {
    const known = this.#counts.get(trigram);
    const isCounted = known && (known.records < known.most || known.most >= most);
    if (isCounted) return Math.min(known.records, most);
    const { sql, values } = this.#upTo([trigram], most);
    const [row] = await this.#reader.tuples<[number]>(`SELECT count(*) FROM (${sql}) l`, values);
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
