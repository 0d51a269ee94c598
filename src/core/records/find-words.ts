/**
 * The records that a query of words finds, best first: those that have every word in their title and identifiers, then the others,
 * each by the rank of the database. Of these groups, the records come first that the index does not have as they are. Ranks depend on
 * all records: for callers from whom policies may hide some, both groups are in the order of pids.
 */
import { IdSet } from '../storage/id-set.ts';
import type { Within } from '../storage/search/word-dialect.ts';
import type { Standing, WordQuery } from '../storage/search/word-query.ts';
import type { ListedRecord, Ranked, StoredRecord, WordReads, WordSelection } from '../storage/store.ts';
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
  best(end: number, isIn: (id: number) => boolean): Promise<number[]>;
};

/** Some records, and how many are found. */
export type FoundRange = { readonly total: number; readonly records: readonly ListedRecord[] };

/** A record in the index of a layer. */
type Hit = { readonly layer: number; readonly id: number; readonly rank: number };

/** One that is not in it as it is. */
type Unindexed = StoredRecord & { readonly id: number };

/** @returns undefined if an index is so far behind that the records have to be read instead */
export async function findWords(
  layers: readonly Layer[],
  { query, version, classes, judge, yieldIfDue }: WordSearch,
): Promise<FoundWords | undefined> {
  const selections: WordSelection[] = [];
  let isCurrent = true;
  const beside: Record<Standing, Unindexed[]> = { head: [], body: [] };
  for (const { words, hidden } of layers) {
    const missing = await words.missing(version);
    if (!missing) return undefined;
    isCurrent &&= missing.isCurrent;
    const isHidden = new Set(hidden);
    const filter = await words.filter(classes);
    for await (const record of words.records(missing.ids, filter)) {
      await yieldIfDue();
      const standing = isHidden.has(record.iri) ? undefined : await judge(record);
      if (standing) beside[standing].push(record);
    }
    selections.push({
      filter,
      most: missing.most,
      without: [...missing.ids, ...(await words.idsUnder(hidden))],
    });
  }
  beside.head.sort(compareKeys);
  beside.body.sort(compareKeys);
  /** One after the other: the connection of a snapshot takes one statement at a time. */
  const each = async <T>(
    read: (words: WordReads, selection: WordSelection, layer: number) => Promise<T>,
  ): Promise<T[]> => {
    const results: T[] = [];
    for (const [layer, { words }] of layers.entries())
      results.push(await read(words, selections[layer]!, layer));
    return results;
  };
  const ranked = (within: Within, most: number) =>
    each((words, selection) => words.ranked(query, within, selection, most, yieldIfDue));
  const known = beside.head.length + beside.body.length;
  const isRestricted = layers.some(({ words }) => words.isRestricted);

  /** The records of a group in a range, in order. */
  async function ordered(
    indexed: readonly Ranked[],
    others: readonly Unindexed[],
    from: number,
    end: number,
  ) {
    const known = others.length;
    if (!isRestricted)
      return [
        ...others.slice(from, end),
        ...best(indexed, Math.max(from - known, 0), Math.max(end - known, 0)),
      ];
    const hits = await each(async (words, { filter }, layer) => {
      const ids = indexed[layer]?.ids;
      return ids
        ? (await words.keys(ids, filter, yieldIfDue)).map((key) => ({ ...key, layer, rank: 0 }))
        : [];
    });
    return [...others, ...hits.flat()].sort(compareKeys).slice(from, end);
  }

  /** The records in a range, of those that satisfy a condition, and how many all are, unless some have not been looked for. */
  async function range(
    from: number,
    end: number,
    isIn?: (id: number) => boolean,
  ): Promise<{ total: number | undefined; order: readonly (Unindexed | Hit)[] }> {
    const within = (indexed: Ranked) => (isIn ? those(indexed, isIn) : indexed);
    const among = (records: readonly Unindexed[]) => (isIn ? records.filter(({ id }) => isIn(id)) : records);
    const isPart = !isIn && !isRestricted;
    const found = query.groups.length === 0 ? [] : await ranked('head', isPart ? end : EVERY);
    const inHead = found.map(within);
    const besideHead = among(beside.head);
    const heads = besideHead.length + sum(inHead.map(({ ids }) => ids.length));
    const first = await ordered(inHead, besideHead, from, end);
    if (end <= heads) return { total: undefined, order: first };
    // The heads are among them.
    const all = await ranked('record', isPart ? end + heads : EVERY);
    const others = all.map((one, layer) => within(without(one, found[layer]?.ids)));
    const second = await ordered(others, among(beside.body), Math.max(from - heads, 0), end - heads);
    const total = all.every(({ isAll }) => isAll) ? known + sum(all.map(({ ids }) => ids.length)) : undefined;
    return { total, order: [...first, ...second] };
  }

  return {
    isCurrent,
    async page(offset, limit) {
      const { total, order } = await range(offset, offset + limit);
      const count = async () =>
        known + sum(await each((words, selection) => words.count(query, selection, yieldIfDue)));
      return {
        total: total ?? (await count()),
        records: await recordsOf(layers, selections, order),
      };
    },
    async ids() {
      const found = new IdSet([...beside.head, ...beside.body].map(({ id }) => id));
      await each((words, selection) => words.find(query, selection, found, yieldIfDue));
      return found;
    },
    async best(end, isIn) {
      return (await range(0, end, isIn)).order.map(({ id }) => id);
    },
  };
}

const EVERY = Number.POSITIVE_INFINITY;
const sum = (numbers: readonly number[]) => numbers.reduce((all, one) => all + one, 0);

/** The hits of all layers in a range, in order. Of equal ranks, those of the first layer come first, and in it those stored first. */
function best(layers: readonly Ranked[], from: number, end: number): Hit[] {
  const ranks =
    layers.length === 1
      ? layers[0]!.ranks.slice()
      : Float64Array.from(layers.flatMap(({ ranks }) => [...ranks]));
  const to = Math.min(end, ranks.length);
  if (from >= to) return [];
  const [first, last] = [ranks.sort()[from]!, ranks[to - 1]!];
  // A query without a word to look for gives all records the same rank: no more of them are made hits than the range has.
  let before = from - ranks.indexOf(first);
  let left = to - ranks.indexOf(last);
  const hits: Hit[] = [];
  for (const [layer, found] of layers.entries())
    for (const [at, rank] of found.ranks.entries()) {
      if (rank < first || rank > last) continue;
      if (rank === last && left-- <= 0) continue;
      if (rank === first && before-- > 0) continue;
      hits.push({ layer, id: found.ids[at]!, rank });
    }
  return hits.sort((a, b) => a.rank - b.rank || a.layer - b.layer || a.id - b.id);
}

/** Those whose ids satisfy a condition. */
function those({ ids, ranks, isAll }: Ranked, isIn: (id: number) => boolean): Ranked {
  return { ids: ids.filter(isIn), ranks: ranks.filter((_, at) => isIn(ids[at]!)), isAll };
}

function without(ranked: Ranked, others: Float64Array | undefined): Ranked {
  if (!others || others.length === 0) return ranked;
  const left = new Set(others);
  return those(ranked, (id) => !left.has(id));
}

/** Some may have been deleted since they were found. */
async function recordsOf(
  layers: readonly Layer[],
  selections: readonly WordSelection[],
  order: readonly (Unindexed | Hit)[],
): Promise<ListedRecord[]> {
  const found = await Promise.all(
    layers.map(async ({ words }, layer) => {
      const ids = order.flatMap((one) => ('rank' in one && one.layer === layer ? one.id : []));
      const records = new Map<number, ListedRecord>();
      for await (const { id, ...record } of words.records(ids, selections[layer]!.filter))
        records.set(id, record);
      return records;
    }),
  );
  return order.flatMap((one) => ('rank' in one ? (found[one.layer]!.get(one.id) ?? []) : one));
}
