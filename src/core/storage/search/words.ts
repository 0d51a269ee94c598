/** Reads of the index of words of an area. */
import type { YieldIfDue } from '../../yield.ts';
import { progressIn } from '../cursors.ts';
import type { Database } from '../database.ts';
import { type NumberList, numbersIn, type Value } from '../dialect.ts';
import type { IdSet } from '../id-set.ts';
import { idsUnder, keysById, recordsById } from '../read/records.ts';
import type {
  AreaId,
  Ranked,
  RecordKey,
  RowFilter,
  StoredRecord,
  WordReads,
  WordSelection,
} from '../store.ts';
import type { Visibility } from '../visibility.ts';
import { idsInParts, NOT_INDEXED, TOO_LONG } from './search.ts';
import type { Within } from './word-dialect.ts';
import { docOf, FORMER_INDEX, recordOfDoc, WORD_INDEX } from './word-index.ts';
import type { WordQuery } from './word-query.ts';

/** With more changes that the index has not followed, a search does not read them beside it. */
const MOST_BEHIND = 1000;
const KEYS_AT_ONCE = 1000;
/** The words of so many documents are read rather than those of all areas that have a common word. */
const FEW_DOCUMENTS = 5000;

export class Words implements WordReads {
  readonly #database: Database;
  readonly #area: AreaId;
  readonly #visibility: Visibility | undefined;
  readonly filter: WordReads['filter'];

  constructor(
    database: Database,
    area: AreaId,
    visibility: Visibility | undefined,
    filter: WordReads['filter'],
  ) {
    this.#database = database;
    this.#area = area;
    this.#visibility = visibility;
    this.filter = filter;
  }

  async missing(version: string): Promise<{ ids: number[]; most: number; isCurrent: boolean } | undefined> {
    const { id: area } = this.#area;
    const { revision, cursors } = await progressIn(this.#database, area, [WORD_INDEX, FORMER_INDEX]);
    const reached = Math.max(0, ...[...cursors.values()].map(([at]) => at));
    if (revision - reached > MOST_BEHIND) return undefined;
    const sources: [select: string, behind: number][] = [[TOO_LONG, 0]];
    if (revision > reached) sources.push([NOT_INDEXED, reached]);
    const ids = new Set<number>();
    for (const [select, behind] of sources)
      for await (const some of idsInParts(this.#database, select, [area], behind, Number.POSITIVE_INFINITY))
        for (const id of some) ids.add(id);
    const [present, ofVersion] = cursors.get(WORD_INDEX) ?? [reached, version];
    const isCurrent = revision <= reached && ofVersion === version && present === reached;
    return { ids: [...ids], most: revision, isCurrent };
  }

  async *records(
    ids: readonly number[],
    filter: RowFilter,
  ): AsyncGenerator<StoredRecord & { readonly id: number }> {
    yield* recordsById(this.#database, ids, this.#visibility, this.#area, filter);
  }

  get isRestricted(): boolean {
    return this.#visibility !== undefined;
  }

  async keys(
    ids: Float64Array,
    filter: RowFilter,
    yieldIfDue: YieldIfDue,
  ): Promise<(RecordKey & { readonly id: number })[]> {
    const keys: (RecordKey & { readonly id: number })[] = [];
    for (let from = 0; from < ids.length; from += KEYS_AT_ONCE) {
      const some = [...ids.subarray(from, from + KEYS_AT_ONCE)];
      for (const { id, pid, iri, className } of await keysById(this.#database, some, this.#area, filter))
        keys.push({ id, pid, iri, className });
      await yieldIfDue();
    }
    return keys;
  }

  async idsUnder(iris: readonly string[]): Promise<number[]> {
    if (iris.length === 0) return [];
    return (await idsUnder(this.#database, this.#area, iris)).map(({ id }) => id);
  }

  async count(query: WordQuery, selection: WordSelection, yieldIfDue: YieldIfDue): Promise<number> {
    let total = 0;
    for await (const [row] of this.#select(query, 'record', selection, 'count')) {
      total += row![2] as number;
      await yieldIfDue();
    }
    return total;
  }

  async find(
    query: WordQuery,
    selection: WordSelection,
    found: IdSet,
    yieldIfDue: YieldIfDue,
  ): Promise<void> {
    for await (const [row] of this.#select(query, 'record', selection, 'list')) {
      for (const doc of numbersIn(row![2] as NumberList)) found.add(recordOfDoc(doc));
      await yieldIfDue();
    }
  }

  async ranked(
    query: WordQuery,
    within: Within,
    selection: WordSelection,
    most: number,
    yieldIfDue: YieldIfDue,
  ): Promise<Ranked> {
    const ids: number[] = [];
    const ranks: number[] = [];
    for await (const rows of this.#select(query, within, selection, 'ranks', most)) {
      for (const [doc, rank, isSelected] of rows) {
        if (!isSelected) continue;
        ids.push(recordOfDoc(doc));
        ranks.push(rank);
      }
      await yieldIfDue();
    }
    const isAll = this.#database.dialect.words.atOnce !== undefined || ids.length < most;
    return { ids: Float64Array.from(ids), ranks: Float64Array.from(ranks), isAll };
  }

  /**
   * The documents that meet a query, some at a time: with their ranks, as a list, or how many they are.
   *
   * @param wanted with their ranks, the best ones are enough: so many
   */
  async *#select(
    query: WordQuery,
    within: Within,
    selection: WordSelection,
    as: 'ranks' | 'list' | 'count',
    wanted = Number.POSITIVE_INFINITY,
  ): AsyncGenerator<MatchRow[]> {
    const { words, list } = this.#database.dialect;
    const others: Value[] = [];
    const parameter = (value: Value) => others.push(value) + 2;
    const isMet = words.matches(query, within, parameter);
    const { condition, join, doc } = this.#selected(selection, parameter);
    const columns = {
      ranks: `f.doc, f.rank, CASE WHEN ${doc} IS NULL THEN 0 ELSE 1 END`,
      list: `max(f.doc), count(*), ${list(doc)} FILTER (WHERE ${doc} IS NOT NULL)`,
      count: `max(f.doc), count(*), count(${doc})`,
    }[as];
    const isByRank = as === 'ranks' && !this.isRestricted;
    const rankOfRow = isByRank ? words.rank(query, parameter) : '0';
    const { counted, ranked, most } = words.atOnce ?? EVERYTHING;
    const ordered = as === 'ranks' && !words.atOnce ? this.#order(doc, wanted, parameter) : '';
    const statement = (rank: string, limit: number) =>
      `SELECT ${columns} FROM (
         SELECT ${words.doc} AS doc, ${rank} AS rank FROM accession_word WHERE ${isMet} AND ${condition}
         ${limit === Number.POSITIVE_INFINITY ? '' : `ORDER BY ${words.doc} LIMIT ${limit}`}
       ) f ${join} ${ordered}`;
    const end = docOf({ id: this.#area.id + 1 });
    let from = docOf(this.#area);
    for (let found = 0; ; ) {
      const hasRank = isByRank && found < most;
      const limit = hasRank ? ranked : counted;
      const sql = statement(hasRank ? rankOfRow : '0', limit);
      const rows = await this.#database.tuples<MatchRow>(sql, [from, end, ...others]);
      const [last, number] = as === 'ranks' ? [rows.at(-1)?.[0], rows.length] : rows[0]!;
      yield rows;
      if (number < limit) return;
      found += number;
      from = last! + 1;
    }
  }

  /** The order of documents that are read in one statement: the best ones, or all. */
  #order(doc: string, wanted: number, parameter: (value: Value) => number): string {
    // The sign keeps the planner from walking the table in this order.
    if (wanted === Number.POSITIVE_INFINITY) return 'ORDER BY +f.doc';
    return `WHERE ${doc} IS NOT NULL ORDER BY f.rank, f.doc LIMIT CAST($${parameter(wanted)} AS BIGINT)`;
  }

  /** The condition on documents between $1 and $2 to be those of a selection, or a join, without which `doc` is NULL. */
  #selected(
    { filter: { classes, policies }, without, most }: WordSelection,
    parameter: (value: Value) => number,
  ): { condition: string; join: string; doc: string } {
    const { words, among, values } = this.#database.dialect;
    const ranged = most > FEW_DOCUMENTS ? words.docOfMany : words.doc;
    const conditions = [`${ranged} >= $1`, `${ranged} < $2`];
    if (without.length > 0) {
      const docs = without.map((id) => docOf(this.#area, id));
      conditions.push(`${words.doc} NOT IN ${values(parameter(docs), 'bigint')}`);
    }
    const selects: string[] = [];
    if (classes) selects.push(among('d.class_name', parameter(classes)));
    if (policies) selects.push(among('d.policy', parameter(policies)));
    const join = `LEFT JOIN accession_doc d ON d.doc = f.doc AND ${selects.join(' AND ')}`;
    return {
      condition: conditions.join(' AND '),
      ...(selects.length > 0 ? { join, doc: 'd.doc' } : { join: '', doc: 'f.doc' }),
    };
  }
}

const EVERYTHING = {
  counted: Number.POSITIVE_INFINITY,
  ranked: Number.POSITIVE_INFINITY,
  most: Number.POSITIVE_INFINITY,
};

/** A document, its rank, and whether it is selected; else the last document, how many there are, and which or how many are selected. */
type MatchRow = [doc: number, rank: number, selected: number | NumberList];
