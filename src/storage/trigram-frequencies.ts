/** How many records have a trigram, as far as needed to know which ones are rare. */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { type Cache, Memory } from '../memory/memory.ts';
import { statements } from './database.ts';

/** Counts the records of each trigram; it is a view of the text index, in the connection alone. */
const VOCABULARY = `CREATE VIRTUAL TABLE IF NOT EXISTS temp.accession_trigram USING fts5vocab(main, accession_folded, row)`;

/** Only the order of magnitude matters: counts are kept until this part of the records has changed. */
const TOLERANCE = 0.25;

type Count = { readonly records: number };

export class TrigramFrequencies {
  readonly #sql: (sql: string) => StatementSync;
  readonly #memory: Memory;
  readonly #counts: Cache<Count>;
  /** Of the keys of the counts of this index, until they are forgotten. */
  #prefix: string;
  /** The revision of the text index that the counts are of. */
  #revision = 0;

  constructor(database: DatabaseSync, memory = new Memory()) {
    database.exec(VOCABULARY);
    this.#memory = memory;
    this.#counts = memory.cache<Count>('trigrams', (_, key) => 2 * key.length);
    this.#prefix = memory.prefix();
    this.#sql = statements(database);
  }

  /**
   * About how many records have a trigram.
   *
   * @param revision up to which the text index is complete: counts of an earlier one are discarded when it has grown
   */
  of(trigram: string, revision: number): number {
    if (revision < this.#revision || revision > this.#revision * (1 + TOLERANCE)) {
      this.#prefix = this.#memory.prefix();
      this.#revision = revision;
    }
    let records = this.#counts.get(this.#prefix + trigram)?.records;
    if (records === undefined) {
      const row = this.#sql('SELECT doc AS records FROM accession_trigram WHERE term = ?').get(trigram);
      records = (row?.records as number | undefined) ?? 0;
      this.#counts.set(this.#prefix + trigram, { records });
    }
    return records;
  }

  /** The trigrams that begin with a string, and how many records have each; to be read at once. */
  *startingWith(start: string): Generator<{ readonly trigram: string; readonly records: number }> {
    const rows = this.#sql('SELECT term, doc FROM accession_trigram WHERE term >= ?').iterate(start);
    for (const { term, doc } of rows) {
      if (!String(term).startsWith(start)) return;
      yield { trigram: String(term), records: Number(doc) };
    }
  }
}
