/**
 * What filters find in an area or in a zone over it, by the index of values: how many records, a page of them in the order of a slot,
 * and how many have each value of some slots, any value, or one in a range. All of it is exact, as of one moment, or the search is
 * refused.
 */
import { scalarsIn } from '#linkml/folding.ts';
import type { JsonObject } from '#linkml/json.ts';
import { IdSet } from '../storage/id-set.ts';
import type { ClassSet } from '../storage/read/block-order.ts';
import { inPidOrder, type PageOrder } from '../storage/read/pid-order.ts';
import type { Reads } from '../storage/read/records.ts';
import { type Effort, ROWS_OF_KEY, ROWS_OF_TEXT } from '../storage/search/effort.ts';
import {
  type ComparedValue,
  type ConditionGroups,
  comparedText,
  comparedValue,
  compareValues,
  isFilled,
  type ValueCondition,
  valueMatcherOf,
  valuesOfSlot,
  valueTestOf,
} from '../storage/search/indexed-values.ts';
import { ValueCounts } from '../storage/search/value-counts.ts';
import { type Counted, ValueReads, type ValueRow } from '../storage/search/value-reads.ts';
import type { Span } from '../storage/search/value-spans.ts';
import type { RecordStore } from '../storage/store.ts';
import { type Matching, matchingIds } from './matching-ids.ts';
import { type CountedValue, mostFrequent } from './most-frequent.ts';
import { merge, once, tiesIn } from './row-streams.ts';
import { shadowedIds } from './shadowed-ids.ts';

export type ValueSearch = {
  readonly classes: ClassSet;
  readonly groups: ConditionGroups;
  /** Only these records, which the caller sees, and which are of the classes. */
  readonly among?: Among;
  /** Undefined for the order of {@link among} or, without that, of pids. */
  readonly sort: { readonly slot: string; readonly descending: boolean } | undefined;
  readonly range: { readonly offset: number; readonly limit: number };
  /** Slots whose values are counted. */
  readonly facets: readonly string[];
  /** Whether each facet is counted without the values that are asked for in its slot: all of them are alternatives. */
  readonly alternatives?: boolean;
  /** Classes whose records are counted. */
  readonly byClass?: readonly string[];
  /** Slots of which the records with any value are counted. */
  readonly filled?: readonly string[];
  readonly histograms?: readonly Histogram[];
};

/** Records in an order of their own. */
export type Among = {
  readonly ids: IdSet;
  /** The first ones that satisfy a condition. */
  best(end: number, isIn: (id: number) => boolean): Promise<number[]>;
};

/** A slot whose values are counted in ranges. */
export type Histogram = {
  readonly slot: string;
  /** Cuts the values from the least to the greatest one by which records are sorted. */
  cut(least: ComparedValue, greatest: ComparedValue): readonly ValueRange[];
};

/** The values from one to another one, both included; without one, all up to or from the other. */
export type ValueRange = { readonly from?: string; readonly to?: string };

/** Equal for texts that are the same value. */
type Identity = (text: string) => string;

export type FoundValues = {
  readonly total: number;
  /** The records of the page. */
  readonly ids: readonly number[];
  readonly facets: ReadonlyMap<string, readonly FacetValue[]>;
  /** Slots with too many values to count each: of their values, `facets` has only those that have more records than all others. */
  readonly cutFacets: readonly string[];
  /** How many records have a class, without its subclasses. */
  readonly byClass: ReadonlyMap<string, number>;
  /** How many records have a value of a slot. */
  readonly filled: ReadonlyMap<string, number>;
  readonly histograms: ReadonlyMap<string, readonly CountedRange[]>;
};

/** How many records have a value in a range. */
export type CountedRange = ValueRange & { readonly count: number };

/** A value as a record has it, and how many records have it. */
export type FacetValue = { readonly value: string; readonly count: number };

const BY_PID = { slot: 'pid', descending: false };
/** Classes that are walked apart: with more, all records are. */
const MOST_WALKED = 8;
/** Records that stand for all when a way of counting is chosen. */
const SAMPLE = 100;

/**
 * @param parts the areas, the one on top first
 * @param reads a snapshot
 * @param identity equal for the spellings of a reference, of folded values
 * @throws ServiceError `search_too_broad`
 */
export async function searchValues(
  reads: Reads,
  parts: readonly RecordStore[],
  search: ValueSearch,
  { identity, effort }: { readonly identity: Identity; readonly effort: Effort },
): Promise<FoundValues> {
  const found = await Finding.of(reads, parts, search, effort);
  const ids = await found.page();
  const facets = new Map<string, readonly FacetValue[]>();
  const cutFacets: string[] = [];
  for (const slot of search.facets) {
    const within = search.alternatives ? await found.withoutValuesOf(slot) : found;
    const { values, isCut } = await within.facet(slot, identity, search.alternatives ? search.groups : []);
    facets.set(slot, values);
    if (isCut) cutFacets.push(slot);
  }
  // What would read too much is refused before these rows are read.
  const countFilled = await found.filling(search.filled ?? []);
  const byClass = await found.byClass(search.byClass ?? []);
  const filled = await countFilled();
  const histograms = new Map<string, readonly CountedRange[]>();
  for (const one of search.histograms ?? []) histograms.set(one.slot, await found.histogram(one));
  return { total: found.total, ids, facets, cutFacets, byClass, filled, histograms };
}

/** What is read, whatever is looked for in it. */
type Readable = {
  readonly reads: Reads;
  readonly parts: readonly RecordStore[];
  readonly effort: Effort;
  readonly indexes: readonly ValueReads[];
  /** Whether the indexes are read: the order of pids is that of the records. */
  readonly isOpen: boolean;
  /** How many records there are of the classes. */
  readonly all: number;
  readonly shadowed: IdSet;
};

/** The records that are found: some, or all but some. */
class Finding {
  readonly total: number;
  readonly #readable: Readable;
  readonly #reads: Reads;
  readonly #parts: readonly RecordStore[];
  readonly #indexes: readonly ValueReads[];
  readonly #search: ValueSearch;
  readonly #effort: Effort;
  /** Those that are found or, of all others, those that are not. */
  readonly #set: IdSet;
  readonly #isAllBut: boolean;
  /** Classes, among which are those of all that is found; undefined for all. */
  readonly #classes: ClassSet;
  readonly #all: number;
  readonly #shadowed: IdSet;

  private constructor(readable: Readable, search: ValueSearch, { set, isAllBut, classes }: Matching) {
    this.#readable = readable;
    this.#reads = readable.reads;
    this.#parts = readable.parts;
    this.#search = search;
    this.#effort = readable.effort;
    this.#indexes = readable.indexes;
    this.#set = set;
    this.#isAllBut = isAllBut;
    this.#classes = classes
      ? (search.classes ?? [...classes]).filter((name) => classes.has(name))
      : search.classes;
    this.#all = readable.all;
    this.#shadowed = readable.shadowed;
    this.total = isAllBut ? this.#all - set.size : set.size;
  }

  static async of(
    reads: Reads,
    parts: readonly RecordStore[],
    search: ValueSearch,
    effort: Effort,
  ): Promise<Finding> {
    const { groups, facets, sort, filled = [], histograms = [] } = search;
    const isCounted = facets.length + filled.length + histograms.length > 0;
    const isByPid = groups.length === 0 && !isCounted && (!sort || sort.slot === 'pid');
    const indexes: ValueReads[] = [];
    let all = 0;
    for (const part of parts) {
      const { visibility } = part;
      const store = part.within(reads);
      const index = new ValueReads(reads, store, { classes: search.classes, visibility }, effort);
      if (!isByPid) await index.open();
      indexes.push(index);
      all += await store.count({ ...(search.classes && { classes: search.classes }) });
    }
    const shadowed = await shadowedIds(reads, parts, indexes, effort);
    const isOpen = !isByPid;
    return Finding.#in({ reads, parts, effort, indexes, isOpen, all: all - shadowed.size, shadowed }, search);
  }

  static async #in(readable: Readable, search: ValueSearch): Promise<Finding> {
    const { indexes, shadowed, effort } = readable;
    const matching = await matchingIds(indexes, search.groups, shadowed);
    if (!search.among) return new Finding(readable, search, matching);
    const { ids } = search.among;
    await effort.spend(ids.size);
    const set = ids.filter(matching.set, !matching.isAllBut).filter(shadowed, false);
    return new Finding(readable, search, { ...matching, set, isAllBut: false });
  }

  /** What would be found without the values that are asked for in a slot. */
  async withoutValuesOf(slot: string): Promise<Finding> {
    const groups = this.#search.groups.filter((group) => !asksForValues(group, slot));
    if (groups.length === this.#search.groups.length) return this;
    return Finding.#in(this.#readable, { ...this.#search, groups });
  }

  /** The ids of the page. */
  async page(): Promise<number[]> {
    const { sort = BY_PID, range, among } = this.#search;
    if (range.limit === 0 || range.offset >= this.total) return [];
    const end = range.offset + range.limit;
    if (among && !this.#search.sort)
      return (await among.best(end, (id) => this.#isFound(id))).slice(range.offset);
    if (sort.slot === 'pid') return this.#inPidOrder(sort.descending, range, () => true);
    const direction = sort.descending ? -1 : 1;
    // Rows are walked until the page is found, which is later if few of them are of records that are found.
    const walked = Math.min(this.#all, (end * this.#all) / this.total);
    const rows = await this.#sorted(sort.slot, direction, walked);
    // The ids of records are in the order in which they were first stored, also of those that a policy has hidden then.
    const isRestricted = this.#parts.some(({ visibility }) => visibility !== undefined);
    const page: number[] = [];
    const withKey = new IdSet();
    for await (const some of isRestricted ? tiesIn(rows) : rows) {
      const found = some.flatMap(({ id }) => (this.#isFound(id) ? id : []));
      const passed = Math.max(0, range.offset - withKey.size);
      const rest = { offset: passed, limit: range.limit - page.length };
      for (const id of found) withKey.add(id);
      if (passed >= found.length) continue;
      const isTied = isRestricted && found.length > 1;
      page.push(
        ...(isTied
          ? await this.#tied(found, sort.descending, rest)
          : found.slice(passed, passed + rest.limit)),
      );
      if (page.length === range.limit) return page;
    }
    // Records without a value are behind all others, in both directions.
    const rest = { offset: Math.max(0, range.offset - withKey.size), limit: range.limit - page.length };
    return [...page, ...(await this.#inPidOrder(false, rest, (id) => !withKey.has(id)))];
  }

  /** A range of the records that have equal values, by pid. */
  #tied(ids: readonly number[], descending: boolean, range: PageOrder['range']): Promise<number[]> {
    const areFew = ids.length <= this.#effort.bounds.few;
    const set = new IdSet(areFew ? [] : ids);
    return inPidOrder(
      this.#reads,
      this.#parts.map(({ area }) => area),
      { descending, range, effort: this.#effort, ...(areFew && { ids }), isIn: ({ id }) => set.has(id) },
    );
  }

  /**
   * How many of the records have each value of a slot: of more values, those of most records.
   *
   * @param groups the values that they ask for in the slot are counted, too, if a record has them
   */
  async facet(
    slot: string,
    identity: Identity,
    groups: ConditionGroups,
  ): Promise<{ values: FacetValue[]; isCut: boolean }> {
    const asked = groups.filter((group) => asksForValues(group, slot)).flatMap(([{ values }]) => values);
    const names = new Set(asked.map((value) => identity(comparedValue(value).text)));
    const { values } = this.#effort.bounds;
    const counts = new ValueCounts(slot, {
      most: values,
      identity,
      isKept: (text) => names.size > 0 && names.has(identity(text)),
    });
    if (this.#readsTexts(this.#all)) await this.#countInTexts(counts, this.#set);
    else {
      for (const index of this.#indexes) await this.#countInTexts(counts, index.behind);
      for (const index of this.#indexes) {
        if (index === this.#indexes.at(-1)) counts.beginLast();
        await index.count(slot, counts, this.#counted());
      }
    }
    const most = await mostFrequent(counts, {
      ...{ identity, asked: names },
      countAny: (texts) => this.#countAny(slot, texts),
      yieldIfDue: () => this.#effort.spend(0),
    });
    return { values: await this.#spelled(slot, most), isCut: counts.isCut };
  }

  /** How many of the records have each of some classes. */
  async byClass(classes: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const counts = new Map(classes.map((name) => [name, 0]));
    if (classes.length === 0) return counts;
    const add = (name: string, records: number) => {
      const count = counts.get(name);
      if (count !== undefined) counts.set(name, count + records);
    };
    if (this.#isAllBut)
      for (const store of this.#parts)
        for (const name of classes)
          if (this.#search.classes?.includes(name) ?? true)
            add(name, await store.within(this.#reads).count({ classes: [name] }));
    const listed = this.#isAllBut ? this.#set.with(this.#shadowed) : this.#set;
    const areMany = listed.size > this.#effort.bounds.few && listed.size * ROWS_OF_KEY > this.#all;
    const readsIndex = areMany && this.#readable.isOpen;
    for (const index of this.#indexes) {
      const found = readsIndex
        ? index.classesAmong((id) => listed.has(id), Math.min(1, listed.size / this.#all))
        : index.classesOf(listed);
      for await (const [name, records] of found) add(name, this.#isAllBut ? -records : records);
    }
    return counts;
  }

  /**
   * How many of the records have any value of each slot: a function that counts them.
   *
   * @throws ServiceError `search_too_broad`, before the rows are read that would be too many
   */
  async filling(slots: readonly string[]): Promise<() => Promise<ReadonlyMap<string, number>>> {
    const counts = new Map(slots.map((slot) => [slot, 0]));
    if (slots.length === 0) return async () => counts;
    const add = (slot: string) => counts.set(slot, counts.get(slot)! + 1);
    const countIn = async (records: AsyncIterable<{ id: number; record: JsonObject }>) => {
      for await (const { id, record } of records)
        if (this.#isFound(id)) for (const slot of slots) if (isFilled(record, slot)) add(slot);
      return counts;
    };
    // Classes are counted before the texts are read.
    const further = this.#set.size;
    const inTexts = () => countIn(this.#texts(this.#set));
    if (this.#readsTexts(0, further)) return inTexts;
    const rows = await this.#rowsWith(slots);
    if (this.#readsTexts(rows, further)) return inTexts;
    // A walk through half of them would be in vain.
    this.#effort.require(rows / 2);
    const all: { index: ValueReads; condition: ValueCondition; parts: readonly Span[] }[] = [];
    for (const slot of slots)
      for (const index of this.#indexes) {
        const [condition] = anyOf(slot);
        all.push({ index, condition, parts: await index.partsOf(condition) });
      }
    return async () => {
      for (const { index, condition, parts } of all) {
        const meeting = new IdSet();
        await index.findIn(parts, condition, meeting);
        for (const id of meeting) if (this.#isFound(id)) add(condition.slot);
      }
      for (const index of this.#indexes) await countIn(index.records(index.behind));
      return counts;
    };
  }

  /** About how many records have a value of each slot, together: as some of those that are found. */
  async #rowsWith(slots: readonly string[]): Promise<number> {
    let values = 0;
    let records = 0;
    for await (const { record } of this.#texts(this.#set.sample(SAMPLE))) {
      values += slots.filter((slot) => isFilled(record, slot)).length;
      records += 1;
    }
    return (values / Math.max(1, records)) * this.#all;
  }

  /** How many of the records have a value in each range of a slot. */
  async histogram({ slot, cut }: Histogram): Promise<CountedRange[]> {
    const [least, greatest] = [await this.#outermost(slot, 1), await this.#outermost(slot, -1)];
    if (!least || !greatest) return [];
    const ranges = cut(least, greatest);
    const conditions = ranges.map(({ from, to }): ValueCondition[] => [
      ...(from === undefined ? [] : [{ slot, test: 'from', values: [from] } as const]),
      ...(to === undefined ? [] : [{ slot, test: 'to', values: [to] } as const]),
    ]);
    const counts = await this.#countMeeting(
      slot,
      conditions.map((all) => (all.length === 0 ? anyOf(slot) : all)),
    );
    return ranges.map((range, at) => ({ ...range, count: counts[at]! }));
  }

  /** The first or the last of the values by which the records are sorted. */
  async #outermost(slot: string, direction: 1 | -1): Promise<ValueRow | undefined> {
    for await (const rows of await this.#sorted(slot, direction, this.#all / Math.max(1, this.total))) {
      const row = rows.find(({ id }) => this.#isFound(id));
      if (row) return row;
    }
    return undefined;
  }

  /** How many of the records have one value of a slot that satisfies one or two conditions, for each of some. */
  async #countMeeting(slot: string, all: readonly (readonly ValueCondition[])[]): Promise<number[]> {
    const counts = all.map(() => 0);
    const matchers = all.map(valueMatcherOf);
    const countIn = async (records: AsyncIterable<{ id: number; record: JsonObject }>) => {
      for await (const { id, record } of records)
        if (this.#isFound(id))
          for (const [at, isMet] of matchers.entries()) if (isMet(record)) counts[at]! += 1;
    };
    if (this.#readsTexts(this.#all)) {
      await countIn(this.#texts(this.#set));
      return counts;
    }
    // Rows are records if none has several values, so the database counts them: those of each value once, for all ranges.
    const isCounted =
      all.length > 1 && this.#isNearlyAll() && !this.#indexes.some((index) => index.hasSeveral(slot));
    for (const index of this.#indexes) {
      if (isCounted) await index.count(slot, rangesOf(all, counts), this.#counted());
      else
        for (const [at, [condition, other]] of all.entries()) {
          const meeting = new IdSet();
          await index.find(condition!, meeting, other);
          for (const id of meeting) if (this.#isFound(id)) counts[at]! += 1;
        }
      await countIn(index.records(index.behind));
    }
    return counts;
  }

  /** The values of a slot by which the found records are sorted: of these alone or, if that takes less, of all. */
  async #sorted(
    slot: string,
    direction: 1 | -1,
    walked: number,
  ): Promise<AsyncIterable<readonly ValueRow[]>> {
    return this.#readsTexts(walked)
      ? once(await this.#keysInTexts(this.#set, slot, direction))
      : this.#rowsOf(slot, direction);
  }

  #isFound(id: number): boolean {
    return this.#set.has(id) !== this.#isAllBut && !this.#shadowed.has(id);
  }

  #counted(): Counted {
    return this.#isAllBut
      ? { without: this.#shadowed.with(this.#set) }
      : { within: this.#set, without: this.#shadowed };
  }

  /** Whether so few are not found that the database leaves them out. */
  #isNearlyAll(): boolean {
    return this.#isAllBut && this.#set.size <= this.#effort.bounds.few;
  }

  /** Whether reading what is found takes less than walking some rows, and no more than is left but for further rows. */
  #readsTexts(rows: number, further = 0): boolean {
    const texts = this.#set.size * ROWS_OF_TEXT;
    const areLess = !this.#isAllBut && texts <= Math.max(rows, this.#effort.bounds.few);
    return areLess && this.#effort.has(texts + further);
  }

  async *#texts(ids: IdSet) {
    const [index] = this.#indexes;
    if (index) yield* index.records(ids);
  }

  async #keysInTexts(ids: IdSet, slot: string, direction: 1 | -1): Promise<ValueRow[]> {
    const rows: ValueRow[] = [];
    for await (const { id, record } of this.#texts(ids)) {
      const first = valuesOfSlot(record, slot).find(({ isFirst }) => isFirst);
      if (first) rows.push({ id, text: first.text, number: first.number });
    }
    return rows.sort((a, b) => direction * compareRows(a, b));
  }

  async #countInTexts(counts: ValueCounts, ids: IdSet): Promise<void> {
    for await (const { id, record } of this.#texts(ids))
      if (this.#isFound(id)) for (const { text } of valuesOfSlot(record, counts.slot)) counts.add(text, id);
  }

  /** The values of a slot by which records are sorted, in order: those of the indexes, and of what has changed behind these. */
  async *#rowsOf(slot: string, direction: 1 | -1): AsyncGenerator<readonly ValueRow[]> {
    const sources: AsyncIterator<readonly ValueRow[]>[] = [];
    for (const index of this.#indexes) {
      sources.push(index.sorted(slot, direction));
      if (index.behind.size > 0)
        sources.push(once(await this.#keysInTexts(index.behind, slot, direction))[Symbol.asyncIterator]());
    }
    yield* merge(sources, (a, b) => direction * compareRows(a, b));
  }

  /** A range of the records that are found and satisfy a condition, by pid. */
  async #inPidOrder(
    descending: boolean,
    range: PageOrder['range'],
    isIn: (id: number) => boolean,
  ): Promise<number[]> {
    if (range.limit === 0) return [];
    // To find a record by its number takes as long as walking some others.
    const walked = ((range.offset + range.limit) * this.#all) / Math.max(1, this.total);
    const { few } = this.#effort.bounds;
    const least = Math.max(Math.min(this.#all, walked), few / 20);
    const areFew = !this.#isAllBut && this.#set.size <= few && this.#set.size * 5 <= least;
    const ids = areFew ? [...this.#set].filter(isIn) : undefined;
    return inPidOrder(
      this.#reads,
      this.#parts.map(({ area }) => area),
      {
        descending,
        range,
        effort: this.#effort,
        ...(ids && { ids }),
        ...(this.#classes && this.#classes.length <= MOST_WALKED && { classes: this.#classes }),
        isIn: (row, at) => this.#isFound(row.id) && isIn(row.id) && this.#indexes[at]!.isSeen(row),
      },
    );
  }

  /** Values as a record has them. */
  async #spelled(slot: string, values: readonly CountedValue[]): Promise<FacetValue[]> {
    const texts = new Map<number, Map<string, string>>();
    for await (const { id, record } of this.#texts(new IdSet(values.map(({ record }) => record)))) {
      const spellings = scalarsIn(record[slot] ?? null).map(
        (value) => [comparedValue(value).text, value] as const,
      );
      texts.set(id, new Map(spellings));
    }
    return values.map(({ text, count, record }) => ({ value: texts.get(record)?.get(text) ?? text, count }));
  }

  /** How many of the records have one of some values. */
  async #countAny(slot: string, values: readonly string[]): Promise<number> {
    const condition = { slot, test: 'is', values } as const;
    const { set } = await matchingIds(this.#indexes, [[condition]], this.#shadowed);
    let count = 0;
    for (const id of set) if (this.#isFound(id)) count += 1;
    return count;
  }
}

/** Whether a group has no other condition than that on the values of a slot. */
function asksForValues(group: ConditionGroups[number], slot: string): group is readonly [ValueCondition] {
  const [condition] = group;
  return group.length === 1 && condition!.slot === slot && condition!.test === 'is';
}

const anyOf = (slot: string): readonly [ValueCondition] => [{ slot, test: 'filled', values: ['true'] }];

/**
 * Adds how many records have a value to the counts of all conditions that it satisfies: ranges that exclude each other as numbers may
 * share a string, such as `100x` in those from 10 to 19 and from 100 to 199.
 */
function rangesOf(all: readonly (readonly ValueCondition[])[], counts: number[]): Pick<ValueCounts, 'add'> {
  const tests = all.map(valueTestOf);
  return {
    add(text, _, count = 1) {
      const value = { slot: '', ...comparedText(text), isFirst: true };
      for (const [at, isMet] of tests.entries()) if (isMet(value)) counts[at]! += count;
    },
  };
}

const compareRows = (a: ValueRow, b: ValueRow) => compareValues(a, b) || a.id - b.id;
