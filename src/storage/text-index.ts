/**
 * Finds the records that a `matching` pattern selects, or that have some words, without reading all of them.
 *
 * An FTS5 table of trigrams of folded strings yields candidates, and the caller decides. Long texts have a signature each
 * instead, since a single one could keep FTS5 busy for many seconds. Both only ever lag behind: the index is complete up
 * to a revision, and records changed since are looked at one by one. So writes pay nothing for it; it catches up in small
 * steps when there is time.
 */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { fold, scalarsIn } from '../folding.ts';
import { sortInTurns } from '../jobs/turns.ts';
import { parseJson } from '../json.ts';
import { Memory } from '../memory/memory.ts';
import type { ClassSet, OrderKey } from './block-order.ts';
import { arrayStatements, LIMIT, relaxedTransaction, statements, transaction } from './database.ts';
import { lastRevision } from './entry-table.ts';
import type { Pattern } from './matching.ts';
import { numberGram, numberText } from './number-grams.ts';
import { compareKeys } from './store.ts';
import { IS_NEWEST } from './table-layout.ts';
import { mayHave, SignatureBuilder } from './text-signature.ts';
import { matchQuery, type Term, termsOf, trigramsOf } from './text-terms.ts';
import { TrigramFrequencies } from './trigram-frequencies.ts';

/** The value of `folded_numbers` when the index has the numbers of all records; before, the last row that has been added. */
const ALL = -1;

/** Segments of one size that are merged together: with half of them, a replaced record costs twice as much. */
const MERGED_TOGETHER = 8;
const MERGES = `INSERT INTO accession_folded (accession_folded, rank) VALUES ('automerge', ${MERGED_TOGETHER})`;

const TABLE = `
CREATE VIRTUAL TABLE accession_folded USING fts5(
  value, content = '', contentless_delete = 1, detail = none, tokenize = 'trigram case_sensitive 1'
);
INSERT OR REPLACE INTO accession_meta VALUES ('folded_revision', 0), ('folded_numbers', ${ALL});
`;

/** Texts that are not in the table above. */
const LONG_TABLE = `
CREATE TABLE IF NOT EXISTS accession_long_folded (thing INTEGER PRIMARY KEY, signature BLOB NOT NULL);
`;

/** The longest record that goes into the FTS5 table, in bytes: one that takes it some milliseconds. */
const LONGEST_FOR_TABLE = 32_000;
/** Longer records are matched on their own, in a thread, in bytes. */
const LONG_RECORD = 128 * 1024;
/** How long a search reads records before others get a turn, in milliseconds. */
const INDEX_SLICE_MS = 10;
/** Signatures read at a time. */
const INDEXED_AT_ONCE = 50;
/** Ids that are read from the index at a time: some milliseconds. */
const IDS_AT_ONCE = 20_000;
/** A number in at most so many records is looked for by itself. */
const FEW_RECORDS = 1000;
/** With more candidates than this, a search for words reads the records in order: it finds enough of them soon. */
const MOST_CANDIDATES = 100_000;

type TextRow = OrderKey & { id: number; className: string; json: string };
type ChangedRow = TextRow & { revision: number };
/** A revision, and the record whose last change it is. */
type Changed<Json> = { readonly revision: number; readonly row?: ReturnType<typeof toTextRow<Json>> };
/** Without the text if it is long. */
type ShortTextRow = OrderKey & { id: number; className: string; json: string | null };

/** Rows are read as arrays: as an object, one costs three times as much. */
type TextColumns<Json> = [id: number, iri: string, pid: string, className: string, json: Json];

const KEYS = 't.id, t.iri, t.sort_key, t.class_name';
const TEXT_ROW = `${KEYS}, t.object`;
/** The same, without the texts of long records: SQLite takes their sizes without reading them. */
const SHORT_TEXT_ROW = `${KEYS}, CASE WHEN octet_length(t.object) <= ${LONG_RECORD} THEN t.object END`;

/** Whether the pattern selects the long record of an id. */
export type LongMatch = (id: number) => Promise<boolean>;

/** The signature of a record in a revision of it. */
type LongText = { readonly id: number; readonly revision: number; readonly signature: SignatureBuilder };

/** The same, made in another thread. */
type SignedText = {
  readonly id: number;
  readonly revision: number;
  readonly json: string;
  readonly signature?: Uint8Array;
};

export class TextIndex {
  readonly #database: DatabaseSync;
  readonly #sql: (sql: string) => StatementSync;
  readonly #arrays: (sql: string) => StatementSync;
  readonly #memory: Memory;
  readonly #signsElsewhere: boolean;
  #frequencies: TrigramFrequencies | undefined;
  /** The signature that is being made here. */
  #long: LongText | undefined;
  /** The signature that is to be made elsewhere, or was. */
  #signed: SignedText | undefined;

  /** @param signsElsewhere the caller makes the signatures of very long records, see {@link toSign} */
  constructor(database: DatabaseSync, memory = new Memory(), signsElsewhere = false) {
    this.#database = database;
    this.#memory = memory;
    this.#signsElsewhere = signsElsewhere;
    this.#sql = statements(database);
    this.#arrays = arrayStatements(database);
  }

  /** The very long record whose signature is needed before the index can {@link advance}. */
  get toSign(): string | undefined {
    return this.#signed?.signature ? undefined : this.#signed?.json;
  }

  /** The signature of the record that {@link toSign} has. */
  sign(signature: Uint8Array): void {
    if (this.#signed) this.#signed = { ...this.#signed, json: '', signature };
  }

  /** Whether the text and the numbers of every record are in the index. */
  get complete(): boolean {
    return this.#lastRevision() <= this.revision && this.#hasNumbers();
  }

  /** How many revisions the index is behind. */
  get missing(): number {
    return this.#lastRevision() - this.revision;
  }

  /** Up to which revision every record's text is in the index. */
  get revision(): number {
    return this.#meta('folded_revision');
  }

  /** The ids of the records of the classes that a pattern selects, in order. */
  async search(
    pattern: Pattern,
    classes: ClassSet,
    matchLong: LongMatch = async (id) => pattern.matchesRecord(this.#jsonOf(id)),
  ): Promise<number[]> {
    const set = classes && new Set(classes);
    const found: (OrderKey & { id: number })[] = [];
    const seen = new Set<number>();
    const long: ShortTextRow[] = [];
    const look = (row: ShortTextRow) => {
      if (seen.has(row.id)) return;
      seen.add(row.id);
      if (set && !set.has(row.className)) return;
      if (row.json === null) long.push(row);
      else if (pattern.matchesRecord(row.json)) found.push({ pid: row.pid, iri: row.iri, id: row.id });
    };
    const strings = pattern.runs.map(fold);
    const { indexed, terms, few } = this.#look(strings);
    if (few || terms.length > 0) {
      const byId = this.#arrays(`SELECT ${SHORT_TEXT_ROW} FROM thing t WHERE t.id = ?`);
      let turn = performance.now();
      for await (const ids of this.#candidates(terms, strings, few)) {
        for (const id of ids) {
          const row = byId.get(id) as unknown as TextColumns<string | null> | undefined;
          if (row) look(toTextRow(row));
          if (performance.now() - turn < INDEX_SLICE_MS) continue;
          await nextTurn();
          turn = performance.now();
        }
      }
    }
    for (let after: number | undefined = indexed; after !== undefined; ) {
      after = this.#lookAtChanged(after, look);
      if (after !== undefined) await nextTurn();
    }
    for (const { pid, iri, id } of long) if (await matchLong(id)) found.push({ pid, iri, id });
    return (await sortInTurns(found, compareKeys)).map(({ id }) => id);
  }

  /**
   * The ids of records among which are all that have each of these folded strings in a value; undefined if they are too
   * many, or if the index does not know.
   */
  async having(strings: readonly string[]): Promise<ReadonlySet<number> | undefined> {
    const { indexed, terms, few } = this.#look(strings);
    if (!few && terms.length === 0) return undefined;
    const found = new Set<number>();
    for await (const ids of this.#candidates(terms, strings, few)) {
      for (const id of ids) found.add(id);
      if (found.size > MOST_CANDIDATES) return undefined;
    }
    const changed = this.#arrays(
      `SELECT e.revision, t.id FROM accession_entry e CROSS JOIN thing t ON t.iri = e.iri
       WHERE e.revision > ? ORDER BY e.revision ${LIMIT}`,
    );
    for (let after = indexed; ; await nextTurn()) {
      const some = changed.all(after, IDS_AT_ONCE) as unknown as [revision: number, id: number][];
      for (const [, id] of some) found.add(id);
      if (found.size > MOST_CANDIDATES) return undefined;
      if (some.length < IDS_AT_ONCE) return found;
      after = some.at(-1)![0];
    }
  }

  /** What the index can be asked for to find strings, or its answer, and up to which revision it is complete. */
  #look(strings: readonly string[]): { indexed: number; terms: Term[]; few?: readonly number[] | undefined } {
    const indexed = strings.length > 0 && this.#exists() ? this.revision : 0;
    if (indexed === 0) return { indexed, terms: [] };
    const few = this.#fewWithNumber(strings);
    if (few) return { indexed, terms: [], few };
    this.#frequencies ??= new TrigramFrequencies(this.#database, this.#memory);
    const terms = termsOf(strings, indexed, this.#frequencies);
    return terms.length > 0 ? { indexed, terms } : { indexed: 0, terms };
  }

  /** The ids of the records that may have the number in some strings, if these are few: that is cheaper than any trigram. */
  #fewWithNumber(strings: readonly string[]): number[] | undefined {
    const gram = numberGram(strings);
    if (gram === undefined || !this.#hasNumbers()) return undefined;
    const rows = this.#arrays(
      `SELECT rowid FROM accession_folded WHERE accession_folded MATCH ? ${LIMIT}`,
    ).all(`"${gram}"`, FEW_RECORDS + 1) as unknown as [id: number][];
    return rows.length > FEW_RECORDS ? undefined : rows.map(([id]) => id);
  }

  /**
   * Takes the next changed records into the index, for about as long as given.
   *
   * @returns whether it is complete now.
   */
  advance(milliseconds: number): boolean {
    const end = performance.now() + milliseconds;
    this.layTables();
    if (this.#long && !this.#long.signature.advance(end)) return false;
    return relaxedTransaction(this.#database, () => this.#advanceUntil(end) && this.#addNumbersUntil(end));
  }

  #advanceUntil(end: number): boolean {
    let revision = this.revision;
    let complete = true;
    for (const { revision: changed, row } of this.#changedSince<string>(revision, TEXT_ROW)) {
      if (row && !this.#takeIn({ ...row, revision: changed })) {
        complete = false;
        break;
      }
      revision = changed;
      if (performance.now() > end) {
        complete = false;
        break;
      }
    }
    if (complete) revision = this.#lastRevision();
    this.#sql(`UPDATE accession_meta SET value = ? WHERE name = 'folded_revision'`).run(revision);
    return complete;
  }

  /** Adds the numbers of records that an earlier release has indexed, by rows. @returns whether nothing is left */
  #addNumbersUntil(end: number): boolean {
    if (this.#hasNumbers()) return true;
    const from = this.#meta('folded_numbers');
    if (from === 0) this.#database.exec(MERGES);
    const rows = this.#arrays(
      `SELECT id, CASE WHEN octet_length(object) <= ${LONG_RECORD} THEN object END FROM thing WHERE id > ? ORDER BY id`,
    ).iterate(from) as unknown as Iterable<[id: number, json: string | null]>;
    let last = ALL;
    for (const [id, json] of rows) {
      const numbers = json && json.length <= LONGEST_FOR_TABLE ? numberText(foldedText(json)) : '';
      // An index without contents adds these to what it has of the row.
      if (numbers !== '')
        this.#sql('INSERT INTO accession_folded (rowid, value) VALUES (?, ?)').run(id, numbers);
      if (performance.now() <= end) continue;
      last = id;
      break;
    }
    this.#sql(`INSERT OR REPLACE INTO accession_meta VALUES ('folded_numbers', ?)`).run(last);
    return last === ALL;
  }

  /** Takes one record in. Returns false if its signature has to be made first. */
  #takeIn({ id, revision, json }: ChangedRow): boolean {
    const isLong = json.length > LONGEST_FOR_TABLE;
    const isThis = (one: LongText | SignedText | undefined) => one?.id === id && one.revision === revision;
    if (!isThis(this.#signed)) this.#signed = undefined;
    if (this.#signsElsewhere && json.length > LONG_RECORD) {
      this.#signed ??= { id, revision, json };
      if (!this.#signed.signature) return false;
    } else if (isLong && !isThis(this.#long)) {
      this.#long = { id, revision, signature: new SignatureBuilder(indexedValues(json)) };
      return false;
    }
    // The trigrams of former texts stay in the table: to remove them would cost several times as much as to add the new ones,
    // and the caller decides about candidates.
    this.#sql('DELETE FROM accession_long_folded WHERE thing = ?').run(id);
    if (isLong) {
      const bytes = this.#signed?.signature ?? this.#long!.signature.bytes;
      this.#sql('INSERT INTO accession_long_folded (thing, signature) VALUES (?, ?)').run(id, bytes);
      this.#long = undefined;
      this.#signed = undefined;
    } else {
      this.#sql('INSERT INTO accession_folded (rowid, value) VALUES (?, ?)').run(id, indexedText(json));
    }
    return true;
  }

  /** Looks at changed records for a slice of time. Returns after which revision to go on; undefined at the end. */
  #lookAtChanged(revision: number, look: (row: ShortTextRow) => void): number | undefined {
    const end = performance.now() + INDEX_SLICE_MS;
    for (const { revision: changed, row } of this.#changedSince<string | null>(revision, SHORT_TEXT_ROW)) {
      if (row) look(row);
      if (performance.now() > end) return changed;
    }
    return undefined;
  }

  /** The ids of the records that the index offers. The table is asked for some terms alone, if it has not answered before. */
  async *#candidates(
    terms: readonly Term[],
    strings: readonly string[],
    few: readonly number[] | undefined,
  ): AsyncGenerator<readonly number[]> {
    if (few) yield few;
    const query = few ? undefined : matchQuery(terms);
    const rows = this.#arrays(
      `SELECT rowid FROM accession_folded WHERE accession_folded MATCH ? AND rowid > ? ${LIMIT}`,
    );
    for (let after = 0; query !== undefined; await nextTurn()) {
      const some = rows.all(query, after, IDS_AT_ONCE) as unknown as [id: number][];
      yield some.map(([id]) => id);
      if (some.length < IDS_AT_ONCE) break;
      after = some.at(-1)![0];
    }
    const trigrams = trigramsOf(strings);
    const signatures = this.#sql(
      `SELECT thing AS id, signature FROM accession_long_folded WHERE thing > ? ORDER BY thing ${LIMIT}`,
    );
    for (let after = 0; ; await nextTurn()) {
      const some = signatures.all(after, INDEXED_AT_ONCE) as { id: number; signature: Uint8Array }[];
      yield some.filter(({ signature }) => mayHave(signature, trigrams)).map(({ id }) => id);
      if (some.length < INDEXED_AT_ONCE) return;
      after = some.at(-1)!.id;
    }
  }

  /**
   * Changed records, oldest change first, one by one: they may be large. Revisions that have no record come without one, so
   * that the caller can stop among many of them.
   */
  *#changedSince<Json>(revision: number, columns: string): Generator<Changed<Json>> {
    const rows = this.#arrays(
      `SELECT ${columns}, e.revision FROM accession_entry e LEFT JOIN thing t ON t.iri = e.iri AND ${IS_NEWEST}
       WHERE e.revision > ? ORDER BY e.revision`,
    ).iterate(revision) as unknown as Iterable<[...(TextColumns<Json> | [null]), revision: number]>;
    for (const columns of rows) {
      const changed = columns.at(-1) as number;
      yield columns[0] === null
        ? { revision: changed }
        : { revision: changed, row: toTextRow(columns.slice(0, -1) as TextColumns<Json>) };
    }
  }

  #jsonOf(id: number): string {
    const row = this.#sql('SELECT object AS json FROM thing WHERE id = ?').get(id);
    return (row?.json as string | undefined) ?? 'null';
  }

  #lastRevision(): number {
    return lastRevision(this.#sql);
  }

  #hasNumbers(): boolean {
    return this.#meta('folded_numbers') === ALL;
  }

  #meta(name: string): number {
    const row = this.#sql('SELECT value FROM accession_meta WHERE name = ?').get(name);
    return (row?.value as number | undefined) ?? 0;
  }

  #exists(): boolean {
    const sql = `SELECT count(*) AS n FROM sqlite_master WHERE name IN ('accession_folded', 'accession_long_folded')`;
    return (this.#sql(sql).get() as { n: number }).n === 2;
  }

  /** Makes the tables of the index that are missing. */
  layTables(): void {
    if (this.#exists()) return;
    transaction(this.#database, () => {
      const text = this.#sql(`SELECT 1 FROM sqlite_master WHERE name = 'accession_folded'`).get();
      this.#database.exec((text ? '' : `${TABLE}${MERGES};`) + LONG_TABLE);
    });
  }
}

function toTextRow<Json>([id, iri, pid, className, json]: TextColumns<Json>) {
  return { id, iri, pid, className, json };
}

/** What the index has of a record: its strings and numbers. */
export const indexedValues = (json: string) => scalarsIn(parseJson(json));

/**
 * SQLite ends a string at NUL, so NUL is replaced by a line break; the border between two values is one, too. The end
 * has two, so that a trigram begins with each character.
 */
function indexedText(json: string): string {
  const folded = foldedText(json);
  return `${folded}\n\n${numberText(folded)}`.replaceAll('\0', '\n');
}

const foldedText = (json: string) => fold(indexedValues(json).join('\n'));
