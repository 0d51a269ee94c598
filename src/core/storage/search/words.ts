/** Reads of the index of words of an area. */

import { First } from '../../ordering.ts';
import type { YieldIfDue } from '../../yield.ts';
import { progressIn } from '../cursors.ts';
import type { Database } from '../database.ts';
import { type NumberList, numbersIn, type Value } from '../dialect.ts';
import { IdSet } from '../id-set.ts';
import { idsUnder, keysById, recordsById } from '../read/records.ts';
import type {
  AreaId,
  RankedId,
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

  async *keys(ids: Iterable<number>, filter: RowFilter): AsyncGenerator<RecordKey & { readonly id: number }> {
    for (const some of partsOf(ids, KEYS_AT_ONCE))
      yield* await keysById(this.#database, some, this.#area, filter);
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
    within: Within,
    selection: WordSelection,
    yieldIfDue: YieldIfDue,
  ): Promise<IdSet> {
    const found = new IdSet();
    for await (const [row] of this.#select(query, within, selection, 'list')) {
      for (const doc of numbersIn(row![2] as NumberList)) found.add(recordOfDoc(doc));
      await yieldIfDue();
    }
    return found;
  }

  async ranked(
    query: WordQuery,
    within: Within,
    selection: WordSelection,
    { most, isIn }: { readonly most: number; readonly isIn?: ((id: number) => boolean) | undefined },
    yieldIfDue: YieldIfDue,
  ): Promise<{ readonly best: readonly RankedId[]; readonly total: number | undefined }> {
    const best = new First<RankedId>(most, (a, b) => a.rank - b.rank || a.id - b.id);
    const wanted = isIn ? Number.POSITIVE_INFINITY : most;
    let total = 0;
    const add = (doc: number, rank: number) => {
      const id = recordOfDoc(doc);
      if (isIn?.(id) === false) return;
      total += 1;
      best.add({ id, rank });
    };
    for await (const rows of this.#select(query, within, selection, 'ranks', wanted)) {
      for (const [doc, rank, selected] of rows)
        if (selected === 1) add(doc, rank);
        else if (selected !== 0) for (const one of numbersIn(selected as NumberList)) add(one, 0);
      await yieldIfDue();
    }
    const isAll = this.#database.dialect.words.atOnce !== undefined || total < wanted;
    return { best: best.items, total: isAll ? total : undefined };
  }

  /**
   * The documents that meet a query, some at a time: with their ranks (those behind the last one with a rank as a list), as a list, or how
   * many they are.
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
    };
    const rank = as === 'ranks' ? words.rank(query, parameter) : '0';
    const best =
      words.atOnce || wanted === Number.POSITIVE_INFINITY
        ? ''
        : `WHERE ${doc} IS NOT NULL ORDER BY f.rank, f.doc LIMIT CAST($${parameter(wanted)} AS BIGINT)`;
    const { counted, ranked, most } = words.atOnce ?? EVERYTHING;
    const statement = (hasRanks: boolean, limit: number) =>
      `SELECT ${columns[!hasRanks && as === 'ranks' ? 'list' : as]} FROM (
         SELECT ${words.doc} AS doc, ${hasRanks ? rank : '0'} AS rank FROM accession_word WHERE ${isMet} AND ${condition}
         ${limit === Number.POSITIVE_INFINITY ? '' : `ORDER BY ${words.doc} LIMIT ${limit}`}
       ) f ${join} ${best}`;
    const end = docOf({ id: this.#area.id + 1 });
    let from = docOf(this.#area);
    for (let found = 0; ; ) {
      const hasRanks = as === 'ranks' && found < most;
      const limit = hasRanks ? ranked : counted;
      const rows = await this.#database.tuples<MatchRow>(statement(hasRanks, limit), [from, end, ...others]);
      const [last, number] = hasRanks ? [rows.at(-1)?.[0], rows.length] : rows[0]!;
      yield rows;
      if (number < limit) return;
      found += number;
      from = last! + 1;
    }
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

function* partsOf(ids: Iterable<number>, size: number): Generator<number[]> {
  let part: number[] = [];
  for (const id of ids) {
    part.push(id);
    if (part.length < size) continue;
    yield part;
    part = [];
  }
  if (part.length > 0) yield part;
}

const EVERYTHING = {
  counted: Number.POSITIVE_INFINITY,
  ranked: Number.POSITIVE_INFINITY,
  most: Number.POSITIVE_INFINITY,
};

/** A document, its rank, and whether it is selected; else the last document, how many there are, and which or how many are selected. */
type MatchRow = [doc: number, rank: number, selected: number | NumberList];
