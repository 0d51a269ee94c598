/**
 * The records that a query of words finds, best first: those that have every word in their title and identifiers, then the others,
 * each by the rank of the database. Of these groups, the records come first that the index does not have as they are. Ranks depend on
 * all records: for callers from whom policies may hide some, both groups are in the order of pids.
 */
import { First } from '../ordering.ts';
import { IdSet } from '../storage/id-set.ts';
import type { Within } from '../storage/search/word-dialect.ts';
import type { Standing, WordQuery } from '../storage/search/word-query.ts';
import type {
  ListedRecord,
  RankedId,
  RecordKey,
  StoredRecord,
  WordReads,
  WordSelection,
} from '../storage/store.ts';
import { compareKeys } from '../storage/store.ts';
import type { YieldIfDue } from '../yield.ts';

/** The index of an area, and the records of it that a zone over it hides. */
export type Layer = { readonly words: WordReads; readonly hidden: readonly string[] };

export type WordSearch = {
  readonly query: WordQuery;
  /** Of the index. */
  readonly version: string;
  readonly classes: readonly string[] | undefined;
  /** Judges a record as the index does. */
  judge(record: StoredRecord): Standing | undefined | Promise<Standing | undefined>;
  readonly yieldIfDue: YieldIfDue;
};

/** The records that a query finds. */
export type FoundWords = {
  /** Whether the index has all records in its version: else, the search may soon find others, or in another order. */
  readonly isCurrent: boolean;
  /** A range of them, and how many there are. */
  page(offset: number, limit: number): Promise<FoundRange>;
  /** The numbers of all of them. */
  ids(): Promise<IdSet>;
  /** The numbers of the first ones that satisfy a condition. */
  best(end: number, isIn: IsIn): Promise<number[]>;
};

/** Some records, and how many are found. */
export type FoundRange = { readonly total: number; readonly records: readonly ListedRecord[] };

/** A record in the index of a layer. */
type Hit = RankedId & { readonly layer: number };

/** One that is not in it as it is. */
type Unindexed = StoredRecord & { readonly id: number };

/** The first records of a group, in order, and how many it has, unless the others have not been looked for. */
type Group = { readonly first: readonly (Unindexed | Hit)[]; readonly total: number | undefined };

type IsIn = (id: number) => boolean;

/** @returns undefined if an index is so far behind that the records have to be read instead */
export async function findWords(
  layers: readonly Layer[],
  search: WordSearch,
): Promise<FoundWords | undefined> {
  const { version, classes, judge, yieldIfDue } = search;
  const selections: WordSelection[] = [];
  let isCurrent = true;
  const unindexed: Record<Standing, Unindexed[]> = { head: [], body: [] };
  for (const { words, hidden } of layers) {
    const missing = await words.missing(version);
    if (!missing) return undefined;
    isCurrent &&= missing.isCurrent;
    const isHidden = new Set(hidden);
    const filter = await words.filter(classes);
    for await (const record of words.records(missing.ids, filter)) {
      await yieldIfDue();
      const standing = isHidden.has(record.iri) ? undefined : await judge(record);
      if (standing) unindexed[standing].push(record);
    }
    selections.push({
      filter,
      most: missing.most,
      without: [...missing.ids, ...(await words.idsUnder(hidden))],
    });
  }
  unindexed.head.sort(compareKeys);
  unindexed.body.sort(compareKeys);
  return new Found(layers, search, { selections, unindexed, isCurrent });
}

class Found implements FoundWords {
  readonly isCurrent: boolean;
  readonly #layers: readonly Layer[];
  readonly #query: WordQuery;
  readonly #yieldIfDue: YieldIfDue;
  readonly #selections: readonly WordSelection[];
  readonly #unindexed: Readonly<Record<Standing, readonly Unindexed[]>>;

  constructor(
    layers: readonly Layer[],
    { query, yieldIfDue }: WordSearch,
    state: {
      readonly selections: readonly WordSelection[];
      readonly unindexed: Readonly<Record<Standing, readonly Unindexed[]>>;
      readonly isCurrent: boolean;
    },
  ) {
    this.#layers = layers;
    this.#query = query;
    this.#yieldIfDue = yieldIfDue;
    this.#selections = state.selections;
    this.#unindexed = state.unindexed;
    this.isCurrent = state.isCurrent;
  }

  async page(offset: number, limit: number): Promise<FoundRange> {
    const { total, order } = await this.#range(offset, offset + limit);
    return { total: total ?? (await this.#count()), records: await this.#recordsOf(order) };
  }

  async ids(): Promise<IdSet> {
    const { head, body } = this.#unindexed;
    const unindexed = new IdSet([...head, ...body].map(({ id }) => id));
    const found = await this.#each((words, selection) =>
      words.find(this.#query, 'record', selection, this.#yieldIfDue),
    );
    return found.reduce((all, some) => all.with(some), unindexed);
  }

  async best(end: number, isIn: IsIn): Promise<number[]> {
    return (await this.#range(0, end, isIn)).order.map(({ id }) => id);
  }

  /** The records in a range, of those that satisfy a condition, and how many all are, unless some have not been looked for. */
  async #range(
    from: number,
    end: number,
    isIn?: IsIn,
  ): Promise<{ total: number | undefined; order: readonly (Unindexed | Hit)[] }> {
    const isRestricted = this.#layers.some(({ words }) => words.isRestricted);
    const group = (within: Within, unindexed: readonly Unindexed[]) => {
      const others = isIn ? unindexed.filter(({ id }) => isIn(id)) : unindexed;
      return isRestricted ? this.#byKey(within, others, end, isIn) : this.#byRank(within, others, end, isIn);
    };
    const { head, body } = this.#unindexed;
    const heads = this.#query.groups.length === 0 ? [] : (await group('head', head)).first;
    if (heads.length >= end) return { total: undefined, order: heads.slice(from) };
    // The heads of the index are among them.
    const all = await group('record', body);
    const inHead = new Set(heads.map(({ id }) => id));
    return {
      total: isIn || all.total === undefined ? undefined : head.length + all.total,
      order: [...heads, ...all.first.filter(({ id }) => !inHead.has(id))].slice(from, end),
    };
  }

  /** The first records of a group by their ranks. */
  async #byRank(
    within: Within,
    others: readonly Unindexed[],
    most: number,
    isIn: IsIn | undefined,
  ): Promise<Group> {
    const first = new First<Hit>(most, (a, b) => a.rank - b.rank || a.layer - b.layer || a.id - b.id);
    const totals = await this.#each(async (words, selection, layer) => {
      const options = { most, isIn };
      const { best, total } = await words.ranked(this.#query, within, selection, options, this.#yieldIfDue);
      for (const { id, rank } of best) first.add({ layer, id, rank });
      return total;
    });
    return {
      first: [...others, ...(await first.sorted(this.#yieldIfDue))].slice(0, most),
      total: totals.every((total) => total !== undefined) ? others.length + sum(totals) : undefined,
    };
  }

  /** The first records of a group by their pids. */
  async #byKey(
    within: Within,
    others: readonly Unindexed[],
    most: number,
    isIn: IsIn | undefined,
  ): Promise<Group> {
    const first = new First<(Unindexed | Hit) & RecordKey>(most, compareKeys);
    for (const record of others) first.add(record);
    const totals = await this.#each(async (words, selection, layer) => {
      let total = 0;
      const found = await words.find(this.#query, within, selection, this.#yieldIfDue);
      for await (const { id, pid, iri, className } of words.keys(found, selection.filter)) {
        await this.#yieldIfDue();
        if (isIn?.(id) === false) continue;
        total += 1;
        first.add({ layer, id, rank: 0, pid, iri, className });
      }
      return total;
    });
    return { first: await first.sorted(this.#yieldIfDue), total: others.length + sum(totals) };
  }

  async #count(): Promise<number> {
    const { head, body } = this.#unindexed;
    const counts = await this.#each((words, selection) =>
      words.count(this.#query, selection, this.#yieldIfDue),
    );
    return head.length + body.length + sum(counts);
  }

  /** One after the other: the connection of a snapshot takes one statement at a time. */
  async #each<T>(
    read: (words: WordReads, selection: WordSelection, layer: number) => Promise<T>,
  ): Promise<T[]> {
    const results: T[] = [];
    for (const [layer, { words }] of this.#layers.entries())
      results.push(await read(words, this.#selections[layer]!, layer));
    return results;
  }

  /** Some may have been deleted since they were found. */
  async #recordsOf(order: readonly (Unindexed | Hit)[]): Promise<ListedRecord[]> {
    const found = await this.#each(async (words, { filter }, layer) => {
      const ids = order.flatMap((one) => ('layer' in one && one.layer === layer ? one.id : []));
      const records = new Map<number, ListedRecord>();
      for await (const { id, ...record } of words.records(ids, filter)) records.set(id, record);
      return records;
    });
    return order.flatMap((one) => ('layer' in one ? (found[one.layer]!.get(one.id) ?? []) : one));
  }
}

const sum = (numbers: readonly number[]) => numbers.reduce((all, one) => all + one, 0);
