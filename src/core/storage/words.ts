/** Reads of the index of words of an area. */
import type { YieldIfDue } from '../yield.ts';
import type { Database } from './database.ts';
import type { Value } from './dialect.ts';
import { idsUnder, type RowFilter, recordOf, rowsById } from './records.ts';
import { idsInParts, NOT_INDEXED, READ_AT_ONCE, TOO_LONG } from './search.ts';
import type { AreaId, Ranked, StoredRecord, WordReads, WordSelection } from './store.ts';
import type { Visibility } from './visibility.ts';
import type { Within } from './word-dialect.ts';
import { docOf, FORMER_INDEX, recordOfDoc, WORD_INDEX } from './word-index.ts';
import type { WordQuery } from './word-query.ts';

/** With more changes that the index has not followed, a search does not read them beside it. */
const MOST_BEHIND = 1000;

export class Words implements WordReads {
  readonly #database: Database;
  readonly #area: AreaId;
  readonly #visibility: Visibility | undefined;
  readonly #filterOf: (classes: readonly string[] | undefined) => Promise<RowFilter>;

  /** @param filterOf what the caller sees of the classes */
  constructor(
    database: Database,
    area: AreaId,
    visibility: Visibility | undefined,
    filterOf: (classes: readonly string[] | undefined) => Promise<RowFilter>,
  ) {
    this.#database = database;
    this.#area = area;
    this.#visibility = visibility;
    this.#filterOf = filterOf;
  }

  async missing(): Promise<number[] | undefined> {
    const { id: area } = this.#area;
    const [state] = await this.#database.tuples<[revision: number, reached: number | null]>(
      `SELECT a.revision, (SELECT max(c.revision) FROM accession_cursor c WHERE c.area = a.area AND c.name IN ($2, $3))
       FROM accession_area a WHERE a.area = $1`,
      [area, WORD_INDEX, FORMER_INDEX],
    );
    const [revision, reached] = state ?? [0, 0];
    if (revision - (reached ?? 0) > MOST_BEHIND) return undefined;
    const sources: [select: string, behind: number][] = [[TOO_LONG, 0]];
    if (revision > (reached ?? 0)) sources.push([NOT_INDEXED, reached ?? 0]);
    const ids = new Set<number>();
    for (const [select, behind] of sources)
      for await (const some of idsInParts(this.#database, select, [area], behind, Number.POSITIVE_INFINITY))
        for (const id of some) ids.add(id);
    return [...ids];
  }

  async *records(
    ids: readonly number[],
    classes: readonly string[] | undefined,
  ): AsyncGenerator<StoredRecord & { readonly id: number }> {
    const filter = await this.#filterOf(classes);
    for (let from = 0; from < ids.length; from += READ_AT_ONCE) {
      const some = ids.slice(from, from + READ_AT_ONCE);
      for (const row of await rowsById(this.#database, some, this.#area, filter)) {
        // It may have been stored with another policy meanwhile.
        const isSeen = this.#visibility?.sees(row.policy) ?? true;
        const record = isSeen ? await recordOf(this.#database, row) : undefined;
        if (record) yield { ...record, id: row.id };
      }
    }
  }

  async idsUnder(iris: readonly string[]): Promise<number[]> {
    if (iris.length === 0) return [];
    return (await idsUnder(this.#database, this.#area, iris)).map(({ id }) => id);
  }

  async count(query: WordQuery, selection: WordSelection, yieldIfDue: YieldIfDue): Promise<number> {
    let total = 0;
    for await (const [row] of this.#select<[number]>('count(*)', query, 'record', selection)) {
      total += row![0];
      await yieldIfDue();
    }
    return total;
  }

  async ranked(
    query: WordQuery,
    within: Within,
    selection: WordSelection,
    yieldIfDue: YieldIfDue,
  ): Promise<Ranked> {
    const ids: number[] = [];
    const ranks: number[] = [];
    const { rank } = this.#database.dialect.words;
    type Row = [doc: number, rank: number];
    for await (const rows of this.#select<Row>(`d.doc, ${rank}`, query, within, selection)) {
      for (const [doc, ofDoc] of rows) {
        ids.push(recordOfDoc(doc));
        ranks.push(ofDoc);
      }
      await yieldIfDue();
    }
    return { ids: Float64Array.from(ids), ranks: Float64Array.from(ranks) };
  }

  /** Selects of the documents that meet a query, range by range. */
  async *#select<Row extends readonly unknown[]>(
    columns: string,
    query: WordQuery,
    within: Within,
    { classes, without }: WordSelection,
  ): AsyncGenerator<Row[]> {
    const { words, among, values: valuesOf } = this.#database.dialect;
    const filter = await this.#filterOf(classes);
    const [bounds] = await this.#database.tuples<[first: number | null, last: number | null]>(
      `SELECT (SELECT min(doc) FROM accession_doc WHERE doc >= $1 AND doc < $2),
         (SELECT max(doc) FROM accession_doc WHERE doc >= $1 AND doc < $2)`,
      [docOf(this.#area), docOf({ id: this.#area.id + 1 })],
    );
    const [first, last] = bounds!;
    if (first === null || last === null) return;
    const conditions: string[] = [];
    const others: Value[] = [];
    const parameter = (value: Value) => others.push(value) + 3;
    if (filter.classes) conditions.push(among('d.class_name', parameter(filter.classes)));
    if (filter.policies) conditions.push(among('d.policy', parameter(filter.policies)));
    if (without.length > 0) {
      const docs = without.map((id) => docOf(this.#area, id));
      conditions.push(`d.doc NOT IN ${valuesOf(parameter(docs), 'bigint')}`);
    }
    const sql = `SELECT ${columns} FROM ${[words.matches, ...conditions].join(' AND ')}`;
    const sought = words.query(query, within);
    for (let from = first; from <= last; from += words.docsAtOnce)
      yield await this.#database.tuples<Row>(sql, [
        sought,
        from,
        Math.min(from + words.docsAtOnce, last + 1),
        ...others,
      ]);
  }
}
