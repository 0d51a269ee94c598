/**
 * Finds the records that a `matching` pattern selects without reading all of them.
 *
 * An FTS5 table of trigrams yields candidates, and the pattern itself decides. The table only ever lags behind: it
 * knows up to which revision it is complete, and records changed since are looked at one by one. So writes pay
 * nothing for it; it catches up in small steps when there is time.
 */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import type { ClassSet, Place } from './blocks.ts';
import { statements, transaction } from './database.ts';
import { foldCase, type Pattern, textValues } from './matching.ts';
import { compareKeys } from './store.ts';

const TABLE = `
CREATE VIRTUAL TABLE accession_text USING fts5(
  value, content = '', contentless_delete = 1, detail = none, tokenize = 'trigram case_sensitive 1'
);
INSERT OR REPLACE INTO accession_meta VALUES ('text_revision', 0);
`;

/** Counts the records of each trigram; it is a view of the index, in the connection alone. */
const VOCABULARY = `CREATE VIRTUAL TABLE IF NOT EXISTS temp.accession_trigram USING fts5vocab(main, accession_text, row)`;

/** How many trigrams of a pattern the index is asked for, the rarest ones. */
const ENOUGH_TRIGRAMS = 3;
/** How long the number of records that hold a trigram is taken for right, in milliseconds. */
const FREQUENCY_LIFETIME = 10 * 60 * 1000;

/** How many records are read before others get a turn. */
const STRIDE = 200;

type TextRow = Place & { id: number; className: string; json: string };

const TEXT_ROW = 't.id, t.iri, t.sort_key AS pid, t.class_name AS className, t.object AS json';

export class TextIndex {
  readonly #database: DatabaseSync;
  readonly #sql: (sql: string) => StatementSync;
  readonly #frequencies = new LRUCache<string, number>({ max: 20_000, ttl: FREQUENCY_LIFETIME });

  constructor(database: DatabaseSync) {
    this.#database = database;
    this.#sql = statements(database);
    const there = database.prepare(`SELECT 1 FROM sqlite_master WHERE name = 'accession_text'`).get();
    if (!there) transaction(database, () => database.exec(TABLE));
    database.exec(VOCABULARY);
  }

  /** Whether every record's text is in the index. */
  get complete(): boolean {
    return this.#lastRevision() <= this.revision;
  }

  /** Up to which revision every record's text is in the index. */
  get revision(): number {
    const row = this.#sql(`SELECT value FROM accession_meta WHERE name = 'text_revision'`).get();
    return (row?.value as number | undefined) ?? 0;
  }

  /** The ids of the records of the classes that a pattern selects, in order. */
  async search(pattern: Pattern, classes: ClassSet): Promise<number[]> {
    const set = classes && new Set(classes);
    const found: (Place & { id: number })[] = [];
    const seen = new Set<number>();
    const look = (row: TextRow | undefined) => {
      if (!row || seen.has(row.id)) return;
      seen.add(row.id);
      if (set && !set.has(row.className)) return;
      if (pattern.matchesRecord(row.json)) found.push({ pid: row.pid, iri: row.iri, id: row.id });
    };
    const query = this.#queryFor(trigramsOf(pattern.runs));
    const revision = query === undefined ? 0 : this.revision;
    if (query !== undefined) {
      const byId = this.#sql(`SELECT ${TEXT_ROW} FROM thing t WHERE t.id = ?`);
      for (const [index, id] of this.#candidates(query).entries()) {
        look(byId.get(id) as TextRow | undefined);
        if (index % STRIDE === STRIDE - 1) await nextTurn();
      }
    }
    let after = revision;
    for (;;) {
      const rows = this.#changedSince(after, STRIDE);
      for (const row of rows) look(row);
      if (rows.length < STRIDE) break;
      after = rows[rows.length - 1]!.revision;
      await nextTurn();
    }
    return found.sort(compareKeys).map(({ id }) => id);
  }

  /**
   * Takes the next changed records into the index, for about as long as given.
   *
   * @returns whether it is complete now.
   */
  advance(milliseconds: number): boolean {
    const end = performance.now() + milliseconds;
    return transaction(this.#database, () => {
      const remove = this.#sql('DELETE FROM accession_text WHERE rowid = ?');
      const insert = this.#sql('INSERT INTO accession_text (rowid, value) VALUES (?, ?)');
      let revision = this.revision;
      let complete = false;
      while (!complete && performance.now() < end) {
        const rows = this.#changedSince(revision, 20);
        for (const row of rows) {
          remove.run(row.id);
          insert.run(row.id, indexedText(row.json));
          revision = row.revision;
        }
        complete = rows.length < 20;
      }
      if (complete) revision = this.#lastRevision();
      this.#sql(`UPDATE accession_meta SET value = ? WHERE name = 'text_revision'`).run(revision);
      return complete;
    });
  }

  /**
   * The FTS5 query for everything that holds the rarest of these trigrams; undefined without any. More than a few would
   * only have the index walk long lists: the pattern itself decides in the end.
   */
  #queryFor(trigrams: readonly string[]): string | undefined {
    if (trigrams.length === 0) return undefined;
    const byRarity = trigrams.map((text) => ({ text, records: this.#frequency(text) }));
    byRarity.sort((a, b) => a.records - b.records);
    return byRarity
      .slice(0, ENOUGH_TRIGRAMS)
      .map(({ text }) => `"${text.replaceAll('"', '""')}"`)
      .join(' AND ');
  }

  /** About how many records hold a trigram: counted once, since only the order of magnitude matters. */
  #frequency(trigram: string): number {
    let records = this.#frequencies.get(trigram);
    if (records === undefined) {
      const row = this.#sql('SELECT doc AS records FROM accession_trigram WHERE term = ?').get(trigram);
      records = (row?.records as number | undefined) ?? 0;
      this.#frequencies.set(trigram, records);
    }
    return records;
  }

  /** The ids of the records that the index offers for a query. Asked for in one go: each query begins at the start. */
  #candidates(query: string): number[] {
    const ids: number[] = [];
    const rows = this.#sql('SELECT rowid AS id FROM accession_text WHERE accession_text MATCH ?').iterate(
      query,
    );
    for (const { id } of rows as Iterable<{ id: number }>) ids.push(id);
    return ids;
  }

  #changedSince(revision: number, limit: number): (TextRow & { revision: number })[] {
    return this.#sql(
      `SELECT ${TEXT_ROW}, c.revision FROM accession_change c CROSS JOIN thing t ON t.id = c.thing
       WHERE c.revision > ? ORDER BY c.revision LIMIT ?`,
    ).all(revision, limit) as (TextRow & { revision: number })[];
  }

  #lastRevision(): number {
    const row = this.#sql('SELECT max(revision) AS last FROM accession_change').get() as {
      last: number | null;
    };
    return row.last ?? 0;
  }
}

/** SQLite ends a text at NUL, which therefore stands as a line break here; so does the border between two values. */
function indexedText(json: string): string {
  return foldCase(textValues(json).join('\n')).replaceAll('\0', '\n');
}

/** The trigrams that a text must hold to hold all of these runs. */
function trigramsOf(runs: readonly string[]): string[] {
  const trigrams = new Set<string>();
  for (const run of runs) {
    const characters = [...foldCase(run)];
    for (let i = 0; i + 3 <= characters.length; i++) trigrams.add(characters.slice(i, i + 3).join(''));
  }
  return [...trigrams].filter((trigram) => !/[\0\p{Cs}]/u.test(trigram));
}
