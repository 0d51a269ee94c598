/** How many records have a trigram, as far as needed to know which ones are rare. */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { LRUCache } from 'lru-cache';
import { statements } from './database.ts';

/** Counts the records of each trigram; it is a view of the text index, in the connection alone. */
const VOCABULARY = `CREATE VIRTUAL TABLE IF NOT EXISTS temp.accession_trigram USING fts5vocab(main, accession_text, row)`;

/** Only the order of magnitude matters: counts are kept until this part of the records has changed. */
const TOLERANCE = 0.25;

export class TrigramFrequencies {
  readonly #sql: (sql: string) => StatementSync;
  readonly #counts = new LRUCache<string, number>({ max: 20_000 });
  /** The revision of the text index that the counts are of. */
  #revision = 0;

  constructor(database: DatabaseSync) {
    database.exec(VOCABULARY);
    this.#sql = statements(database);
  }

  /**
   * About how many records have a trigram.
   *
   * @param revision up to which the text index is complete: counts of an earlier one are forgotten when it has grown
   */
  of(trigram: string, revision: number): number {
    if (revision < this.#revision || revision > this.#revision * (1 + TOLERANCE)) {
      this.#counts.clear();
      this.#revision = revision;
    }
    let records = this.#counts.get(trigram);
    if (records === undefined) {
      const row = this.#sql('SELECT doc AS records FROM accession_trigram WHERE term = ?').get(trigram);
      records = (row?.records as number | undefined) ?? 0;
      this.#counts.set(trigram, records);
    }
    return records;
  }
}
